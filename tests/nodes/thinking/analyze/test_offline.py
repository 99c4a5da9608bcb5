"""Analysing without a language model: what is given and what is not, and nothing invented."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
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
    assert first["result"]["steps"] != second["result"]["steps"]
    for answer, own, foreign in ((first, "pump", "mill"), (second, "mill", "pump")):
        assert own in text_of(answer)
        assert foreign not in text_of(answer)
        assert not INVENTED.search(text_of(answer))


async def test_what_is_quoted_was_given_and_what_is_not_given_is_named(engine: Engine) -> None:
    answer = await analyzed(engine, PUMP, "root-cause-analysis")
    context = PUMP["context"]
    given = " ".join([PUMP["problem"], context["background"], *context["constraints"],
                      *context["goals"]])  # fmt: skip
    quotes = [one for each in answer["outputs"] for one in re.findall("“([^”]*)”", each["output"])]
    assert quotes
    assert all(one in given for one in quotes)
    steps = {each["step"]: each for each in answer["outputs"]}
    assert (
        "“A new valve was fitted to the pump in May.”"
        in (steps["Reconstruct the changes"]["output"])
    )
    assert "Which records could show it?" in steps["Test the causes"]["open"]
    assert "“No new pump”" in steps["Prevent"]["output"]
    assert "Which records could show it?" in answer["result"]["conclusion"]


async def test_the_answer_says_that_nobody_analysed(engine: Engine) -> None:
    outcome = await call(engine, "analyze", PUMP)
    answer = outcome.answer
    assert "No language model is configured" in answer["suggestion"]
    assert answer["status"] == "completed"
    assert answer["result"]["confidence"] <= 0.5
    assert [each["by"] for each in answer["votes"]] == ["features"]
    assert any("English and German" in note for note in outcome.notes)


async def test_the_more_is_given_the_surer(engine: Engine) -> None:
    full = await analyzed(engine, PUMP, "root-cause-analysis")
    bare = await analyzed(engine, {"problem": "Pump"}, "root-cause-analysis")
    assert bare["result"]["confidence"] < full["result"]["confidence"]
    assert all("not given" in each for each in bare["result"]["steps"])


async def test_memory_speaks_where_it_is_known(engine: Engine) -> None:
    memory = await remember(engine, "The pump of the fountain stopped since the new timer in May.")
    answer = await analyzed(engine, {"problem": PUMP["problem"]}, "root-cause-analysis")
    assert answer["memoriesUsed"] == [memory]
    assert "since the new timer" in text_of(answer)
    assert any("since the new timer" in each for each in answer["result"]["insights"])


async def test_what_can_be_reckoned_is_reckoned(engine: Engine) -> None:
    answer = (await call(engine, "analyze", {"problem": "What is 17*23?"})).answer
    assert "17*23 = 391" in answer["result"]["conclusion"]


@pytest.mark.parametrize("problem", ["配管が凍った。なぜですか？", "Zażółć gęślą jaźń", "x", "?!"])
async def test_other_languages_get_no_wrong_label_with_confidence(
    engine: Engine, problem: str
) -> None:
    answer = (await call(engine, "analyze", {"problem": problem})).answer
    assert answer["selection"]["confidence"] < 0.3
    assert answer["selection"]["isHybrid"] is False
    assert "no sign of it" in answer["selection"]["reason"]


async def test_a_quoted_problem_breaks_no_constraint(engine: Engine) -> None:
    answer = await analyzed(engine, PUMP, "root-cause-analysis")
    (held,) = answer["constraints"]
    assert (held["constraint"], held["kept"], held["by"]) == ("No new pump", None, "words")
    assert answer["violates"] is False


async def test_a_question_is_no_answer_and_a_wish_is_no_fact(engine: Engine) -> None:
    answer = await analyzed(engine, PUMP, "root-cause-analysis")
    steps = {each["step"]: each["output"] for each in answer["outputs"]}
    assert PUMP["problem"] in steps["Describe the failure"]
    assert PUMP["problem"] not in steps["Reconstruct the changes"]
    assert "Water at noon" not in steps["Describe the failure"]


async def test_what_was_told_in_one_step_gives_way_to_what_was_not(engine: Engine) -> None:
    asked = {
        "problem": "Is the mill worth it?",
        "context": {"background": "Ben says it pays. Anna says it costs. Carl says it rots."},
    }
    answer = await analyzed(engine, asked, "scientific-method")
    assert "“Carl says it rots.”" in str(answer["outputs"])
