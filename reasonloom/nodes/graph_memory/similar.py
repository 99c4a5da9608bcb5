"""Answers `memory_similar`: nodes alike in words and meaning, or near to a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import MemorySimilar
from reasonloom.contracts.graph_memory.shared import NodesScored
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.graph_memory.alikeness import alikeness
from reasonloom.nodes.graph_memory.given_vector import unit_vector
from reasonloom.nodes.graph_memory.rendering import DIGITS, bounded, scored
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow

LEAST_POOL = 20
"""Candidates that words and meaning give each, where fewer are asked for."""

PLAIN = ("semantic",)
"""The view that is the content alone; to it a vector of the caller's own is compared."""

BELOW = "nothing reaches min_similarity {least:g}; the best has {best:g}"
FREQUENT = "memories that share only frequent words with it were left out"
NOTHING = "nothing stored shares a word or a meaning with it"
OF_OTHERS = (
    "some memories have vectors of {models} alone and are found by words only; "
    "`reasonloom db reindex` embeds them anew"
)


@dataclass(frozen=True, slots=True)
class Alike:
    """Nodes with how alike they are, 0..1, in no order; what must be said."""

    similar: Mapping[int, float]
    notes: list[str]


async def memory_similar(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the nodes that are most alike, none below the request's `min_similarity`."""
    execution = runtime.context
    request = MemorySimilar.model_validate(state["request"])
    if request.query_vec is None:
        found = await _to_text(execution, request.query_text or "", request)
    else:
        found = await _to_vector(execution, request.query_vec, request)
    ordered = sorted(found.similar.items(), key=lambda each: (-each[1], -each[0]))
    wanted = {
        key: score
        for key, score in ordered[: request.top_k]
        if round(score, DIGITS) >= request.min_similarity
    }
    rows, cut = bounded(await _rows(execution, list(wanted)))
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, [row.id for row in rows])
    answer = NodesScored(results=[scored(row, wanted[row.id]) for row in rows], count=len(rows))
    nothing = [] if rows else _of_nothing(found, request.min_similarity)
    notes = [*found.notes, *cut, *nothing, *warned(execution, answer.results)]
    return {"answer": answer.wire(), "notes": notes}


async def _to_text(execution: Execution, text: str, request: MemorySimilar) -> Alike:
    """Compare a text by the words it shares, rare ones counting more, and by its vector."""
    embedder, scope = execution.loom.embedder, _scope(request)
    vectors, notes = await embed_or_say(embedder, [text])
    near = Nearness(vectors[0], embedder.model, SECTORS) if vectors else None
    floor = embedder.floor if vectors else None
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        asked = await retrieval.weigh(tx, text, near)
        pool = max(request.top_k, LEAST_POOL)
        found = await similarity.similar(tx, asked, near, scope=scope, pool=pool)
        few = sum(each.near for each in found) < min(pool, asked.visible)
        others = await reindex.foreign_models(tx, embedder.model) if near and few else []
    alike = {each.id: alikeness(each.cosine, each.coverage, floor) for each in found}
    said = [*notes, *_of_others(others), *([FREQUENT] if asked.cut else [])]
    return Alike({key: value for key, value in alike.items() if value > 0}, said)


async def _to_vector(execution: Execution, given: list[float], request: MemorySimilar) -> Alike:
    """Compare a vector with every node's own."""
    vector = await unit_vector(execution.loom.embedder, given, field="query_vec")
    near = Nearness(vector, execution.loom.embedder.model, PLAIN)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        cosines = await retrieval.alike(
            tx, near, scope=_scope(request), pool=request.top_k, exact=True
        )
        others = await reindex.foreign_models(tx, near.model)
    alike = {key: min(1.0, max(0.0, value)) for key, value in cosines.items()}
    return Alike(alike, _of_others(others))


def _scope(request: MemorySimilar) -> Scope:
    return Scope(event_types=request.event_types or None)


async def _rows(execution: Execution, ids: list[int]) -> list[NodeRow]:
    if not ids:
        return []
    async with execution.loom.database.begin(execution.caller) as tx:
        return await memory_nodes.fetch(tx, ids)


def _of_others(models: Sequence[str]) -> list[str]:
    return [OF_OTHERS.format(models=", ".join(models))] if models else []


def _of_nothing(found: Alike, least: float) -> list[str]:
    if not found.similar:
        return [NOTHING]
    return [BELOW.format(least=least, best=round(max(found.similar.values()), DIGITS))]
