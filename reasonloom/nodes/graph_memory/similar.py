"""Answers `memory_similar`: nodes similar in words and meaning, or near a vector."""

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
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.evidence import similarity_score
from reasonloom.nodes.graph_memory.rendering import (
    DIGITS,
    bound_contents,
    injection_warnings,
    render_scored_node,
)
from reasonloom.nodes.memory.embedding import OTHER_VECTORS, embed_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.memory import reindex
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.llm.interfaces import Embedder
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow


ANY_TEXT = "a text"
"""What is embedded to learn an embedder's dimension."""


async def embedding_dimension(embedder: Embedder) -> int:
    """Return the length of the embedder's vectors; one that does not know it embeds a text.

    Raises:
        EmbedderUnavailable: the embedder cannot be used.
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
        InvalidArgument: it has another dimension than the embedder's, or is all zeros.
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
"""Least number of candidates by words and by meaning each."""

PLAIN = ("semantic",)
"""The view that is the plain content, to which a caller's vector is compared."""

BELOW = "nothing reaches min_similarity {least:g}; the best has {best:g}"
FREQUENT = "memories that share only frequent words with it were left out"
NOTHING = "nothing stored shares a word or a meaning with it"


@dataclass(frozen=True, slots=True)
class SimilarNodes:
    """Nodes with their similarity, 0..1, unordered, and notes."""

    similar: Mapping[int, float]
    notes: list[str]


async def memory_similar(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the most similar nodes, none below the request's `min_similarity`."""
    execution = runtime.context
    request = execution.request(MemorySimilar)
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
    found_rows: list[NodeRow] = []
    if wanted:
        async with execution.loom.database.begin(execution.caller) as tx:
            found_rows = await memory_nodes.fetch(tx, list(wanted))
    rows, cut = bound_contents(found_rows)
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, [row.id for row in rows])
    answer = NodesScored(
        results=[render_scored_node(row, wanted[row.id]) for row in rows], count=len(rows)
    )
    nothing = [] if rows else _no_result_notes(found, request.min_similarity)
    notes = [*found.notes, *cut, *nothing, *injection_warnings(execution, answer.results)]
    return {"answer": answer.wire(), "notes": notes}


async def _to_text(execution: Execution, text: str, request: MemorySimilar) -> SimilarNodes:
    """Compare a text by shared words, rare ones counting more, and by its vector."""
    embedder = execution.loom.embedder
    vectors, notes = await embed_or_note(embedder, [text])
    near = Nearness(vectors[0], embedder.model, SECTORS) if vectors else None
    floor = embedder.floor if vectors else None
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        terms = await retrieval.weigh_terms(tx, text, near)
        pool = max(request.top_k, LEAST_POOL)
        found = await similarity.most_similar(tx, terms, near, scope=_scope(request), pool=pool)
        few = sum(each.near for each in found) < min(pool, terms.visible)
        others = await reindex.foreign_models(tx, embedder.model) if near and few else []
    scores = {each.id: similarity_score(each.cosine, each.coverage, floor) for each in found}
    notes = [*notes, *_foreign_model_notes(others), *([FREQUENT] if terms.cut else [])]
    return SimilarNodes({key: score for key, score in scores.items() if score > 0}, notes)


async def _to_vector(
    execution: Execution, given: list[float], request: MemorySimilar
) -> SimilarNodes:
    """Compare a vector with every node's."""
    vector = await parse_unit_vector(execution.loom.embedder, given, field="query_vec")
    near = Nearness(vector, execution.loom.embedder.model, PLAIN)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        cosines = await retrieval.find_nearest(
            tx, near, scope=_scope(request), pool=request.top_k, exact=True
        )
        others = await reindex.foreign_models(tx, near.model)
    scores = {key: min(1.0, max(0.0, cosine)) for key, cosine in cosines.items()}
    return SimilarNodes(scores, _foreign_model_notes(others))


def _scope(request: MemorySimilar) -> Scope:
    return Scope(event_types=request.event_types or None)


def _foreign_model_notes(models: Sequence[str]) -> list[str]:
    return [OTHER_VECTORS.format(models=", ".join(models))] if models else []


def _no_result_notes(found: SimilarNodes, least: float) -> list[str]:
    if not found.similar:
        return [NOTHING]
    return [BELOW.format(least=least, best=round(max(found.similar.values()), DIGITS))]
