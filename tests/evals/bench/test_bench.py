"""The benchmark's own parts: what they count is so, and a wrong option is refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.evals.bench.environment import BenchEngine
from reasonloom.evals.bench.reasoning import WAYS, SlowLlm
from reasonloom.evals.bench.thought_graph import Instant, Sorts, agreed
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.llm.interfaces import Ask, Embedder, LanguageModel, Reply
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.saver import SavedSteps
from tests.support.calls import call
from tests.support.reasoning.sessions import thinking


@pytest.mark.parametrize(
    ("calls", "length"),
    [
        ([], 0), ([(0, 1)], 1), ([(0, 1), (1, 2), (2, 3)], 3), ([(0, 2), (1, 3), (1, 4)], 1),
        ([(0, 1), (1, 3), (1, 2), (3, 4), (3.5, 5)], 3),
    ],
)  # fmt: skip
def test_the_longest_chain_is_of_calls_that_waited(
    calls: list[tuple[float, float]], length: int
) -> None:
    llm = SlowLlm()
    llm.calls = calls
    assert llm.longest_chain() == length


async def test_a_tree_asks_three_times_in_turn_and_takes_as_long_at_least(
    access: Access, embedder: Embedder
) -> None:
    llm = SlowLlm(0.05)
    async with thinking(access, embedder, llm) as mind:
        started = time.perf_counter()
        answer = (await call(mind, "reasoning_tree", {"content": "Where?"})).answer
        took = time.perf_counter() - started
    assert answer["branches_explored"] == 4
    assert (len(llm.calls), llm.longest_chain()) == (1 + 4 + 3, 3)
    assert took > 3 * llm.seconds


async def test_no_two_ways_are_so_alike_that_they_would_be_one(embedder: Embedder) -> None:
    apart = ThoughtDistance(await similarity_of(embedder, list(WAYS)))
    assert all(apart(one, other) > 0.5 for one in WAYS for other in WAYS if one != other)


async def test_the_slow_llm_takes_its_time() -> None:
    started = time.perf_counter()
    ask = Ask(messages=[], schema={"required": ["thought"]}, pipe="p", material={})
    await asyncio.gather(*(SlowLlm(0.1).answer(ask) for _ in range(50)))
    assert time.perf_counter() - started > 0.099


@pytest.mark.parametrize("only", ["nothing", "tree,forest"])
def test_an_unknown_part_is_refused_with_the_known_ones(only: str) -> None:
    done = CliRunner().invoke(app, ["bench", "--only", only])
    assert done.exit_code == 2
    assert "sessions" in done.output
    assert "engine" in done.output


@pytest.fixture
async def sorts(access: Access, embedder: Embedder) -> AsyncIterator[Sorts]:
    llm = Instant(SimulatedSorter(0))
    async with thinking(access, embedder, llm) as mind:
        ground = BenchEngine(mind, access)
        yield Sorts(ground, llm, 64)
        await ground.database.close()


def rows(access: Access, table: str) -> int:
    with psycopg.connect(access.admin) as connection:
        found = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    return int(found[0][0])


async def test_all_ways_of_running_a_plan_ask_and_come_to_the_same(
    sorts: Sorts, access: Access
) -> None:
    kept: list[float] = []
    steps = SavedSteps(Database(access))
    bare = {"driven": sorts.driven(), "in memory": sorts.walked(InMemorySaver())}
    assert await agreed(bare, sorts.llm) == 11
    assert rows(access, "checkpoints") == rows(access, "llm_calls") == 0
    saved = {"saved": sorts.walked(await steps.open())}
    assert await agreed({**bare, **saved}, sorts.llm) == 11
    assert rows(access, "checkpoints") > 0 == rows(access, "llm_calls")
    started = time.perf_counter()
    assert await agreed({"called": sorts.called(kept)}, sorts.llm) == 11
    assert await agreed({**bare, "called": sorts.called(kept)}, sorts.llm) == 11
    assert rows(access, "llm_calls") == 2 * 11
    assert rows(access, "thought_graphs") == 2 == len(kept)
    assert 0 < sum(kept) < 1000 * (time.perf_counter() - started)
    await steps.close()


async def test_ways_that_differ_are_not_timed(sorts: Sorts) -> None:
    async def idle() -> str:
        return "[]"

    with pytest.raises(RuntimeError, match="the ways differ"):
        await agreed({"driven": sorts.driven(), "idle": idle}, sorts.llm)


async def test_the_instant_llm_asks_the_other_once(sorts: Sorts) -> None:
    run, inner = sorts.driven(), Counting(SimulatedSorter(0))
    sorts.llm.llm = inner
    assert await run() == await run()
    assert (inner.count, sorts.llm.questions) == (11, 22)


class Counting:
    """A language model that counts its answers."""

    name = "counting"
    offline = False

    def __init__(self, llm: LanguageModel) -> None:
        self.llm, self.count = llm, 0

    async def answer(self, ask: Ask) -> Reply:
        """Count and answer."""
        self.count += 1
        return await self.llm.answer(ask)

    async def close(self) -> None:
        """Do nothing."""
