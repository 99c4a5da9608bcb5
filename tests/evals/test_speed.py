"""The benchmark's own parts: what they count is so, and a wrong option is refused."""

from __future__ import annotations

import asyncio
import time

import pytest
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.evals.speed.slow_llm import WAYS, SlowLlm
from reasonloom.llm.port import Ask, Embedder
from reasonloom.nodes.likeness import likeness_of
from reasonloom.nodes.apart import Apart
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.sessions import thinking


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
    apart = Apart(await likeness_of(embedder, list(WAYS)))
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
