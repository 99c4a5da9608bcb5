"""Scorers and reducers against answers known beforehand."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.pairs import mode, reducer
from reasonloom.evals.core.item import Item, Mark, Scorer, ScoringContext
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Function
from reasonloom.evals.scorers.function import Checker
from reasonloom.evals.scorers.judge import Judge
from reasonloom.evals.scorers.text import (
    TOO_LONG,
    Fields,
    Pattern,
    choice,
    contains,
    exact,
    numeric,
)
from reasonloom.llm.interfaces import Ask
from reasonloom.prompts.registry import PromptRegistry
from tests.support.evals.suites import Echo

BENCH = ScoringContext(PromptRegistry())
PLAIN: list[tuple[Scorer, Any, Any, float]] = [
    (exact(), "Élan", "  élan\n", 1),
    (exact(), "Élan", "E\u0301lan", 1),
    (exact(case=True), "Élan", "élan", 0),
    (exact(), ["да", "はい"], "ДА", 1),
    (exact(), "yes", None, 0),
    (exact(final=True), "valid", "So **the answer** is\nThe answer is: Valid.", 1),
    (exact(final=True), "valid", "invalid", 0),
    (contains(), "東京", "首都は東京です", 1),
    (contains(), "Lyon", "It is in Paris", 0),
    (numeric(), "1234", "so it is $1,234.", 1),
    (numeric(), "72", "48 + 24 = 72 clips", 1),
    (numeric(), "-5", "\u22125", 1),
    (numeric(), "0.5", "1/2", 1),
    (numeric(), "0.1", "0.10", 1),
    (numeric(), "3", "3 or 4", 0),
    (numeric(), "3", "none", 0),
    (numeric(), "1", "1/0", 0),
    (numeric(tolerance=0.01), "3.14", "3.149", 1),
    (numeric(tolerance=0.01), "3.14", "3.16", 0),
    (numeric(relative=0.1), "200", "-219", 0),
    (numeric(relative=0.1), "200", "219", 1),
    (choice(), "(B)", "Not (A). The answer is (B).", 1),
    (choice(), "B", "(A) is wrong, so B", 0),
    (choice(), "C", "**Answer: C**", 1),
    (choice(), "A", "I think so", 0),
    (choice(options="ABC"), "(A)", "(A) or (Z)", 1),
    (Pattern(r"^\d{4}$"), None, "1984", 1),
    (Pattern(r"^\d{4}$"), None, "in 1984", 0),
    (Pattern(r"#(\w+)#"), "été", "#hiver# then #été#", 1),
    (Pattern(r"#(\w+)#"), "été", "#été# then #hiver#", 0),
    (Fields(), {"a": 1, "b": "ü"}, '```json\n{"a": 1.0, "b": "u"}\n```', 0.5),
    (Fields(whole=True), {"a": 1, "b": "ü"}, {"a": 1, "b": "u"}, 0),
    (Fields(("a.x", "b.0")), {"a": {"x": True}, "b": [1]}, {"a": {"x": 1}, "b": [1]}, 0.5),
    (Fields(), {"a": 1}, "nothing", 0),
    (Checker(lambda item, output: output == item.input * 2), None, 42, 1),
    (Checker(lambda item, output: 0.25), None, 42, 0.25),
]


@pytest.mark.parametrize(("scorer", "target", "output", "score"), PLAIN)
async def test_an_answer_is_given_what_it_is_worth(
    scorer: Scorer, target: Any, output: Any, score: float
) -> None:
    found = scorer.mark(Item("a", 21, target), output, BENCH)
    mark = await found if inspect.isawaitable(found) else found
    assert mark is not None
    assert mark.score == score


def test_an_expression_that_would_never_end_is_ended() -> None:
    mark = Pattern(r"^(a|aa)+$", seconds=0.2).mark(Item("a", "x"), "a" * 60 + "!", BENCH)
    assert mark == Mark(0.0, TOO_LONG)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Pattern("("), "regex: is no expression"),
        (lambda: numeric(tolerance=-1), "tolerance: must be 0 or more"),
        (lambda: numeric(relative=math.nan), "relative: must be 0 or more"),
        (lambda: Judge(votes=0), "votes: must be 1 to 50"),
    ],
)
def test_a_scorer_that_cannot_be_is_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        make()


def test_a_checker_gives_no_more_than_1() -> None:
    with pytest.raises(InvalidArgument, match=r"checker: gave a 2\.0; must be 0 to 1"):
        Checker(lambda item, output: 2).mark(Item("a", 1), 1, BENCH)


@pytest.mark.parametrize("given", [None, "yes", float("nan"), [], Mark(float("nan"))])
def test_a_checker_gives_a_number(given: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"checker: gave a .*; must be 0 to 1"):
        Checker(lambda item, output: given).mark(Item("a", 1), 1, BENCH)


def test_a_checker_that_fails_names_itself_and_the_item() -> None:
    told = r"solves: fails on the answer of a: ValueError: invalid literal .*; --resume continues"
    with pytest.raises(InvalidArgument, match=told) as failed:
        Checker(lambda item, output: int(output) == 1, "solves").mark(Item("a", 1), "x", BENCH)
    assert isinstance(failed.value.__cause__, ValueError)


def test_an_object_is_the_same_in_any_order() -> None:
    item = Item("a", "x", {"b": 1, "a": [2]})
    assert exact().mark(item, {"a": [2], "b": 1}, BENCH).score == 1
    assert exact().mark(item, {"a": [2], "b": 2}, BENCH).score == 0


def judging(better: Callable[[str, str, Ask], str]) -> Echo:
    """Return a judge that is asked by the texts of both answers."""

    def say(ask: Ask) -> str:
        told = str(ask.messages[-1].content)
        first = told.split("<first>\n")[1].split("\n</first>", maxsplit=1)[0]
        second = told.split("<second>\n")[1].split("\n</second>", maxsplit=1)[0]
        return json.dumps({"reason": "so", "better": better(first, second, ask)})

    return Echo(say=say)


@pytest.mark.parametrize(
    ("better", "score", "swapped"),
    [
        (lambda one, two, ask: "first" if len(one) > len(two) else "second", 1.0, 1.0),
        (lambda one, two, ask: "second" if len(one) > len(two) else "first", 0.0, 1.0),
        (lambda one, two, ask: "neither", 0.5, 1.0),
        (lambda one, two, ask: "first", 0.5, 0.0),
    ],
)
async def test_a_judge_is_blind_and_asked_in_both_orders(
    better: Callable[[str, str, Ask], str], score: float, swapped: float
) -> None:
    llm = judging(better)
    item = Item("a", "Où?", "à Lyon")
    mark = await Judge(votes=2).mark(
        item, "à Paris, peut-être", ScoringContext(PromptRegistry(), llm)
    )
    assert (mark.score, mark.figures["swapped"], mark.figures["agreement"]) == (score, swapped, 1)
    assert len(llm.asked) == 4
    assert {ask.sample for ask in llm.asked} == {0, 1}
    told = " ".join(str(message.content) for ask in llm.asked for message in ask.messages)
    assert "target" not in told
    assert "reference" not in told


async def test_votes_that_differ_are_told() -> None:
    llm = judging(lambda one, two, ask: "neither" if ask.sample else "second")
    longer = judging(
        lambda one, two, ask: (
            "neither" if ask.sample else ("first" if len(one) > len(two) else "second")
        )
    )
    item = Item("a", "x", "short")
    mark = await Judge(votes=3).mark(
        item, "longer answer", ScoringContext(PromptRegistry(), longer)
    )
    assert mark.score == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert mark.figures["agreement"] == pytest.approx(1 / 3)
    tied = await Judge(votes=1).mark(item, "longer answer", ScoringContext(PromptRegistry(), llm))
    assert (tied.score, tied.figures) == (0.5, {"swapped": 0.0})


async def test_a_judge_is_another_than_who_is_judged_and_its_bill_another(tmp_path: Path) -> None:
    judge = judging(lambda one, two, ask: "first" if len(one) > len(two) else "second")
    items = [Item("a", "?", "short")]
    suite = Suite("s", items, (Judge(votes=2),), Function(lambda item, epoch: "a longer answer"))
    ran = await run(suite, System(), log=tmp_path / "log", judge=judge)
    (record,) = ran.log.records
    assert record.scores == {"judge": 1.0, "judge/swapped": 1.0, "judge/agreement": 1.0}
    assert record.usage == {
        "judge_calls": 4, "judge_tokens_in": 40, "judge_tokens_out": 20, "judge_usd": 0.04,
    }  # fmt: skip
    assert ran.log.head["prompts"]["evals/judge"]["version"] == 1
    with pytest.raises(InvalidArgument, match="judge: needs a language model"):
        await run(suite, System(), log=tmp_path / "other")


def test_reducers_are_those_of_their_definitions() -> None:
    scores = [1.0, 0.0, 1.0, 0.0, 0.0]
    draws = list(combinations(scores, 2))
    assert reducer("mean")(scores) == pytest.approx(0.4)
    assert reducer("pass@2")(scores) == pytest.approx(fmean(max(draw) for draw in draws))
    assert reducer("pass^2")(scores) == pytest.approx(fmean(min(draw) for draw in draws))
    assert reducer("pass@5")(scores) == 1
    assert reducer("pass^5")(scores) == 0
    assert mode([0.0, 1.0, 1.0]) == 1
    assert mode([0.0, 1.0]) == 0.5


@pytest.mark.parametrize("name", ["median", "pass@0", "pass@", "pass@6"])
def test_a_reducer_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="reducer: "):
        reducer(name)([1.0] * 5)
