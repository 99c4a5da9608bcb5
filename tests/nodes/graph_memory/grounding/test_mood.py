"""What is asked, ordered, wished, thought, told or denied does not bear out that it is so."""

from __future__ import annotations

import time
from importlib.resources import files

import pytest

from reasonloom.nodes.graph_memory.grounding.pair import judge_texts
from reasonloom.nodes.graph_memory.grounding.verdict import weigh_evidence

CASES = [
    line.split("\t")
    for line in (files("tests.nodes.graph_memory.grounding") / "mood.tsv")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize(("borne_out", "memory", "claim"), CASES)
def test_a_mood_bears_out_only_its_own(borne_out: str, memory: str, claim: str) -> None:
    verdict = weigh_evidence(claim, {1: memory}, {}, threshold=0.3)
    assert (verdict.status == "verified") == (borne_out == "yes")
    assert weigh_evidence(memory, {1: memory}, {}, threshold=0.3).status == "verified"


@pytest.mark.parametrize(
    ("memory", "claim"),
    [
        ("It is false that the database is encrypted.", "The database is encrypted."),
        ("The server does n't start.", "The server starts."),
        ("Ken plays no instrument.", "Ken plays an instrument."),
        ("数据库未加密。", "数据库已加密。"),
        ("나는 고기를 안 먹는다.", "나는 고기를 먹는다."),
        ("Es ist nicht wahr, dass die Brücke gesperrt ist.", "Die Brücke ist gesperrt."),
    ],
)
def test_a_denial_contradicts(memory: str, claim: str) -> None:
    assert judge_texts(claim, memory).relation == "contradicts"


def test_a_question_denies_nothing() -> None:
    assert judge_texts("The gate is open.", "Is the gate not open?").relation == "covers"


@pytest.mark.parametrize(
    ("claim", "other", "status"),
    [
        ("Der Mietpreis beträgt 900 Euro.", "Der Mietpreis beträgt 950 Euro.", "partial"),
        (
            "Der Mietpreis beträgt 900 Euro.",
            "Der Mietpreis der Garage beträgt 95 Euro.",
            "verified",
        ),
        ("The tower is 40 metres high.", "The mast is 90 metres high.", "verified"),
        ("会議は九時に始まる。", "会議は十時に始まる。", "partial"),
    ],
)
def test_another_figure_for_the_same_matter_is_told(claim: str, other: str, status: str) -> None:
    verdict = weigh_evidence(claim, {1: claim, 2: other}, {}, threshold=0.3)
    assert (verdict.status, verdict.contradicted) == (status, False)
    told = [(each.id, each.relation) for each in verdict.witnesses]
    assert told == [(1, "supports"), *([(2, "contradicts")] if status == "partial" else [])]


def test_the_time_is_bounded_and_what_is_left_is_counted() -> None:
    text = "The dyke at Ribe is {} metres high, and the mill has {} sails. " * 30
    notes = {n: text.format(*range(n, n + 60)) for n in range(60)}
    started = time.monotonic()
    verdict = weigh_evidence(notes[7] + "!", notes, {}, threshold=0.3, seconds=0.2)
    assert 0 < verdict.unread < len(notes)
    assert time.monotonic() - started < 5


def test_of_two_that_say_it_the_surer_one_is_named() -> None:
    claim = "The gate is open."
    verdict = weigh_evidence(claim, {1: claim, 2: claim}, {}, threshold=0.3, sure={1: 0.1, 2: 0.9})
    assert [each.id for each in verdict.witnesses] == [2]
