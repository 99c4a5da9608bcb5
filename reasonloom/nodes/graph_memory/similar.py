"""Answers `memory_similar`: nodes alike in words and meaning, or near to a vector."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import MemorySimilar
from reasonloom.contracts.graph_memory.shared import NodesScored
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.errors import EmbedderUnavailable, InvalidArgument
from reasonloom.nodes.graph_memory.evidence import similarity_score
from reasonloom.nodes.graph_memory.rendering import (
    DIGITS,
    bound_contents,
    injection_warnings,
    render_scored_node,
)
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.llm.port import Embedder
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow


ANY_TEXT = "a text"
"""What is embedded where an embedder does not know its dimension before it has been used."""


async def embedding_dimension(embedder: Embedder) -> int:
    """Return the numbers of one vector; an embedder that has to learn it embeds a text.

    Raises:
        EmbedderUnavailable: it cannot.
    """
    try:
        return embedder.dimension
    except EmbedderUnavailable:
        return len((await embedder.embed([ANY_TEXT]))[0])


async def parse_unit_vector(
    embedder: Embedder, given: Sequence[float], *, field: str
) -> list[float]:
    """Return the vector of length 1 in the direction of `given`.

    Raises:
        InvalidArgument: of another dimension than the embedder's, or nothing but zeros.
        EmbedderUnavailable: the embedder does not know its dimension, and cannot be used.
    """
    dimension = await embedding_dimension(embedder)
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
class SimilarNodes:
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
    rows, cut = bound_contents(await _rows(execution, list(wanted)))
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, [row.id for row in rows])
    answer = NodesScored(
        results=[render_scored_node(row, wanted[row.id]) for row in rows], count=len(rows)
    )
    nothing = [] if rows else _no_result_notes(found, request.min_similarity)
    notes = [*found.notes, *cut, *nothing, *injection_warnings(execution, answer.results)]
    return {"answer": answer.wire(), "notes": notes}


async def _to_text(execution: Execution, text: str, request: MemorySimilar) -> SimilarNodes:
    """Compare a text by the words it shares, rare ones counting more, and by its vector."""
    embedder, scope = execution.loom.embedder, _scope(request)
    vectors, notes = await embed_or_note(embedder, [text])
    near = Nearness(vectors[0], embedder.model, SECTORS) if vectors else None
    floor = embedder.floor if vectors else None
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        asked = await retrieval.weigh_terms(tx, text, near)
        pool = max(request.top_k, LEAST_POOL)
        found = await similarity.most_similar(tx, asked, near, scope=scope, pool=pool)
        few = sum(each.near for each in found) < min(pool, asked.visible)
        others = await reindex.foreign_models(tx, embedder.model) if near and few else []
    alike = {each.id: similarity_score(each.cosine, each.coverage, floor) for each in found}
    said = [*notes, *_foreign_model_notes(others), *([FREQUENT] if asked.cut else [])]
    return SimilarNodes({key: value for key, value in alike.items() if value > 0}, said)


async def _to_vector(
    execution: Execution, given: list[float], request: MemorySimilar
) -> SimilarNodes:
    """Compare a vector with every node's own."""
    vector = await parse_unit_vector(execution.loom.embedder, given, field="query_vec")
    near = Nearness(vector, execution.loom.embedder.model, PLAIN)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        cosines = await retrieval.find_nearest(
            tx, near, scope=_scope(request), pool=request.top_k, exact=True
        )
        others = await reindex.foreign_models(tx, near.model)
    alike = {key: min(1.0, max(0.0, value)) for key, value in cosines.items()}
    return SimilarNodes(alike, _foreign_model_notes(others))


def _scope(request: MemorySimilar) -> Scope:
    return Scope(event_types=request.event_types or None)


async def _rows(execution: Execution, ids: list[int]) -> list[NodeRow]:
    if not ids:
        return []
    async with execution.loom.database.begin(execution.caller) as tx:
        return await memory_nodes.fetch(tx, ids)


def _foreign_model_notes(models: Sequence[str]) -> list[str]:
    return [OF_OTHERS.format(models=", ".join(models))] if models else []


def _no_result_notes(found: SimilarNodes, least: float) -> list[str]:
    if not found.similar:
        return [NOTHING]
    return [BELOW.format(least=least, best=round(max(found.similar.values()), DIGITS))]
