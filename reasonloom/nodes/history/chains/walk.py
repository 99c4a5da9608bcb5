"""Finds where a walk begins and what it may reach; says why where no chain is worth telling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.contracts.history import Diagnostics
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.history import lookup
from reasonloom.nodes.history.chains import chains
from reasonloom.nodes.history.chains.chains import Chain, Ground
from reasonloom.nodes.history.chains.nearing import OF_A_MOMENT, OF_A_QUESTION, relevances
from reasonloom.nodes.memory.dates import dates_asked
from reasonloom.nodes.memory.retrieval.ranking import Question, gather
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.stores.history import chunk_walks
from reasonloom.stores.history.chunk_walks import WalkChunk, WalkEdge
from reasonloom.stores.memory.search import judged, retrieval
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction

NOTHING_FOUND = "No matching chunks in memory"
NO_SEEDS = "Search found chunks but none suitable as chain seeds"
NO_EDGES = "No edges found from seed chunks"
TOO_SHORT = "All chains had only 1 chunk (minimum 2 required)"
NOT_ENOUGH = "No chain met the qualifying threshold"

POOL = 100
"""Candidates of the search."""

SEEDS = 12
"""The best of them, where chains begin."""

JUDGED = 24
"""Chunks whose passages are compared: the seeds, and the best that edges lead to."""

FAN = 6
"""Edges followed from a chunk, and to it, the heaviest."""

FELL_BACK = (
    "[Chain walk: fell back to search — {reason}. Search found {found} chunks, {seeds} seeds, "
    "{chains} chain(s) attempted, lengths: {lengths}]"
)


@dataclass(slots=True)
class Found:
    """What a search found, best first, and what is around it.

    Attributes:
        order: ids of all that was found.
        covered: the share of the question's words that each chunk holds, 0..1.
        vector: the question's, None where there is none.
        chunks: those that can be told.
        edges: those that touch the seeds and what they reach.
    """

    order: list[int] = field(default_factory=list)
    covered: dict[int, float] = field(default_factory=dict)
    vector: Sequence[float] | None = None
    chunks: dict[int, WalkChunk] = field(default_factory=dict)
    edges: list[WalkEdge] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def seeds(self) -> list[int]:
        """Where chains may begin."""
        return [key for key in self.order[:SEEDS] if key in self.chunks]


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk came to: a chain, or why there is none and what search found instead."""

    found: Found
    relevance: Mapping[int, float]
    chain: Chain | None
    diagnostics: Diagnostics | None

    @property
    def bracket(self) -> str | None:
        """The reference's line on a walk that fell back to search."""
        told = self.diagnostics
        if told is None:
            return None
        return FELL_BACK.format(
            reason=told.reason,
            found=told.search_results,
            seeds=told.seeds,
            chains=told.chains,
            lengths=", ".join(map(str, told.lengths)) or "none",
        )


async def walk(
    execution: Execution, asked: str, project: str | None, *, forward: bool, budget: int
) -> Walked:
    """Search, and walk from what is found.

    Raises:
        UnknownName: there is no such project.
    """
    found = await _found(execution, asked, project)
    best = OF_A_MOMENT if forward else OF_A_QUESTION
    relevance = await relevances(
        execution.loom.embedder, found.vector, found.chunks, found.covered, best
    )
    seeds = [key for key in found.seeds if relevance.get(key, 0.0) > 0]
    made: list[Chain] = []
    touched = {end for edge in found.edges for end in (edge.source, edge.target)}
    if touched.intersection(seeds):
        ground = Ground(found.chunks, relevance, forward)
        ground.lay(found.edges)
        made = [chains.chain_from(ground, seed, budget) for seed in seeds]
    chain = chains.best_chain(made)
    if chain is not None and chains.qualifies(chain, relevance, found.order):
        return Walked(found, relevance, chain, None)
    reason = (
        NOTHING_FOUND if not found.order
        else NO_SEEDS if not seeds
        else NO_EDGES if not made
        else TOO_SHORT if chain is None
        else NOT_ENOUGH
    )  # fmt: skip
    told = Diagnostics(
        reason=reason,
        search_results=len(found.order),
        seeds=len(seeds),
        chains=len(made),
        lengths=[len(chain.ids) for chain in made],
    )
    return Walked(found, relevance, None, told)


async def _found(execution: Execution, asked: str, project: str | None) -> Found:
    """Return what a search finds and what edges lead to from there, as much as is judged."""
    loom = execution.loom
    vectors, notes = await embed_or_say(loom.embedder, [asked])
    near = Nearness(vectors[0], loom.embedder.model, SECTORS) if vectors else None
    dates = dates_asked(asked, loom.clock().date())
    question = Question(asked, near, frozenset(), dates, loom.embedder.floor)
    scope = Scope(kinds=("transcript",), project=project)
    found = Found(vector=vectors[0] if vectors else None, notes=list(notes))
    async with loom.database.begin(execution.caller, searching=True) as tx:
        if project is not None:
            await lookup.require_project(tx, project)
        gathered = await gather(tx, execution, question, scope=scope, pool=POOL)
        found.order = [each.id for each in gathered.ranked]
        found.covered = {each.id: each.signals.words for each in gathered.ranked}
        if found.order:
            await _around(tx, found, question, scope)
    return found


async def _around(tx: Transaction, found: Found, question: Question, scope: Scope) -> None:
    """Add the chunks that are judged, and the edges between them."""
    seeds = found.order[:SEEDS]
    found.edges = await chunk_walks.edges(tx, seeds, fan=FAN)
    reached = {end for edge in found.edges for end in (edge.source, edge.target)} - set(seeds)
    if reached:
        asked = await retrieval.weigh(tx, question.text, question.near, transcripts=True)
        matches = await judged.judge(tx, asked, question.near, scope=scope, ids=reached)
        found.covered |= {key: match.context for key, match in matches.items()}
        likely = {
            key: max(0.0, match.cosine or 0.0) + match.context for key, match in matches.items()
        }
        best = sorted(likely, key=lambda key: (-likely[key], key))[: JUDGED - len(seeds)]
        found.edges += await chunk_walks.edges(tx, best, fan=FAN) if best else []
        seeds = [*seeds, *best]
    found.chunks = await chunk_walks.chunks(tx, seeds)
