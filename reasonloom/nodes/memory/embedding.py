"""Five views of one memory: what each sector would ask about, in words of its own.

The plain content answers what; the others add when, where and with whom, the steps, what
is felt, and what follows, as far as the memory itself tells.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reasonloom.contracts.memory.tools import SECTORS, Sector
from reasonloom.errors import EmbedderUnavailable
from reasonloom.stores.memory import memory_links
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction


log = logging.getLogger(__name__)
NO_DENSE = "dense search is off, words alone were used: {reason}"


async def embed_or_note(
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


SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
STEP = re.compile(
    r"^\s*(?:\d+[.)]|[-*•])|\b(?:first|then|next|after|before|finally|step|use|run|open|click|"
    r"install|set|press|how to)\b",
    re.IGNORECASE,
)
FEELING = re.compile(
    r"\b(?:feel\w*|felt|love\w*|hate\w*|happy|sad|angry|afraid|fear\w*|worr\w+|excit\w+|proud|"
    r"asham\w+|guilt\w*|grateful|thank\w*|enjoy\w*|like[sd]?|dislike\w*|prefer\w*|miss\w*|"
    r"hope\w*|upset|stress\w*|anxious|glad)\b|[!😀-🙏❤]",
    re.IGNORECASE,
)
CONCLUSION = re.compile(
    r"\b(?:because|therefore|so that|thus|hence|means|learned|realised|realized|conclud\w+|"
    r"decid\w+|should|must|lesson|insight|why|pattern|usually|always|never)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ViewSource:
    """What the views are made of."""

    content: str
    created_at: datetime
    session: str | None = None
    context: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None


def sector_views(memory: ViewSource) -> dict[Sector, str]:
    """Return the text of each sector's view; one that adds nothing is the plain content."""
    content = memory.content
    when = memory.created_at.strftime("%A %d %B %Y")
    circumstances = ", ".join(filter(None, (when, memory.context, *memory.tags)))
    reflective = _matching_sentences(content, CONCLUSION)
    added: dict[Sector, str] = {
        "episodic": f"{circumstances}: {content}",
        "semantic": content,
        "procedural": _matching_sentences(content, STEP) or content,
        "emotional": _matching_sentences(content, FEELING) or content,
        "reflective": f"{memory.category}: {reflective}"
        if memory.category and reflective
        else reflective or content,
    }
    return {sector: added[sector] for sector in SECTORS}


def _matching_sentences(content: str, wanted: re.Pattern[str]) -> str:
    """Return the sentences in which `wanted` occurs, in their order."""
    return " ".join(filter(wanted.search, _split_sentences(content)))


def _split_sentences(content: str) -> Iterator[str]:
    return (match.group().strip() for match in SENTENCE.finditer(content) if match.group().strip())


MOST_WAYPOINTS = 3
WAYPOINT_COSINE = 0.45
"""Memories less alike than this are not linked."""

DUPLICATE_COSINE = 0.95
"""Memories at least this much alike say nearly the same: both are kept, and linked as such."""


async def embed_views(
    embedder: Embedder, texts: Mapping[Sector, str]
) -> tuple[dict[Sector, list[float]], list[str]]:
    """Return the vector of each view, or none and the note that says why."""
    vectors, notes = await embed_or_note(embedder, list(texts.values()))
    return dict(zip(texts, vectors, strict=False)), notes


async def nearest_memories(
    tx: Transaction, execution: Execution, vector: list[float] | None, *, besides: int = 0
) -> dict[int, float]:
    """Return the most alike memories that are alike enough, with their cosines.

    `besides` is the memory itself, where it is stored already.
    """
    if vector is None:
        return {}
    near = Nearness(vector, execution.loom.embedder.model, ["semantic"])
    found = await retrieval.find_nearest(tx, near, scope=Scope(), pool=MOST_WAYPOINTS + 1)
    alike = {
        key: cosine for key, cosine in found.items() if key != besides and cosine >= WAYPOINT_COSINE
    }
    return dict(list(alike.items())[:MOST_WAYPOINTS])


async def link_waypoints(
    tx: Transaction, execution: Execution, memory_id: int, near: Mapping[int, float]
) -> int:
    """Link a memory to its nearest; return how many links were made."""
    origins = dict.fromkeys(near, memory_links.WAYPOINT)
    origins.update(dict.fromkeys(near_duplicates(near), memory_links.NEAR_DUPLICATE))
    return await memory_links.link_waypoints(
        tx, memory_id, near, origins=origins, run_id=execution.run.id
    )


def near_duplicates(near: Mapping[int, float]) -> list[int]:
    """Return those of the nearest that say nearly the same."""
    return [key for key, cosine in near.items() if cosine >= DUPLICATE_COSINE]
