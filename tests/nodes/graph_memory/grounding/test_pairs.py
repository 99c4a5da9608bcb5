"""Claims that restate one memory, and claims that only look like it, in five languages."""

from __future__ import annotations

from importlib.resources import files

import pytest

from reasonloom.nodes.graph_memory.grounding.pair import judge_texts
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.reading.japanese import particle_of
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import key_of
from reasonloom.nodes.graph_memory.grounding.reading.values import values_in
from reasonloom.nodes.graph_memory.grounding.role_swaps import roles_swapped
from reasonloom.nodes.graph_memory.grounding.verdict import weigh_evidence

PAIRS = [
    line.split("\t")
    for line in (files("tests.nodes.graph_memory.grounding") / "pairs.tsv")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize(("relation", "memory", "claim"), PAIRS)
def test_the_relation_of_a_claim_to_a_memory(relation: str, memory: str, claim: str) -> None:
    pair = judge_texts(claim, memory)
    assert pair.relation == relation, pair.why
    assert (pair.why is not None) == (relation == "contradicts")
    assert 0 <= pair.coverage <= 1


@pytest.mark.parametrize(("memory"), sorted({memory for _, memory, _ in PAIRS}))
def test_a_text_says_itself(memory: str) -> None:
    pair = judge_texts(memory, memory)
    assert (pair.relation, pair.coverage, pair.uncovered) == ("same", 1.0, ())


ROWS = [
    line.split("\t")
    for line in (files("tests.nodes.graph_memory.grounding") / "restated.tsv")
    .read_text("utf-8")
    .splitlines()
]


def kind(name: str) -> list[tuple[str, str]]:
    return [(memory, claim) for each, memory, claim in ROWS if each == name]


def status(claim: str, memory: str) -> str:
    return weigh_evidence(claim, {1: memory}, {}, threshold=0.3).status


@pytest.mark.parametrize(("memory", "claim"), kind("true"))
def test_a_true_restatement_is_verified(memory: str, claim: str) -> None:
    assert status(claim, memory) == "verified"


@pytest.mark.parametrize(("memory", "claim"), kind("other"))
def test_no_negated_or_swapped_claim_is_verified(memory: str, claim: str) -> None:
    assert status(claim, memory) != "verified"


@pytest.mark.parametrize(("memory", "claim"), kind("partly"))
def test_a_claim_that_adds_something_is_partial(memory: str, claim: str) -> None:
    assert status(claim, memory) == "partial"


@pytest.mark.parametrize("memory", sorted({memory for _, memory, _ in ROWS}))
def test_a_memory_bears_out_itself(memory: str) -> None:
    assert status(memory, memory) == "verified"


@pytest.mark.parametrize(
    ("text", "language", "kind", "amount"),
    [
        ("dix-huit heures trente", "fr", "time", 1110),
        ("soixante-dix-huit", "fr", "number", 78.0),
        ("doscientas diez", "es", "number", 210.0),
        ("14.30 Uhr", "de", "time", 870),
        ("im 3. Stock", "de", "ordinal", 3),
        ("minus five", "en", "number", -5.0),
        ("in 03/2023.", "en", "date", (2023, 3, None)),
        ("300万円", "ja", "number", 3_000_000.0),
        ("第二工場", "ja", "ordinal", 2),
    ],
)
def test_how_a_figure_is_written(text: str, language: str, kind: str, amount: object) -> None:
    assert [(value.kind, value.amount) for value in values_in(text, language)] == [(kind, amount)]


@pytest.mark.parametrize(
    ("language", "one", "other", "same"),
    [
        ("en", "grown", "grow", True),
        ("en", "engineers", "engineer", True),
        ("en", "engineer", "engine", False),
        ("en", "policy", "police", False),
        ("de", "geleitet", "leitet", True),
        ("de", "aufgeschrieben", "aufschreiben", True),
        ("fr", "vendues", "vendent", True),
        ("es", "abierta", "abren", True),
    ],
)
def test_forms_of_one_word_have_one_key(language: str, one: str, other: str, same: bool) -> None:
    assert (key_of(one, language) == key_of(other, language)) is same


@pytest.mark.parametrize(
    ("kana", "particle"),
    [
        ("さんに", "に"),
        ("から", "から"),
        ("がる", ""),
        ("によって", "によって"),
        ("いた", ""),
        ("も", "は"),
    ],
)
def test_a_particle_is_told_from_an_ending(kana: str, particle: str) -> None:
    assert particle_of(kana) == particle


def test_blocks_that_change_places_are_seen() -> None:
    claim, memory = (
        read_text("The blue team beat the red team."),
        read_text("The red team beat the blue team."),
    )
    assert roles_swapped(claim.clauses[0], memory.clauses[0], claim, memory)
    assert not roles_swapped(memory.clauses[0], memory.clauses[0], memory, memory)
