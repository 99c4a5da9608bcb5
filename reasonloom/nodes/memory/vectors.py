"""Vectors for texts, or an honest word that there are none."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder

log = logging.getLogger(__name__)
NO_DENSE = "dense search is off, words alone were used: {reason}"


async def embed_or_say(
    embedder: Embedder, texts: Sequence[str]
) -> tuple[list[list[float]], list[str]]:
    """Return the vectors of `texts`, or none and the note that says why.

    A text that stands there twice is embedded once.
    """
    different = list(dict.fromkeys(texts))
    try:
        known = dict(zip(different, await embedder.embed(different), strict=True))
        return [known[text] for text in texts], []
    except EmbedderUnavailable as fault:
        log.warning("embedder: %s", type(fault).__name__)  # its words may quote what was asked
        return [], [NO_DENSE.format(reason=fault.message)]
