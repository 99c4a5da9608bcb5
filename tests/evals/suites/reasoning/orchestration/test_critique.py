"""The rows of critique: the loop loses as published, the gate gains, a gate by lot does not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.simulated.critique import SimulatedCritic, is_right
from reasonloom.evals.simulated.critique_problems import (
    CASES,
    DEFECTS,
    JUDGE_ERROR,
    SCENES,
    Case,
    Problem,
)
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices, Result
from reasonloom.evals.suites.reasoning.orchestration.catalog import Problem as CatalogProblem
from reasonloom.evals.suites.reasoning.orchestration.critique import (
    COIN,
    CRITIQUE_EVAL,
    GatedReflection,
    ObservedModel,
    SharedEngine,
    items,
    revise_once,
    rows,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel
from reasonloom.evals.suites.reasoning.orchestration.suite import packaged
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, LanguageModel, Reply
from reasonloom.stores.access import Access
from tests.evals.simulated.simulated_llm import margin
from tests.evals.suites.reasoning.orchestration.worlds import chosen, results, without_cost
from tests.support.reasoning.sessions import answered, thinking

SPOILED = "gpt-3.5/commonsenseqa"
"""The case in which most is broken, so that few items tell."""

FEW = 40
PROBLEM = Problem(SCENES[0], groups=14, parts=12, each=3, less=2, guess=607)


def share(found: Sequence[Result]) -> float:
    return fmean(each.score for each in found)


def counted(found: Sequence[Result], name: str) -> float:
    return sum(each.also[name] for each in found)


def after(case: Case, start: float, rounds: int) -> float:
    for _ in range(rounds):
        start = start * (1 - case.spoil) + (1 - start) * case.mend
    return start


def item_of(defects: frozenset[str]) -> CatalogProblem:
    told = {"question": PROBLEM.question(), "draft": PROBLEM.answer(defects)}
    return CatalogProblem("one", json.dumps(told))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_the_loop_without_a_gate_comes_out_at_the_case_s_rates(case: Case) -> None:
    choices, seeds = chosen(200, case=case.name), range(4)
    start = share(await results(CRITIQUE_EVAL, "draft", choices))
    assert abs(start - case.start) < 0.005
    for rounds in (1, 2):
        found = await results(CRITIQUE_EVAL, f"ungated-{rounds}", choices, seeds)
        told = after(case, start, rounds)
        assert abs(share(found) - told) < margin(told, len(found))
        assert {each.calls for each in found} == {2 * rounds}
    oracle = await results(CRITIQUE_EVAL, "oracle-stop", choices, seeds)
    mended = 1 - (1 - case.mend) ** 2
    wrong = [each for each in oracle if each.calls]
    assert len(wrong) == round((1 - start) * len(oracle))
    assert abs(share(wrong) - mended) < margin(mended, len(wrong))
    assert counted(oracle, "broken") == counted(oracle, "false_alarms") == 0


@pytest.fixture
async def mind(access: Access, embedder: Embedder) -> AsyncIterator[Engine]:
    async with thinking(access, embedder, SimulatedCritic(CASES[SPOILED], 0)) as engine:
        yield engine


async def gated(engine: Engine, error: float, rounds: int = 2) -> list[Result]:
    found, _ = items(chosen(FEW, case=SPOILED))
    gate = GatedReflection(CASES[SPOILED], rounds, error, SharedEngine(engine))
    return [await gate.run(item, 0) for item in found]


async def test_the_gate_gains_where_the_loop_loses(mind: Engine) -> None:
    choices = chosen(FEW, case=SPOILED)
    draft, loop = [await results(CRITIQUE_EVAL, name, choices) for name in ("draft", "ungated-1")]
    one, two, oracle = [
        await gated(mind, JUDGE_ERROR, 1), await gated(mind, JUDGE_ERROR), await gated(mind, 0.0)
    ]  # fmt: skip
    assert share(loop) < share(draft) - 0.2
    assert share(draft) < share(one) <= share(oracle)
    assert share(draft) < share(two) <= share(oracle)
    assert counted(oracle, "broken") == 0
    assert counted(two, "broken") < counted(loop, "broken") / 4
    assert counted(oracle, "repaired") > counted(draft, "repaired") == 0
    most_one, most_two = (max(each.calls for each in made) for made in (one, two))
    assert most_one == 4 < most_two <= 8, "a revision whose figures do not hold is asked for again"
    again = await gated(mind, JUDGE_ERROR, 1)  # the lot that orders a pair decides nothing
    assert list(map(without_cost, again)) == list(map(without_cost, one))


async def test_a_gate_by_lot_loses_what_it_kept(mind: Engine) -> None:
    choices = chosen(FEW, case=SPOILED)
    draft, loop = [await results(CRITIQUE_EVAL, name, choices) for name in ("draft", "ungated-1")]
    coin = await gated(mind, COIN)
    assert share(loop) < share(coin) < share(draft) - 0.05
    assert counted(coin, "broken") > counted(loop, "broken") / 4


@dataclass
class Listening:
    """A language model that keeps what it was asked."""

    llm: LanguageModel
    asks: list[Ask] = field(default_factory=list)
    name: str = "listening"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Keep the question and answer it."""
        self.asks.append(ask)
        return await self.llm.answer(ask)

    async def close(self) -> None:
        """Do nothing."""

    def asked(self) -> list[tuple[list[Any], Any]]:
        return [([each.content for each in ask.messages], ask.schema) for ask in self.asks]


