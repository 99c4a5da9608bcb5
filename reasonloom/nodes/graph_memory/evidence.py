"""The `memory_evidence` and `memory_suggest` tools: the current nodes nearest to a text.

    similarity = sqrt((meaning + words) / 2)

*Meaning* is (cosine - floor) / (1 - floor), at least 0, where floor is the embedder's cosine of
unrelated texts. *Words* is the share of the text's words in the memory, weighted by rarity. An
identical text scores 1, whatever else is stored. The square root makes 0.5 the best separator on
the development halves of our retrieval sets; docs/graph-memory.md has the figures.
"""

import math
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.grounding import (
    EvidenceFound,
    EvidenceNode,
    MemoryEvidence,
    MemorySuggest,
)
from reasonloom.contracts.graph_memory.shared import NodesScored
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.rendering import (
    DIGITS,
    bound_contents,
    injection_warnings,
    node_fields,
    render_edge,
    render_scored_node,
)
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import evidence, memory_nodes
from reasonloom.stores.graph_memory.evidence import EdgeRow
from reasonloom.stores.graph_memory.memory_nodes import NodeRow
from reasonloom.stores.memory.search import retrieval, similarity
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together


def similarity_score(cosine: float | None, words: float, floor: float | None) -> float:
    """Return a memory's similarity, 0..1; if `floor` is None (no embedder), only words count.

    A `cosine` of None means a memory without a vector.
    """
    if floor is None:
        return math.sqrt(min(1.0, words))
    meaning = max(0.0, ((cosine or 0.0) - floor) / (1 - floor))
    return math.sqrt(min(1.0, (meaning + words) / 2))


CURRENT = Scope()
WITHIN = 2
"""Maximum difference in length between a misspelt word and its correction."""

LEAST_ALIKE = 0.6
LEAST_LETTERS = 3
READ_AS = "nothing stored holds {unknown}; read as {meant} too"


class CorrectedQuery(NamedTuple):
    """A query with stored words in place of unknown ones, their mean similarity, and a note."""

    text: str
    likeness: float
    note: str


async def correct_spelling(tx: Transaction, query: str) -> CorrectedQuery | None:
    """Return a query with its unknown words corrected; None if none can be."""
    if not query:
        return None
    unknown = [w for w in await evidence.unknown_words(tx, query) if len(w) >= LEAST_LETTERS]
    meant: dict[str, tuple[str, float]] = {}
    for word in unknown:
        stored = await evidence.words_of_length(tx, word, within=WITHIN)
        best = max(stored, key=lambda each: letter_similarity(word, each), default="")
        if best and (share := letter_similarity(word, best)) >= LEAST_ALIKE:
            meant[word] = best, share
    if not meant:
        return None
    kept = [word for word in query.split() if not word.casefold().startswith(tuple(meant))]
    text = " ".join([*kept, *(best for best, _ in meant.values())])
    mean = sum(share for _, share in meant.values()) / len(meant)
    unknown_words = ", ".join(f"“{word}”" for word in meant)
    stored_words = ", ".join(f"“{best}”" for best, _ in meant.values())
    return CorrectedQuery(text, mean, READ_AS.format(unknown=unknown_words, meant=stored_words))


def letter_similarity(one: str, other: str) -> float:
    """Return 1 less the optimal string alignment distance (Damerau 1964) over the longer length."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        following = [n]
        for k, facing in enumerate(other, 1):
            cost = min(row[k] + 1, following[k - 1] + 1, row[k - 1] + (letter != facing))
            if n > 1 and k > 1 and letter == other[k - 2] and one[n - 2] == facing:
                cost = min(cost, before[k - 2] + 1)
            following.append(cost)
        before, row = row, following
    return 1 - row[-1] / max(len(one), len(other), 1)


LEAST_POOL = 20
HEARSAY = (
    "retold, or an agent's own words, and no evidence by themselves: {nodes}; what they repeat may "
    "have been corrected since"
)


async def near_text(
    execution: Execution, text: str
) -> tuple[Nearness | None, float | None, list[str]]:
    """Return what is near a text and the embedder's floor, or neither and a note on the reason."""
    embedder = execution.loom.embedder
    vectors, notes = await embed_or_note(embedder, [text])
    if not vectors:
        return None, None, notes
    return Nearness(vectors[0], embedder.model, SECTORS), embedder.floor, notes


