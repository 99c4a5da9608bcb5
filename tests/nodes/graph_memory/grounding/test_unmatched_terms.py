"""Claims that differ from a memory by a letter, a sign, a small word or a figure alone."""

from __future__ import annotations

from importlib.resources import files

import pytest

from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.reading.values import values_in
from reasonloom.nodes.graph_memory.grounding.verdict import Verdict, weigh_evidence

ROWS = [
    line.split("\t")
    for line in (files("tests.nodes.graph_memory.grounding") / "unmatched_terms.tsv")
    .read_text("utf-8")
    .splitlines()
]
OTHER = [(memory, claim) for kind, memory, claim in ROWS if kind == "lost"]
SAME = [(memory, claim) for kind, memory, claim in ROWS if kind == "same"]
OPPOSITE = (
    ("The light is off.", "The light is on."),
    ("The server is down.", "The server is up."),
    ("The council voted against the road.", "The council voted for the road."),
    ("Lunch is after the talk.", "Lunch is before the talk."),
    ("Anna moved from Berlin to Madrid.", "Anna moved to Berlin."),
    ("The freezer runs at -5 degrees.", "The freezer runs at 5 degrees."),
    ("The check is x != 5.", "The check is x = 5."),
    ("The response takes < 5 ms.", "The response takes > 5 ms."),
)


def verdict_of(claim: str, *memories: str) -> Verdict:
    return weigh_evidence(claim, dict(enumerate(memories, 1)), {}, threshold=0.3)


@pytest.mark.parametrize(("memory", "claim"), OTHER)
def test_a_claim_that_says_something_else_is_not_verified(memory: str, claim: str) -> None:
    assert verdict_of(claim, memory).status != "verified"


@pytest.mark.parametrize(("memory", "claim"), SAME)
def test_a_claim_that_says_the_same_is_verified(memory: str, claim: str) -> None:
    assert verdict_of(claim, memory).status == "verified"


@pytest.mark.parametrize("memory", sorted({memory for memory, _ in OTHER}))
def test_a_memory_bears_out_itself(memory: str) -> None:
    assert verdict_of(memory, memory).status == "verified"


@pytest.mark.parametrize(("memory", "claim"), OPPOSITE)
def test_a_plain_opposite_is_contradicted(memory: str, claim: str) -> None:
    assert verdict_of(claim, memory).contradicted


def test_two_memories_do_not_make_a_ratio() -> None:
    told = verdict_of("The ratio is 3:2.", "The ratio is 3:1.", "Room 2 is free.")
    assert told.status != "verified"


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("host 192.168.100.200", "code", "192.168.100.200"),
        ("version 2.10", "code", "2.10"),
        ("build v1.2.3-rc1", "code", "1.2.3-rc1"),
        ("a crowd of 1.234.567", "number", 1234567.0),
        ("it costs 2.50 euros", "number", 2.5),
        ("at -5 °C", "number", -5.0),
        ("it takes 5-10 days", "range", (5.0, 10.0)),
        ("on 22.11.2024", "date", (2024, 11, 22)),
    ],
)
def test_how_a_figure_is_read(text: str, kind: str, amount: object) -> None:
    assert [(value.kind, value.amount) for value in values_in(text, "en")] == [(kind, amount)]


def test_small_words_of_spanish_do_not_make_english_spanish() -> None:
    assert read_text("Uwe drives a van.").language == "en"
    assert read_text("Los ni\u00f1os van a casa.").language == "es"
