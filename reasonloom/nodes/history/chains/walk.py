"""Walks from search results along edges; records why when no chain is worth returning."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from reasonloom.contracts.history import Diagnostics
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.history import projects
from reasonloom.nodes.history.chains import chains
from reasonloom.nodes.history.chains.chains import Chain, WalkGraph
from reasonloom.nodes.history.passages import POOL, PastQuestion, past_question
from reasonloom.nodes.history.truncation import texts_in
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.memory.retrieval.candidates import Ranking, rank
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunk_links
from reasonloom.stores.history.chunk_links import WalkChunk, WalkEdge
from reasonloom.stores.memory.search import similarity
from reasonloom.stores.memory.search.scope import Scope

# A chunk covers several topics, and its single vector lies between them. So the passages of the
# candidate chunks are compared one by one, and only the best count: one for a question, which is
# about one thing, two for the description of a moment.

OF_A_QUESTION, OF_A_MOMENT = 1, 2
"""How many of a chunk's nearest passages count."""

WORD_SHARE = 0.5
"""Weight of holding all words of the question, relative to a cosine similarity of 1."""

MOST_WORDS = 0.5
"""The share above which a chunk holds most of the question's words."""

ALIKE_ELSEWHERE = 0.3
"""The cosine similarity above which a chunk of another project matches a moment: passages that
share only a word reach 0.26; from 0.4 on half of the labelled moments would lose their prediction.
"""

MOST = 160
"""Passages compared in total, which bounds the cost of a recall on top of its search."""

LETTERS = 300
"""Characters of a passage that are embedded."""


async def _relevances(
    embedder: Embedder, found: WalkCandidates, best: int, elsewhere: Collection[int]
) -> dict[int, float]:
    """Return the relevance of each chunk, 0..1; without a vector, by words alone.

    `best` passages of each chunk count. The chunks `elsewhere` need more than shared words: a
    similarity above ALIKE_ELSEWHERE, or, without a vector, more than MOST_WORDS of the words.
    """
    words = {key: found.covered.get(key, 0.0) for key in found.chunks}
    alike = await _alike(embedder, found, best)
    if alike is None:
        return {
            key: 0.0 if key in elsewhere and share <= MOST_WORDS else share
            for key, share in words.items()
        }
    return {
        key: 0.0
        if key in elsewhere and alike.get(key, 0.0) <= ALIKE_ELSEWHERE
        else _relevance(alike.get(key, 0.0), share, embedder.floor)
        for key, share in words.items()
    }


def _relevance(cosine: float, words: float, floor: float) -> float:
    """Combine similarity and words; 0 if no word is shared and the cosine is at most `floor`."""
    if not words and cosine <= floor:
        return 0.0
    return (max(0.0, cosine) + WORD_SHARE * words) / (1 + WORD_SHARE)


