"""Finds the current nodes nearest to a text, with scores of one fixed scale, 0..1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.graph_memory.alikeness import alikeness
from reasonloom.nodes.graph_memory.rendering import DIGITS, bounded
from reasonloom.nodes.graph_memory.spelling import respelt
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow

LEAST_POOL = 20
TOLD = (
    "retold, or an agent's own words, and no evidence by themselves: {nodes}; what they repeat may "
    "have been corrected since"
)


@dataclass(frozen=True, slots=True)
class Near:
    """Nodes with their scores, best first, and what must be said."""

    rows: list[tuple[NodeRow, float]]
    notes: list[str] = field(default_factory=list)


async def near(execution: Execution, query: str, *, most: int, spelling: bool = False) -> Near:
    """Return up to `most` current nodes that share words or meaning with `query`.

    With `spelling`, words that nobody stored are read as the stored ones nearest in their
    letters too; such a hit counts as much less as they differ.
    """
    embedder = execution.loom.embedder
    vectors, notes = await embed_or_say(embedder, [query])
    place = Nearness(vectors[0], embedder.model, SECTORS) if vectors else None
    floor = embedder.floor if vectors else None
    pool = max(most, LEAST_POOL)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        scores = await _scores(tx, query, place, floor, pool)
        if spelling and (told := await respelt(tx, query)):
            for key, score in (await _scores(tx, told.text, None, floor, pool)).items():
                scores[key] = max(scores.get(key, 0.0), score * told.likeness)
            notes = [*notes, told.note]
        best = sorted(scores, key=lambda key: (-scores[key], -key))[:most]
        rows, cut = bounded(await memory_nodes.fetch(tx, best))
        retold = sorted(await memory_nodes.hearsay(tx, best))
    said = [TOLD.format(nodes=", ".join(map(str, retold)))] if retold else []
    return Near([(row, round(scores[row.id], DIGITS)) for row in rows], [*notes, *cut, *said])


async def _scores(
    tx: Transaction, text: str, place: Nearness | None, floor: float | None, pool: int
) -> dict[int, float]:
    asked = await retrieval.weigh(tx, text, place)
    found = await similarity.similar(tx, asked, place, scope=Scope(), pool=pool)
    scores = {each.id: alikeness(each.cosine, each.coverage, floor) for each in found}
    return {key: score for key, score in scores.items() if round(score, DIGITS) > 0}
