"""The verdict of several memories on a claim, over small worlds in five languages."""

from __future__ import annotations

import inspect
import json
from importlib.resources import files
from typing import Any

import pytest

from reasonloom.nodes.graph_memory.grounding.agreement import (
    EvidenceFacts,
    JointVerdict,
    bound_verdict,
)
from reasonloom.nodes.graph_memory.grounding.pair import uncovered_phrases
from reasonloom.nodes.graph_memory.grounding.verdict import CorrectedMemory, Verdict, weigh_evidence

WORLDS: list[dict[str, Any]] = json.loads(
    (files("tests.nodes.graph_memory.grounding") / "worlds.json").read_text("utf-8")
)
CASES = [(world, label, claim) for world in WORLDS for label, claim in world["claims"]]


def judged(world: dict[str, Any], claim: str) -> Verdict:
    current = dict(enumerate(world["memories"], 1))
    old = {
        int(key): CorrectedMemory(text, holds) for key, (text, holds) in world["corrected"].items()
    }
    return weigh_evidence(claim, current, old, threshold=0.3, seconds=600)


@pytest.mark.parametrize(("world", "label", "claim"), CASES, ids=[each[2] for each in CASES])
def test_the_label_of_a_claim(world: dict[str, Any], label: str, claim: str) -> None:
    verdict = judged(world, claim)
    told = "contradicted" if verdict.contradicted else verdict.status
    assert told == label
    assert verdict.witnesses or verdict.uncovered, "ungrounded without a reason"
    related = {(each.relation, bool(each.why)) for each in verdict.witnesses}
    assert related <= {("related", True)} if label == "ungrounded" else verdict.witnesses
    assert 0 <= verdict.coverage <= 1


def test_no_memory_means_ungrounded() -> None:
    verdict = weigh_evidence("The gate is open.", {}, {}, threshold=0.0)
    assert (verdict.status, verdict.witnesses, verdict.coverage) == ("ungrounded", (), 0.0)


def test_uncovered_words_are_put_back_into_parts() -> None:
    claim = "Amara owns purple elephants and is a backend developer."
    assert uncovered_phrases(claim, ["owns", "purple", "elephants"]) == ["owns purple elephants"]
    assert uncovered_phrases("İstanbul'da kar var", ["kar"]) == ["kar"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna calls Bert every day.", "Bert calls Anna every day."),
        ("Zoë paid Олег.", "Олег paid Zoë."),
    ],
)
def test_what_holds_the_other_way_round_as_well_opposes_nothing(one: str, other: str) -> None:
    for claim in (one, other):
        verdict = weigh_evidence(claim, {1: one, 2: other}, {}, threshold=0.3)
        assert (verdict.status, verdict.contradicted) == ("verified", False)
        assert len(verdict.witnesses) == 1


@pytest.mark.parametrize(("sure", "status"), [(0.29, "partial"), (0.3, "verified")])
def test_below_three_tenths_a_memory_bears_out_a_part(sure: float, status: str) -> None:
    verdict = weigh_evidence("The gate is open.", {1: "The gate is open."}, {}, threshold=0.3)
    told = bound_verdict(
        JointVerdict(verdict, 0.9, "words", []), EvidenceFacts({1: sure}, frozenset(), {})
    )
    assert (told.verdict.status, told.confidence) == (status, sure)


def test_comparing_takes_two_seconds_at_most_where_none_is_named() -> None:
    assert inspect.signature(weigh_evidence).parameters["seconds"].default == 2
