"""A claim beside one memory, by their words: pairs of many matters in five languages."""

from __future__ import annotations

from importlib.resources import files

import pytest

from reasonloom.nodes.graph_memory.grounding.pair import judge

PAIRS = [
    line.split("\t")
    for line in (files("tests.nodes.graph_memory.grounding") / "pairs.tsv")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize(("relation", "memory", "claim"), PAIRS)
def test_the_relation_of_a_claim_to_a_memory(relation: str, memory: str, claim: str) -> None:
    pair = judge(claim, memory)
    assert pair.relation == relation, pair.why
    assert (pair.why is not None) == (relation == "contradicts")
    assert 0 <= pair.coverage <= 1


@pytest.mark.parametrize(("memory"), sorted({memory for _, memory, _ in PAIRS}))
def test_a_text_says_itself(memory: str) -> None:
    pair = judge(memory, memory)
    assert (pair.relation, pair.coverage, pair.uncovered) == ("same", 1.0, ())
