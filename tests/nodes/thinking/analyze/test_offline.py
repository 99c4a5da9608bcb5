"""Analysing without a language model: what is given and what is not, and nothing invented."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from tests.support.calls import call, remember

PUMP: dict[str, Any] = {
    "problem": "Why does the pump of the fountain stop every night?",
    "context": {
        "background": "A new valve was fitted to the pump in May. Anna says it was fine before.",
        "constraints": ["No new pump"],
        "goals": ["Water at noon"],
    },
}
MILL: dict[str, Any] = {
    "problem": "Should the parish sell the old mill?",
    "context": {"background": "The mill has been empty for ten years."},
}
INVENTED = re.compile(
    r"executed|was conducted|data supports?|experiment shows|results? (?:show|confirm)|we found",
    re.I,
)


async def analyzed(engine: Engine, asked: dict[str, Any], framework: str) -> dict[str, Any]:
    return (await call(engine, "analyze", {**asked, "preferredFramework": framework})).answer


def text_of(answer: dict[str, Any]) -> str:
    return str([answer["result"], answer["outputs"]])


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_two_problems_never_get_the_same_analysis(engine: Engine, framework: str) -> None:
    first, second = [await analyzed(engine, asked, framework) for asked in (PUMP, MILL)]
    assert first["result"]["conclusion"] != second["result"]["conclusion"]
    for answer, own, foreign in ((first, "pump", "mill"), (second, "mill", "pump")):
        assert own in text_of(answer)
        assert foreign not in text_of(answer)
        assert not INVENTED.search(text_of(answer))


async def test_each_step_asks_its_first_question_of_the_problem(engine: Engine) -> None:
    answer = await analyzed(engine, PUMP, "root-cause-analysis")
    steps = FRAMEWORKS["root-cause-analysis"].steps
    assert answer["result"]["steps"] == [each.questions[0] for each in steps]
    assert answer["result"]["conclusion"].split("\n") == [
        "“A new valve was fitted to the pump in May.” (background)",
        f"On “{PUMP['problem']}”: What follows?",
    ]


async def test_the_answer_says_that_nobody_analysed(engine: Engine) -> None:
    answer = (await call(engine, "analyze", PUMP)).answer
    assert (answer["suggestion"], answer["kind"]) == (NO_MODEL, "open_question")
    assert (answer["status"], answer["selection"]["by"]) == ("completed", "features")
    assert answer["result"]["confidence"] == 0.0
    empty = ("outputs", "alternatives", "votes", "restsOn", "goals", "constraints")
    assert not any(answer[name] for name in empty)
    assert answer["violates"] is False


async def test_memory_speaks_where_it_is_known(engine: Engine) -> None:
    memory = await remember(engine, "The pump of the fountain stopped since the new timer in May.")
    answer = await analyzed(engine, {"problem": PUMP["problem"]}, "root-cause-analysis")
    assert answer["memoriesUsed"] == [memory]
    assert "since the new timer" in text_of(answer)


@pytest.mark.parametrize("problem", ["配管が凍った。なぜですか？", "Zażółć gęślą jaźń", "x", "?!"])
async def test_other_languages_get_no_wrong_label_with_confidence(
    engine: Engine, problem: str
) -> None:
    answer = (await call(engine, "analyze", {"problem": problem})).answer
    assert answer["selection"]["confidence"] < 0.3
    assert answer["selection"]["isHybrid"] is False
    assert "no sign of it" in answer["selection"]["reason"]
