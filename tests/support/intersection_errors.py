"""Errors of an intersection or union against its own inputs.

These are local checks: they look up each number in the two sets that the step was given, which
plain code does exactly, as the published score does. On the whole pair of sets that amounts to
solving the task. A union's local check cannot see what earlier steps lost: it knows its two
lists, not what they should have been.

`errors` of the task, against the true intersection of the whole task, is an oracle: for reports,
never for a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.nodes.thought_graph.operations.tasks.intersection import errors

if TYPE_CHECKING:
    from collections.abc import Sequence


def intersection_errors(first: Sequence[int], second: Sequence[int], answer: Sequence[int]) -> int:
    """Return the errors of an answer as the intersection of the two sets."""
    present = set(second)
    return errors((each for each in first if each in present), answer)


def union_errors(first: Sequence[int], second: Sequence[int], answer: Sequence[int]) -> int:
    """Return the errors of an answer as the union of the two lists."""
    return errors((*first, *second), answer)
