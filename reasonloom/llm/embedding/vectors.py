"""What every embedder shares: texts made fit to embed, and vectors made of unit length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reasonloom.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence


def embeddable(text: str) -> str:
    """Return `text` with lone surrogates replaced, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unit(vector: Sequence[float]) -> list[float]:
    """Return the vector at length 1; one of length 0 becomes the first axis.

    A text without tokens, such as the empty one, has no direction of its own; the first axis
    is as good as any and keeps cosine defined.

    Raises:
        EmbedderUnavailable: a number in it is not finite.
    """
    length = math.sqrt(math.fsum(x * x for x in vector))
    if not math.isfinite(length):
        raise EmbedderUnavailable("the embedder gave a vector with numbers that are not finite")
    return [float(x) / length for x in vector] if length else axis(len(vector))


def axis(dimension: int) -> list[float]:
    """Return the vector of a text without tokens."""
    return [1.0, *[0.0] * (dimension - 1)]
