"""Choosing a framework: by features, with the llm's vote, or as the caller prefers."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.selection import (
    alternatives_of,
    computed_shares,
    cue_shares,
    select_frameworks,
    signs_of,
)
from reasonloom.nodes.thinking.analyze.state import Plan
from reasonloom.stores.access import Access
from tests import ROOT
from tests.support.calls import call
from tests.support.llms.analysis import analysing, vote
from tests.support.llms.answering import words_of
from tests.support.reasoning.sessions import thinking

CASES = ROOT / "training" / "cases" / "frameworks-1.jsonl"
LEAST_RIGHT = 0.6
"""The share of the cases, on which they were set, that features must get right; chance is 0.125."""

ASKED = {
    "scientific-method": "Does cold tea really make the tomatoes grow better? I want to test it.",
    "design-thinking": "How should we redesign the onboarding for new nurses who hate it?",
    "systems-thinking": "Rents rise, so the baristas leave, so cafes close, and the rents rise.",
    "critical-thinking": "Is the claim of this study sound? I doubt the argument.",
    "creative-problem-solving": "Brainstorm twenty wild ideas for an empty swimming pool.",
    "root-cause-analysis": "Why is the system experiencing intermittent failures?",
    "first-principles": "What does a lamp really need? Start from scratch, not from custom.",
    "scenario-planning": "The tax may rise or fall by 2035. Prepare us for either future.",
}
GERMAN = {
    "root-cause-analysis": "Warum stürzt der Server immer wieder ab? Was ist die Ursache?",
    "creative-problem-solving": "Ich brauche verrückte Ideen und ungewöhnliche Einfälle.",
    "scenario-planning": "Wie bereiten wir uns auf mehrere Szenarien der Zukunft vor?",
}


@pytest.mark.parametrize(("framework", "problem"), [*ASKED.items(), *GERMAN.items()])
def test_each_framework_is_what_some_problem_calls_for(framework: str, problem: str) -> None:
    shares = cue_shares(problem)
    assert max(shares, key=lambda name: shares[name]) == framework
    assert shares[framework] > 0.3
    assert signs_of(problem)[framework], "and it can say why"


@pytest.mark.parametrize("problem", ["", "x", *ASKED.values(), "word " * 50_000])
def test_shares_are_of_all_eight_and_sum_to_one(problem: str) -> None:
    shares = cue_shares(problem)
    assert tuple(shares) == tuple(FRAMEWORKS)
    assert sum(shares.values()) == pytest.approx(1)
    assert all(0 < each < 1 for each in shares.values())


@pytest.mark.parametrize("problem", ["Zażółć gęślą jaźń", "配管が凍った", "Lisbon", "17*23"])
def test_what_shows_no_sign_is_not_chosen_with_confidence(problem: str) -> None:
    assert max(cue_shares(problem).values()) < 0.2


def test_a_cue_inside_another_word_is_none() -> None:
    assert signs_of("A mad and fresh one.")["creative-problem-solving"]
    assert not signs_of("A nomad or a refresh.")["creative-problem-solving"]


def test_the_features_are_right_far_more_often_than_chance_and_surer_where_they_are() -> None:
    cases = [json.loads(line) for line in CASES.read_text().splitlines()]
    right, sure, sure_and_right = Counter[str](), 0, 0
    for each in cases:
        shares = cue_shares(each["problem"])
        best = max(shares, key=lambda name: shares[name])
        hit = best == each["label"]
        right[each["label"]] += hit
        if shares[best] >= 0.8:
            sure, sure_and_right = sure + 1, sure_and_right + hit
    assert right.total() / len(cases) >= LEAST_RIGHT
    assert {*right} == {*FRAMEWORKS}
    assert sure_and_right / sure >= 0.8


@pytest.mark.parametrize(("shares", "expected"), [
    ((0.45, 0.4, 0.15), ["a", "b"]), ((0.5, 0.39, 0.11), ["a"]),
    ((0.4, 0.45, 0.15), ["b", "a"]), ((0.2, 0.2, 0.2), ["a"]),
])  # fmt: skip
def test_two_are_taken_where_they_are_close_and_both_count(
    shares: tuple[float, ...], expected: list[str]
) -> None:
    assert select_frameworks(dict(zip("abc", shares, strict=True))) == expected


async def analyzed(engine: Engine, problem: str, **more: Any) -> dict[str, Any]:
    return (await call(engine, "analyze", {"problem": problem, **more})).answer


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_each_framework_is_taken_where_it_is_preferred(
    engine: Engine, framework: str
) -> None:
    answer = await analyzed(engine, ASKED["critical-thinking"], preferredFramework=framework)
    assert answer["framework"]["id"] == framework
    assert (answer["selection"]["by"], answer["selection"]["isHybrid"]) == ("caller", False)
    assert "preferredFramework" in answer["selection"]["reason"]
    assert all(each["framework"] == framework for each in answer["outputs"])
    plan = Plan(
        frameworks=[framework], by="caller", votes=[{"by": "features"}],
        shares=await computed_shares(ASKED["critical-thinking"]),
    )  # fmt: skip
    first = alternatives_of(ASKED["critical-thinking"], plan)[0]
    if framework != "critical-thinking":
        assert first["framework"]["id"] == "critical-thinking", "what was computed is told beside"
        assert "fits best by the problem's features" in first["reason"]


@pytest.mark.parametrize(("framework", "problem"), ASKED.items())
async def test_each_framework_is_taken_where_the_problem_calls_for_it(
    engine: Engine, framework: str, problem: str
) -> None:
    answer = await analyzed(engine, problem)
    assert answer["framework"]["id"] == framework
    assert answer["framework"]["name"] == FRAMEWORKS[framework].name
    assert answer["selection"]["by"] == "features"
    assert "“" in answer["selection"]["reason"], "it quotes what speaks for it"
    plan = Plan(
        frameworks=[framework], by="features", votes=[], shares=await computed_shares(problem)
    )
    assert 1 <= len(alternatives_of(problem, plan)) <= 3


async def test_the_vote_is_blind_and_decides(access: Access, embedder: Embedder) -> None:
    llm = analysing(framework=vote("first-principles", 0.9))
    async with thinking(access, embedder, llm) as mind:
        answer = await analyzed(mind, "Lisbon")
    (asked,) = llm.asked["framework"]
    assert asked.messages[-1].content == "<problem>\nLisbon\n</problem>"
    assert not re.search(r"share|0\.\d*[1-9]", str(asked.messages[0].content))
    assert {*asked.material} == {"problem", "background", "goals", "frameworks"}
    assert answer["framework"]["id"] == "first-principles"
    assert answer["selection"]["by"] == "features_and_llm"
    assert answer["selection"]["confidence"] == pytest.approx(0.9)
    assert answer["selection"]["reason"] == "First Principles: It asks for that."
    assert [each["by"] for each in answer["votes"]] == ["features", "llm"]


async def test_a_preferred_framework_is_not_voted_on(access: Access, embedder: Embedder) -> None:
    llm = analysing()
    async with thinking(access, embedder, llm) as mind:
        answer = await analyzed(mind, "Why?", preferredFramework="scenario-planning")
    assert llm.counts["framework"] == 0
    assert answer["framework"]["id"] == "scenario-planning"


@pytest.mark.parametrize("said", [LlmUnavailable("the line is dead"), "Well."])
async def test_without_a_usable_vote_the_features_choose_and_the_answer_says_so(
    access: Access, embedder: Embedder, said: Any
) -> None:
    async with thinking(access, embedder, analysing(framework=said)) as mind:
        outcome = await call(mind, "analyze", {"problem": ASKED["root-cause-analysis"]})
    answer = outcome.answer
    assert (answer["selection"]["by"], answer["status"]) == ("features", "partial")
    assert answer["framework"]["id"] == "root-cause-analysis"
    assert any("the vote on the framework" in note for note in outcome.notes)


async def test_two_close_frameworks_are_both_worked_through(
    access: Access, embedder: Embedder
) -> None:
    problem = ASKED["root-cause-analysis"]
    shares = await computed_shares(problem)
    first = shares["root-cause-analysis"] / (1 - shares["systems-thinking"])
    even = first / (1 + first)  # the vote for the one leaves as much to the other
    llm = analysing(framework=vote("systems-thinking", round(even, 2)))
    async with thinking(access, embedder, llm) as mind:
        answer = await analyzed(mind, problem)
    assert answer["selection"]["isHybrid"] is True
    both = {answer["framework"]["id"], answer["secondFramework"]["id"]}
    assert both == {"root-cause-analysis", "systems-thinking"}
    assert "both are worked through" in answer["selection"]["reason"]
    assert {each["framework"] for each in answer["outputs"]} == both
    assert not both & {each["framework"]["id"] for each in answer["alternatives"]}
    assert len(answer["result"]["steps"]) == llm.counts["output"] == 10
    for ask in llm.asked["output"]:
        heard: Any = ask.material["before"]
        framework: Any = ask.material["framework"]
        own = {step.name for each in FRAMEWORKS.values() if each.name == framework["name"]
               for step in each.steps}  # fmt: skip
        assert {each["step"] for each in heard} <= own, "neither is told of the other"
    (conclusion,) = llm.asked["rests_on"]
    assert "worked through independently" in words_of(conclusion)
    assert len(conclusion.material["frameworks"]) == 2  # type: ignore[arg-type]
