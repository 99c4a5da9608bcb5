"""The bound of confidence below which a memory bears out a part only, and the bound of time."""

from __future__ import annotations

import inspect

import pytest

from reasonloom.nodes.graph_memory.grounding.agreement import Joined
from reasonloom.nodes.graph_memory.grounding.bounds import Known, bounded
from reasonloom.nodes.graph_memory.grounding.verdict import weigh


@pytest.mark.parametrize(("sure", "status"), [(0.29, "partial"), (0.3, "verified")])
def test_below_three_tenths_a_memory_bears_out_a_part(sure: float, status: str) -> None:
    verdict = weigh("The gate is open.", {1: "The gate is open."}, {}, threshold=0.3)
    told = bounded(Joined(verdict, 0.9, "words", []), Known({1: sure}, frozenset(), {}))
    assert (told.verdict.status, told.confidence) == (status, sure)


def test_comparing_takes_two_seconds_at_most_where_none_is_named() -> None:
    assert inspect.signature(weigh).parameters["seconds"].default == 2
