"""Reads a vector that a caller gives: it must be one that the embedder in use could have made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reasonloom.errors import EmbedderUnavailable, InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.llm.port import Embedder

ANY_TEXT = "a text"
"""What is embedded where an embedder does not know its dimension before it has been used."""


async def dimension_of(embedder: Embedder) -> int:
    """Return the numbers of one vector; an embedder that has to learn it embeds a text.

    Raises:
        EmbedderUnavailable: it cannot.
    """
    try:
        return embedder.dimension
    except EmbedderUnavailable:
        return len((await embedder.embed([ANY_TEXT]))[0])


async def unit_vector(embedder: Embedder, given: Sequence[float], *, field: str) -> list[float]:
    """Return the vector of length 1 in the direction of `given`.

    Raises:
        InvalidArgument: of another dimension than the embedder's, or nothing but zeros.
        EmbedderUnavailable: the embedder does not know its dimension, and cannot be used.
    """
    dimension = await dimension_of(embedder)
    if len(given) != dimension:
        raise InvalidArgument(
            f"{field}: has {len(given)} numbers; {embedder.model} makes vectors of {dimension}",
            field=field,
        )
    largest = max(map(abs, given))
    if not largest:
        raise InvalidArgument(
            f"{field}: is nothing but zeros, which points nowhere; give another vector",
            field=field,
        )
    scaled = [number / largest for number in given]
    length = math.hypot(*scaled)
    return [number / length for number in scaled]
