"""Shared by all embedders: text cleaning, unit vectors, and the similarity floor."""

import math
from collections.abc import Sequence
from itertools import combinations

from reasonloom.errors import EmbedderUnavailable


def embeddable(text: str) -> str:
    """Return `text` with lone surrogates replaced, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unit(vector: Sequence[float]) -> list[float]:
    """Normalize the vector to length 1; a zero vector becomes the first axis.

    A text without tokens, such as the empty one, has no direction; the first axis is as good as
    any and keeps the cosine defined.

    Raises:
        EmbedderUnavailable: a component is not finite.
    """
    length = math.sqrt(math.fsum(x * x for x in vector))
    if not math.isfinite(length):
        raise EmbedderUnavailable("the embedder gave a vector with numbers that are not finite")
    return [float(x) / length for x in vector] if length else axis(len(vector))


def axis(dimension: int) -> list[float]:
    """Return the first axis, the vector of a text without tokens."""
    return [1.0, *[0.0] * (dimension - 1)]


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
"""Twenty-four sentences on twenty-four subjects: 276 pairs of unrelated meaning."""

SHARE = 0.95
"""Share of unrelated pairs whose cosine is at or below the floor."""


def floor_of(vectors: Sequence[Sequence[float]]) -> float:
    """Return the cosine that `SHARE` of the pairs of unit vectors do not exceed.

    Models differ widely (some put unrelated English at 0.1, some at 0.7), so a cosine means
    something only above the floor of its own model.
    """
    cosines = sorted(
        sum(x * y for x, y in zip(a, b, strict=True)) for a, b in combinations(vectors, 2)
    )
    return cosines[int(SHARE * (len(cosines) - 1))]