async def _alike(embedder: Embedder, found: WalkCandidates, best: int) -> dict[int, float] | None:
    """Return the mean cosine of each chunk's best passages; None if there are no vectors."""
    near = found.question.query.near
    if near is None:
        return None
    each = max(1, MOST // max(1, len(found.chunks)))
    passages = {key: _spread(texts_in(chunk.content), each) for key, chunk in found.chunks.items()}
    owners = [key for key, texts in passages.items() for _ in texts]
    vectors, _ = await embed_or_note(
        embedder, [one for texts in passages.values() for one in texts]
    )
    if not vectors:
        return None
    cosines: dict[int, list[float]] = {}
    for key, cosine in zip(owners, _cosines(near.vector, vectors), strict=True):
        cosines.setdefault(key, []).append(cosine)
    nearest = {key: sorted(values)[-best:] for key, values in cosines.items()}
    return {key: sum(values) / len(values) for key, values in nearest.items()}


def _spread(texts: Sequence[str], most: int) -> list[str]:
    """Return the passages, each cut to LETTERS; neighbours are joined to get at most `most`."""
    size = -(-len(texts) // most)
    starts = range(0, len(texts), size or 1)
    return ["\n".join(texts[start : start + size])[:LETTERS] for start in starts]


def _cosines(query: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    one, others = np.asarray(query), np.asarray(vectors)
    sizes = np.linalg.norm(one) * np.linalg.norm(others, axis=1)
    cosines: list[float] = (others @ one / np.where(sizes > 0, sizes, 1)).tolist()
    return cosines


NOTHING_FOUND = "No matching chunks in memory"
NO_SEEDS = "Search found chunks but none suitable as chain seeds"
NO_EDGES = "No edges found from seed chunks"
TOO_SHORT = "All chains had only 1 chunk (minimum 2 required)"
NOT_ENOUGH = "No chain met the qualifying threshold"

SEEDS = 12
"""Top search results that may start a chain."""

JUDGED = 24
"""Chunks whose passages are compared: the seeds, and the best ones their edges reach."""

FAN = 6
"""Outgoing and incoming edges followed per chunk, heaviest first."""

FALLBACK = (
    "[Chain walk: fell back to search — {reason}. Search found {found} chunks, {seeds} seeds, "
    "{chains} chain(s) attempted, lengths: {lengths}]"
)


@dataclass(slots=True)
class WalkCandidates:
    """Search results, best first, and their neighbourhood.

    Attributes:
        question: the question and its scope.
        ranking: the search results.
        covered: the weighted share of the question's words that each chunk holds, 0..1.
        chunks: the seeds and their best neighbours, by id.
        edges: edges that touch the seeds or those neighbours.
        notes: notes on the search.
    """

    question: PastQuestion
    ranking: Ranking
    covered: dict[int, float] = field(default_factory=dict)
    chunks: dict[int, WalkChunk] = field(default_factory=dict)
    edges: list[WalkEdge] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def order(self) -> list[int]:
        """The ids of all search results, best first."""
        return [each.id for each in self.ranking.ranked]

    @property
    def seeds(self) -> list[int]:
        """The chunks where chains may start."""
        return [key for key in self.order[:SEEDS] if key in self.chunks]


@dataclass(frozen=True, slots=True)
class WalkResult:
    """The result of a walk: a chain, or the reason why there is none.

    Attributes:
        found: the search results and their neighbourhood.
        relevance: relevance of each chunk, 0..1.
        seeds: chunks where chains started, best first.
        made: all chains tried.
        chain: the best one; None if there is a `reason`.
        reason: why there is no chain; None if there is one.
    """

    found: WalkCandidates
    relevance: Mapping[int, float]
    seeds: Sequence[int]
    made: Sequence[Chain]
    chain: Chain | None
    reason: str | None

    def without_chain(self) -> WalkResult:
        """Return this result without its chain, for when search alone answers better."""
        return replace(self, chain=None, reason=NOT_ENOUGH)

    @property
    def diagnostics(self) -> Diagnostics | None:
        """What was tried; None if there is a chain."""
        if self.reason is None:
            return None
        return Diagnostics(
            reason=self.reason,
            search_results=len(self.found.order),
            seeds=len(self.seeds),
            chains=len(self.made),
            lengths=[len(chain.ids) for chain in self.made],
        )

    @property
    def bracket(self) -> str:
        """The reference's line on a walk that fell back to search."""
        return FALLBACK.format(
            reason=self.reason,
            found=len(self.found.order),
            seeds=len(self.seeds),
            chains=len(self.made),
            lengths=", ".join(str(len(chain.ids)) for chain in self.made) or "none",
        )


async def walk(
    execution: Execution, query: str, project: str | None, *, forward: bool, budget: int
) -> WalkResult:
    """Search, and walk from the results."""
    found = await _find_candidates(execution, query, project)
    best = OF_A_MOMENT if forward else OF_A_QUESTION
    known = project or execution.loom.settings.project
    elsewhere = [key for key, chunk in found.chunks.items() if forward and chunk.project != known]
    relevance = await _relevances(execution.loom.embedder, found, best, elsewhere)
    if forward:
        relevance = _of_one_project(found, relevance, known)
    seeds = [key for key in found.seeds if relevance.get(key, 0.0) > 0]
    made: list[Chain] = []
    touched = {end for edge in found.edges for end in (edge.source, edge.target)}
    if touched.intersection(seeds):
        ground = WalkGraph(found.chunks, relevance, forward)
        ground.lay(found.edges)
        made = [chains.chain_from(ground, seed, budget) for seed in seeds]
    chain = chains.best_chain(made)
    if chain is not None and chains.qualifies(chain, relevance, found.order):
        return WalkResult(found, relevance, seeds, made, chain, None)
    reason = (
        NOTHING_FOUND if not found.order
        else NO_SEEDS if not seeds
        else NO_EDGES if not made
        else TOO_SHORT if chain is None
        else NOT_ENOUGH
    )  # fmt: skip
    return WalkResult(found, relevance, seeds, made, None, reason)


def _of_one_project(
    found: WalkCandidates, relevance: Mapping[int, float], known: str | None
) -> dict[int, float]:
    """Keep only one project's chunks: the known project, or else that of the most relevant seed.

    What came next in one project says nothing about another; only edges may lead there.
    """
    seeds = [key for key in found.seeds if relevance[key] > 0]
    projects = {found.chunks[key].project for key in seeds}
    if seeds and known not in projects:
        known = found.chunks[max(seeds, key=lambda key: relevance[key])].project
    return {key: value for key, value in relevance.items() if found.chunks[key].project == known}


async def _find_candidates(execution: Execution, query: str, project: str | None) -> WalkCandidates:
    """Return the search results and their neighbours, at most JUDGED chunks."""
    scope = Scope(kinds=("transcript",), project=project)
    question = await past_question(execution, query, scope)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        ranking = await rank(tx, execution, question.query, scope=question.scope, pool=POOL)
        found = WalkCandidates(question, ranking, notes=[*question.notes])
        found.covered = {each.id: each.signals.words for each in ranking.ranked}
        if found.order:
            await _around(tx, found)
    if not found.order:
        found.notes += await projects.project_notes(execution, project)
    return found


async def _around(tx: Transaction, found: WalkCandidates) -> None:
    """Add the chunks to score and the edges that touch them."""
    near, scope = found.question.query.near, found.question.scope
    seeds = found.order[:SEEDS]
    found.edges = await chunk_links.edges(tx, seeds, fan=FAN)
    reached = {end for edge in found.edges for end in (edge.source, edge.target)} - set(seeds)
    if reached:
        terms = found.question.query.terms
        matches = await similarity.match_ids(tx, terms, near, scope=scope, ids=reached)
        found.covered |= {key: match.context for key, match in matches.items()}
        likely = {
            key: max(0.0, match.cosine or 0.0) + match.context for key, match in matches.items()
        }
        best = sorted(likely, key=lambda key: (-likely[key], key))[: JUDGED - len(seeds)]
        found.edges += await chunk_links.edges(tx, best, fan=FAN) if best else []
        seeds = [*seeds, *best]
    tx.end_with_next()
    found.chunks = await chunk_links.chunks(tx, seeds)
