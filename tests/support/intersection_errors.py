"""Checks an intersection: beside its own inputs, or beside the truth.

`intersection_errors` and `union_errors` are local checks: they look up each number in the two
sets that the step was given, which plain code does exactly, as the published score does. On the
whole pair of sets that amounts to solving the task, so for the last answer of a run this is no help
that a user would have without code for it. What was lost in an earlier step a union's local check
cannot see: it knows the two lists it was given, not what they should have been.

`errors` of the task, beside the true intersection of the whole task, is an oracle, and belongs into
reports, never into a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.nodes.thought_graph.operations.tasks.intersection import errors

if TYPE_CHECKING:
    from collections.abc import Sequence


def intersection_errors(first: Sequence[int], second: Sequence[int], answer: Sequence[int]) -> int:
    """Return the errors of an answer as the intersection of the two sets. A local check."""
    present = set(second)
    return errors((each for each in first if each in present), answer)


def union_errors(first: Sequence[int], second: Sequence[int], answer: Sequence[int]) -> int:
    """Return the errors of an answer as the two lists in one. A local check."""
    return errors((*first, *second), answer)