async def nearest_nodes(
    execution: Execution, query: str, *, most: int, spelling: bool = False
) -> tuple[list[tuple[NodeRow, float]], list[str]]:
    """Return up to `most` current nodes near a query with their scores, best first, and notes.

    With `spelling`, unknown words are also matched as the stored words with the most similar
    spelling; the scores of such hits are reduced accordingly.
    """
    near, floor, notes = await near_text(execution, query)
    pool = max(most, LEAST_POOL)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        alike, corrected = await together(
            similarity_scores(tx, query, near, floor, pool),
            correct_spelling(tx, query if spelling else ""),
        )
        scores = _visible(alike)
        if corrected:
            more = await similarity_scores(tx, corrected.text, None, floor, pool)
            for key, score in _visible(more).items():
                scores[key] = max(scores.get(key, 0.0), score * corrected.likeness)
            notes = [*notes, corrected.note]
        best = sorted(scores, key=lambda key: (-scores[key], -key))[:most]
        tx.end_with_next()
        there, hearsay = await together(
            memory_nodes.fetch(tx, best), memory_nodes.hearsay(tx, best)
        )
    rows, cut = bound_contents(there)
    if hearsay:
        cut = [*cut, HEARSAY.format(nodes=", ".join(map(str, sorted(hearsay))))]
    return [(row, round(scores[row.id], DIGITS)) for row in rows], [*notes, *cut]


async def similarity_scores(
    tx: Transaction,
    text: str,
    near: Nearness | None,
    floor: float | None,
    pool: int,
    scope: Scope = CURRENT,
) -> dict[int, float]:
    """Return the scores above 0 of the memories of a scope that are nearest to a text."""
    terms = await retrieval.weigh_terms(tx, text, near.model if near else None)
    found = await similarity.most_similar(tx, terms, near, scope=scope, pool=pool)
    scores = {each.id: similarity_score(each.cosine, each.coverage, floor) for each in found}
    return {key: score for key, score in scores.items() if score > 0}


def _visible(scores: dict[int, float]) -> dict[int, float]:
    """Return the scores that do not round to 0."""
    return {key: score for key, score in scores.items() if round(score, DIGITS) > 0}


MOST_EDGES = 20
"""Maximum edges of one node in an answer; a hub may have any number."""

MORE = "node {nodes} has more edges; the heaviest {most} are shown"
MORE_OF_MANY = "nodes {nodes} have more edges; the heaviest {most} of each are shown"


async def memory_evidence(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the current nodes nearest to the query, best first, with their edges."""
    execution = runtime.context
    request = execution.request(MemoryEvidence)
    found, notes = await nearest_nodes(execution, request.query, most=request.max_results)
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        edges = await evidence.edges_of(tx, [row.id for row, _ in found], read=MOST_EDGES + 1)
    by_node: dict[int, list[EdgeRow]] = {}
    for edge in edges:
        by_node.setdefault(edge.node, []).append(edge)
    results = [
        EvidenceNode(
            **node_fields(row),
            score=score,
            edges=[render_edge(edge) for edge in by_node.get(row.id, [])[:MOST_EDGES]],
        )
        for row, score in found
    ]
    answer = EvidenceFound(results=results, count=len(results))
    notes = [*notes, *_cut(by_node), *injection_warnings(execution, results)]
    return {"answer": answer.wire(), "notes": notes}


def _cut(by_node: dict[int, list[EdgeRow]]) -> list[str]:
    many = [str(node) for node, edges in by_node.items() if len(edges) > MOST_EDGES]
    if not many:
        return []
    note = MORE if len(many) == 1 else MORE_OF_MANY
    return [note.format(nodes=", ".join(many), most=MOST_EDGES)]


async def memory_suggest(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the current nodes nearest to the query, also with its spelling corrected."""
    request = runtime.context.request(MemorySuggest)
    found, notes = await nearest_nodes(
        runtime.context, request.query, most=request.limit, spelling=True
    )
    results = [render_scored_node(row, score) for row, score in found]
    answer = NodesScored(results=results, count=len(results))
    notes = [*notes, *injection_warnings(runtime.context, results)]
    return {"answer": answer.wire(), "notes": notes}
