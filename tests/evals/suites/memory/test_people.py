"""The gate on recall: our own set, whole, with what it would be without each signal."""

from __future__ import annotations

from pathlib import Path

import pytest

from reasonloom.evals.suites.memory.datasets import RETRIEVAL_SUITES, Source, load_own
from reasonloom.evals.suites.memory.retrieval import packaged
from reasonloom.evals.suites.packaged import run_packaged

MEASURED = {"recall@10": 0.930, "ndcg@10": 0.805, "mrr": 0.784}
SLACK = 0.015
"""What may be lost: three or four of 228 questions."""

CARRYING = {"cosine": "recall@10", "date": "mrr"}
"""Signals without which a figure falls: dates order what recency by validity finds already."""


def test_the_set_is_what_was_labelled() -> None:
    ((people,), _) = load_own("people", Source())
    keys = {memory.id for memory in people.memories}
    assert len(keys) == 376
    assert len(people.questions) == 243
    assert all(question.evidence <= keys for question in people.questions)
    ((dev,), first), ((held,), second) = (
        load_own("people", Source(half="dev")),
        load_own("people", Source(half="held")),
    )
    halves = [{question.id for question in half.questions} for half in (dev, held)]
    assert halves[0].isdisjoint(halves[1])
    assert first != second


@pytest.mark.parametrize(
    ("name", "memories", "questions"), [("updates", 322, 180), ("team", 303, 220)]
)
def test_the_sets_with_changes_are_what_was_written(
    name: str, memories: int, questions: int
) -> None:
    ((one,), _) = load_own(name, Source())
    keys = {memory.id for memory in one.memories}
    assert (len(keys), len(one.questions)) == (memories, questions)
    assert all(question.evidence <= keys for question in one.questions)


@pytest.mark.timeout(600)
async def test_recall_has_not_fallen_and_no_signal_harms(tmp_path: Path) -> None:
    own = packaged(RETRIEVAL_SUITES["people"], Source(), ablate=True)
    result = await run_packaged(own, tmp_path / "run.jsonl")
    whole, without = result["overall"], result["without"]
    assert whole["n"] == 228
    for name, value in MEASURED.items():
        assert whole[name] > value - SLACK, name
    for signal, name in CARRYING.items():
        assert without[signal][name] < whole[name] - 0.01, signal
    for signal, means in without.items():
        assert means["recall@10"] < whole["recall@10"] + SLACK, signal
