"""Embeds memories: derives five views of the content, embeds them, and links near neighbours.

The semantic view is the plain content. The other views add the circumstances (when, where, with
whom) or select the steps, the feelings or the conclusions, as far as the memory has them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Self

from reasonloom.contracts.memory.tools import SECTORS, Sector
from reasonloom.errors import EmbedderUnavailable
from reasonloom.stores.memory import memory_links
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.text.sentences import sentence_runs

if TYPE_CHECKING:
    from reasonloom.contracts.memory.export_format import PortableMemory
    from reasonloom.llm.interfaces import Embedder
    from reasonloom.nodes.execution import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.reindex import Unembedded
    from reasonloom.stores.memory.revisions import HeldMemory


log = logging.getLogger(__name__)
OTHER_VECTORS = (
    "memories with vectors of {models} only are found by words; run `reasonloom db reindex`"
)
NO_DENSE = "dense search is off, words alone were used: {reason}"


async def embed_or_note(
    embedder: Embedder, texts: Sequence[str]
) -> tuple[list[list[float]], list[str]]:
    """Return the vectors of `texts`, or none and a note on the reason; equal texts share one."""
    different = list(dict.fromkeys(texts))
    try:
        known = dict(zip(different, await embedder.embed(different), strict=True))
        return [known[text] for text in texts], []
    except EmbedderUnavailable as fault:
        log.warning("embedder: %s", type(fault).__name__)  # the message may quote the texts
        return [], [NO_DENSE.format(reason=fault.message)]


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
    """The fields from which a memory's views are derived."""

    content: str
    created_at: datetime
    context: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None

    @classmethod
    def of(cls, memory: HeldMemory | Unembedded | PortableMemory, created_at: datetime) -> Self:
        """Return the view source of a stored or imported memory."""
        tags = tuple(memory.tags or ())
        return cls(memory.content, created_at, memory.context, tags, memory.category)


LEAST_DIFFERENCE = 0.5
"""Least difference in length, relative to the content, at which a view gets its own vector."""


LONGEST_VIEWED = 20_000
"""Maximum content length, in characters, for deriving views; longer content is its only view."""


def sector_views(memory: ViewSource) -> dict[Sector, str]:
    """Return each sector's view; one that differs little in length is the plain content."""
    content = memory.content
    if len(content) > LONGEST_VIEWED:
        return dict.fromkeys(SECTORS, content)
    circumstances = ", ".join(filter(None, (memory.context, *memory.tags)))
    views: dict[Sector, str] = {
        "episodic": f"{circumstances}: {content}",
        "semantic": content,
        "procedural": _matching_sentences(content, STEP),
        "emotional": _matching_sentences(content, FEELING),
        "reflective": _matching_sentences(content, CONCLUSION),
    }
    return {sector: _view(content, views[sector]) for sector in SECTORS}


def _view(content: str, text: str) -> str:
    different = abs(len(text) - len(content)) >= LEAST_DIFFERENCE * len(content)
    return text if text and different else content


def _matching_sentences(content: str, wanted: re.Pattern[str]) -> str:
    """Return the sentences that match `wanted`, in order."""
    return " ".join(filter(wanted.search, sentence_runs(content)))


MOST_WAYPOINTS = 3
WAYPOINT_COSINE = 0.45
"""Minimum cosine similarity of linked memories."""

DUPLICATE_COSINE = 0.95
"""Minimum cosine similarity of near duplicates: both are stored and linked as such."""


async def embed_views(
    embedder: Embedder, texts: Mapping[Sector, str]
) -> tuple[dict[Sector, list[float]], list[str]]:
    """Return the vector of each view, or none and a note on the reason."""
    vectors, notes = await embed_or_note(embedder, list(texts.values()))
    return dict(zip(texts, vectors, strict=False)), notes


async def embed_many(
    embedder: Embedder, memories: Sequence[ViewSource]
) -> tuple[list[dict[str, list[float]]], list[str]]:
    """Embed the views of all memories in one batch; without an embedder, return a note on why."""
    views = [sector_views(each) for each in memories]
    texts = [text for view in views for text in view.values()]
    vectors, notes = await embed_or_note(embedder, texts) if texts else ([], [])
    left = iter(vectors)
    return [
        {str(sector): next(left) for sector in view} if vectors else {} for view in views
    ], notes


async def nearest_memories(
    tx: Transaction,
    execution: Execution,
    vector: list[float] | None,
    *,
    exclude: int = 0,
    least: float = WAYPOINT_COSINE,
) -> dict[int, float]:
    """Return the cosines of up to three nearest memories, each at least `least`, by id.

    `exclude` is the id of the memory itself, if it is already stored.
    """
    if vector is None:
        return {}
    near = Nearness(vector, execution.loom.embedder.model, ["semantic"])
    found = await retrieval.find_nearest(tx, near, scope=Scope(), pool=MOST_WAYPOINTS + 1)
    similar = ((key, cosine) for key, cosine in found.items() if key != exclude and cosine >= least)
    return dict(islice(similar, MOST_WAYPOINTS))


async def link_waypoints(
    tx: Transaction, execution: Execution, memory_id: int, near: Mapping[int, float]
) -> int:
    """Link a memory to its sufficiently similar neighbours; return the number of new links."""
    near = {key: cosine for key, cosine in near.items() if cosine >= WAYPOINT_COSINE}
    origins = dict.fromkeys(near, memory_links.WAYPOINT)
    origins.update(dict.fromkeys(near_duplicates(near), memory_links.NEAR_DUPLICATE))
    return await memory_links.link_waypoints(
        tx, memory_id, near, origins=origins, run_id=execution.run.id
    )


def near_duplicates(near: Mapping[int, float]) -> list[int]:
    """Return the ids of the neighbours that are near duplicates."""
    return [key for key, cosine in near.items() if cosine >= DUPLICATE_COSINE]
