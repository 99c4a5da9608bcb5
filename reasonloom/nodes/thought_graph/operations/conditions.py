"""Whether a condition of a plan holds for the thoughts that reach an operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reasonloom.nodes.thought_graph.operations.parts import groups
from reasonloom.nodes.thought_graph.operations.state import Thought


def best_score(thoughts: Sequence[Thought]) -> float | None:
    """Return the best score among thoughts, None where none is scored."""
    return max((each["score"] for each in thoughts if each["score"] is not None), default=None)


def holds(
    condition: Mapping[str, Any], thoughts: Sequence[Thought], before: float | None = None
) -> bool:
    """Tell whether all of a condition holds; `before` is the best score one round before.

    What speaks of scores does not hold where nothing is scored.
    """
    best, parts = best_score(thoughts), len(groups(thoughts))
    score = math.nan if best is None else best
    gained = best is None or before is None or best > before
    tests: dict[str, Callable[[Any], bool]] = {
        "best_at_least": lambda limit: score >= limit,
        "best_below": lambda limit: score < limit,
        "parts_at_most": lambda limit: parts <= limit,
        "parts_more_than": lambda limit: parts > limit,
        "count_at_most": lambda limit: len(thoughts) <= limit,
        "count_more_than": lambda limit: len(thoughts) > limit,
        "no_gain": lambda wanted: wanted is not gained,
    }
    return all(tests[name](limit) for name, limit in condition.items())
