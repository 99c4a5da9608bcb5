"""Measures the cosine that a model gives to texts that have nothing to do with each other.

Models differ widely (some put unrelated English at 0.1, some at 0.7), so a likeness says
something only above its own model's floor.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

UNRELATED = (
    "The ferry to the island leaves at a quarter past six.",
    "Add two spoons of mustard before the onions turn brown.",
    "Postgres keeps dead rows until a vacuum removes them.",
    "My grandmother taught me to play chess during the war.",
    "Quarterly revenue fell by four percent in the northern region.",
    "A male emperor penguin guards the egg through the winter.",
    "He tore a ligament in the last minute of the match.",
    "The judge postponed the hearing until the witness returned.",
    "We repainted the kitchen cupboards in a pale green.",
    "Light from that galaxy took eleven billion years to arrive.",
    "Please rotate the signing key after the release is tagged.",
    "The violinist broke a string halfway through the sonata.",
    "Tomatoes need more potassium once they begin to fruit.",
    "She is allergic to penicillin and to most tree nuts.",
    "The treaty was signed in a railway carriage near the forest.",
    "Our landlord wants the rent by the third of every month.",
    "Volcanic ash grounded flights over the whole continent.",
    "I felt ashamed after shouting at my little brother.",
    "The train's pantograph collects current from the wire.",
    "Vote by post if you cannot reach the polling station.",
    "Beavers had dammed the stream behind the old sawmill.",
    "The interest on this loan is fixed for ten years.",
    "Rehearse the talk twice and drop the slide about pricing.",
    "A denser foam makes the mattress warmer in summer.",
)
"""Twenty-four sentences of twenty-four subjects: 276 pairs that share no meaning."""

SHARE = 0.95
"""The share of unrelated pairs that lie at or below the floor."""


def floor_of(vectors: Sequence[Sequence[float]]) -> float:
    """Return the cosine that `SHARE` of the pairs do not exceed; `vectors` have unit length."""
    cosines = sorted(
        sum(x * y for x, y in zip(a, b, strict=True)) for a, b in combinations(vectors, 2)
    )
    return cosines[int(SHARE * (len(cosines) - 1))]