SURE = replace(CASES[SPOILED], name="sure", mend=1.0, spoil=1.0)


async def test_the_loop_asks_in_the_words_of_the_mode(access: Access, embedder: Embedder) -> None:
    draft = PROBLEM.answer(frozenset(DEFECTS[:2]))
    loop, mode = Listening(SimulatedCritic(SURE, 0)), Listening(SimulatedCritic(SURE, 0))
    await revise_once(MeteredModel(loop), draft, 0)
    async with thinking(access, embedder, mode) as engine:
        answer = await answered(engine, "reflection", content=draft)
    assert answer["improved_reasoning"] == PROBLEM.answer()
    assert len(loop.asks) == 2
    assert loop.asked() == mode.asked()[:2]


async def test_after_a_round_that_changed_nothing_another_answer_is_asked_for() -> None:
    blind = replace(CASES[SPOILED], mend=0.0, spoil=0.0)
    llm = Listening(SimulatedCritic(blind, 0))
    meter, answer = MeteredModel(llm), PROBLEM.answer()
    for round_ in range(3):
        assert await revise_once(meter, answer, round_) == answer
    assert [ask.sample for ask in llm.asks[::2]] == [0, 1, 2]
    assert len({str(words) for words, _ in llm.asked()[::2]}) == 1


async def test_what_is_found_and_changed_is_counted() -> None:
    item, witness = item_of(frozenset(DEFECTS[:2])), ObservedModel(SimulatedCritic(SURE, 0))
    meter = MeteredModel(witness)
    once = await revise_once(meter, PROBLEM.answer(frozenset(DEFECTS[:2])), 0)
    result = witness.result(item, once)
    assert (result.score, result.calls) == (1.0, 2)
    assert result.also == {
        "found": 2, "missed": 0, "false_alarms": 0, "repaired": 2, "broken": 0,
    }  # fmt: skip
    twice = await revise_once(meter, once, 1)
    assert not is_right(PROBLEM.question(), twice)
    result = witness.result(item, twice)
    assert (result.score, result.calls, result.also["false_alarms"]) == (0.0, 4, 1)
    assert result.usd == pytest.approx(sum(each.cost_usd or 0 for each in witness.usages))
    with pytest.raises(RuntimeError, match="cannot be read"):
        witness.result(item, "Something else.")


async def test_the_whole_eval_opens_a_database_and_goes_on_without_one(tmp_path: Path) -> None:
    only = ("draft", "gated-1")
    own, log = packaged(CRITIQUE_EVAL, Choices(items=3), 1, only), tmp_path / "log.jsonl"
    told = await run_packaged(own, log)
    assert [row["row"] for row in told["rows"]] == list(only)
    assert told["rows"][1]["calls"] >= 1
    assert await run_packaged(own, log) == told
    gate = next(row for row in rows(Choices()) if row.name == "gated-1")
    with pytest.raises(RuntimeError, match="not opened"):
        await gate.run(items(Choices(items=1))[0][0], 0)


def test_the_figures_beside_the_rows_are_the_case_s() -> None:
    told = {row.name: (row.published, row.status) for row in rows(chosen(1, case="gpt-3.5/gsm8k"))}
    assert told == {
        "draft": ("75.9 %", "fitted"),
        "ungated-1": ("75.1 %", "fitted"),
        "ungated-2": ("74.7 %", "predicted"),
        "oracle-stop": ("84.3 %", "fitted"),
        "gated-1": ("", "own"),
        "gated-2": ("", "own"),
        "gated-oracle": ("", "own"),
        "gated-coin": ("", "control"),
    }


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (Choices(data=Path("x.csv")), "data: sim-critique draws its own problems"),
        (Choices(items=0), "items|count: must be 1 to"),
        (Choices(settings={"case": "gpt-5"}), "case: must be one of gpt-4/gsm8k, gpt-3.5/gsm8k"),
        (Choices(settings={"judge_error": "2"}), "judge_error: must be a number from 0 to 1"),
        (Choices(settings={"rounds": "2"}), "there is no setting rounds"),
    ],
)
def test_what_cannot_be_is_refused(choices: Choices, said: str) -> None:
    with pytest.raises((InvalidArgument, UnknownName), match=said):
        items(choices)
        rows(choices)


def test_the_command_shows_the_counts(tmp_path: Path) -> None:
    arguments = ["eval", "run", "sim-critique", "--items", "5", "--seeds", "1"]
    only = ["--row", "draft", "--row", "ungated-1"]
    home = {"REASONLOOM_HOME": str(tmp_path), "COLUMNS": "200"}
    done = CliRunner().invoke(app, [*arguments, *only], env=home)
    assert done.exit_code == 0, done.output
    assert all(part in done.output for part in ("false alarms", "repaired", "91.5 %", "fitted"))
