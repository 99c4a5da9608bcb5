"""The `memory_similar` tool: nodes similar in words and meaning, or near a vector."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import MemorySimilar
from reasonloom.contracts.graph_memory.shared import NodesScored
from reasonloom.errors import EmbedderUnavailable, InvalidArgument
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.evidence import near_text, similarity_score
from reasonloom.nodes.graph_memory.rendering import (
    DIGITS,
    bound_contents,
    injection_warnings,
    render_scored_node,
)
from reasonloom.nodes.memory.embedding import OTHER_VECTORS
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together

ANY_TEXT = "a text"
"""Text that is embedded to determine an embedder's dimension."""


async def embedding_dimension(embedder: Embedder) -> int:
    """Return the dimension of the embedder's vectors, embedding a text if it is not known.

    Raises:
        EmbedderUnavailable: the embedder cannot be used.
    """
    try:
        return embedder.dimension
    except EmbedderUnavailable:
        return len((await embedder.embed([ANY_TEXT]))[0])


async def _unit_vector(embedder: Embedder, given: Sequence[float]) -> list[float]:
    """Normalise the request's vector to length 1.

    Raises:
        InvalidArgument: its dimension differs from the embedder's, or it is all zeros.
        EmbedderUnavailable: the embedder does not know its dimension, and cannot be used.
    """
    dimension = await embedding_dimension(embedder)
    if len(given) != dimension:
        raise InvalidArgument(
            f"query_vec: has {len(given)} numbers; {embedder.model} makes vectors of {dimension}",
            field="query_vec",
        )
    largest = max(map(abs, given))
    if not largest:
        raise InvalidArgument(
            "query_vec: must not be all zeros; give another vector",
            field="query_vec",
        )
    scaled = [number / largest for number in given]
    length = math.hypot(*scaled)
    return [number / length for number in scaled]


LEAST_POOL = 20
"""Minimum number of candidates, by words and by meaning each."""

PLAIN = ("semantic",)
"""The view of the plain content, with which a caller's vector is compared."""

BELOW = "nothing reaches min_similarity {least:g}; the best has {best:g}"
FREQUENT = "memories that share only frequent words with it were left out"
NOTHING = "nothing stored shares a word or a meaning with it"


@dataclass(frozen=True, slots=True)
class SimilarNodes:
    """Nodes with their similarity, 0..1, unordered.

    `few` is true if some may lack a vector, `cut` if frequent words were not searched.
    """

    similar: Mapping[int, float]
    few: bool
    cut: bool = False


async def memory_similar(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the most similar nodes, none below the request's `min_similarity`."""
    execution = runtime.context
    request = execution.request(MemorySimilar)
    text, given = request.query_text or "", request.query_vec
    embedder = execution.loom.embedder
    if given is None:
        near, floor, notes = await near_text(execution, text)
    else:
        vector = await _unit_vector(embedder, given)
        near, floor, notes = Nearness(vector, embedder.model, PLAIN), None, []
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        if given is None or near is None:
            found = await _to_text(tx, text, near, floor, request)
        else:
            found = await _to_vector(tx, near, request)
        ordered = sorted(found.similar.items(), key=lambda each: (-each[1], -each[0]))
        wanted = {
            key: score
            for key, score in ordered[: request.top_k]
            if round(score, DIGITS) >= request.min_similarity
        }
        tx.end_with_next()
        found_rows, others = await together(
            memory_nodes.fetch(tx, wanted), _other_models(tx, embedder.model, few=found.few)
        )
    rows, cut = bound_contents(found_rows)
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, [row.id for row in rows])
    answer = NodesScored(
        results=[render_scored_node(row, wanted[row.id]) for row in rows], count=len(rows)
    )
    nothing = [] if rows else _no_result_notes(found, request.min_similarity)
    notes += [*others, *([FREQUENT] if found.cut else [])]
    notes += [*cut, *nothing, *injection_warnings(execution, answer.results)]
    return {"answer": answer.wire(), "notes": notes}


async def _to_text(
    tx: Transaction, text: str, near: Nearness | None, floor: float | None, request: MemorySimilar
) -> SimilarNodes:
    """Compare a text by shared words, weighted by rarity, and by its vector."""
    terms = await retrieval.weigh_terms(tx, text, near.model if near else None)
    pool = max(request.top_k, LEAST_POOL)
    found = await similarity.most_similar(tx, terms, near, scope=_scope(request), pool=pool)
    few = bool(near) and sum(each.near for each in found) < min(pool, terms.visible)
    scores = {each.id: similarity_score(each.cosine, each.coverage, floor) for each in found}
    return SimilarNodes({key: each for key, each in scores.items() if each > 0}, few, terms.cut)


async def _to_vector(tx: Transaction, near: Nearness, request: MemorySimilar) -> SimilarNodes:
    """Compare a vector with every node's."""
    cosines = await retrieval.find_nearest(
        tx, near, scope=_scope(request), pool=request.top_k, exact=True
    )
    scores = {key: min(1.0, max(0.0, cosine)) for key, cosine in cosines.items()}
    return SimilarNodes(scores, few=True)


async def _other_models(tx: Transaction, model: str, *, few: bool) -> list[str]:
    models = await reindex.foreign_models(tx, model) if few else []
    return [OTHER_VECTORS.format(models=", ".join(models))] if models else []


def _scope(request: MemorySimilar) -> Scope:
    return Scope(event_types=request.event_types or None)


def _no_result_notes(found: SimilarNodes, least: float) -> list[str]:
    if not found.similar:
        return [NOTHING]
    return [BELOW.format(least=least, best=round(max(found.similar.values()), DIGITS))]
