"""Collects the candidates that may answer a question and ranks them by all signals.

Each candidate is scored by its own signals first; then memories linked to the best candidates join
them, and each gets the signal of its session.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.calendar.periods import NOW, QuestionTime
from reasonloom.nodes.memory.injection.detection import detect_injection
from reasonloom.nodes.memory.retrieval.scoring import (
    RelevanceSignals,
    ScoreParts,
    recency_of,
)
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search import ranking_features, retrieval, similarity
from reasonloom.stores.memory.search.query_terms import QueryTerms
from reasonloom.stores.memory.search.ranking_features import Candidate, Link
from reasonloom.stores.memory.search.retrieval import Naming
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together

EXPANDED_CANDIDATES = 20
"""Number of top candidates whose linked memories join the candidates."""


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """A question: its text, terms and vector, the tags it names and its date terms.

    `floor` is the embedder's cosine similarity of unrelated texts; `guarded` is whether suspicious
    memories rank below others; `time` is the time that the question is about.
    """

    text: str
    terms: QueryTerms
    near: Nearness | None
    named: frozenset[str]
    dates: Mapping[str, float]
    floor: float
    guarded: bool = False
    time: QuestionTime = NOW

    def signals_of(self, found: Candidate) -> RelevanceSignals:
        """Return a memory's own signals."""
        dates = found.dates
        return RelevanceSignals(
            cosine=max(0.0, found.cosine or 0.0),
            words=found.coverage,
            context=found.context,
            tag=float(found.tagged),
            date=max([self.dates.get(term, 0.0) for term in dates], default=0.0) if dates else 0.0,
            suspicion=detect_injection(found.head, self.text).score if self.guarded else 0.0,
        )

    def wants(self, signals: RelevanceSignals) -> bool:
        """Return whether a memory matches at all: by word, tag, date or similarity."""
        return bool(signals.context or signals.tag or signals.date or signals.cosine > self.floor)


class RankedMemory(NamedTuple):
    """A ranked memory with its signals and score parts."""

    id: int
    signals: RelevanceSignals
    parts: ScoreParts


@dataclass(frozen=True, slots=True)
class Ranking:
    """All matching memories, best first.

    Attributes:
        cut: whether memories that share only frequent words with the question were left out.
        unlike: whether vector search returned fewer memories than exist, so some may lack a vector.
    """

    ranked: list[RankedMemory]
    cut: bool
    unlike: bool


@dataclass(slots=True)
class CandidatePool:
    """The candidates collected so far; `own` is the sum of each one's own signals."""

    signals: dict[int, RelevanceSignals] = field(default_factory=dict)
    traits: dict[int, Candidate] = field(default_factory=dict)
    own: dict[int, float] = field(default_factory=dict)

    def add(self, question: RankingQuery, found: Iterable[Candidate]) -> None:
        """Add the candidates that match the question."""
        for each in found:
            signals = question.signals_of(each)
            if question.wants(signals):
                self.signals[each.id], self.traits[each.id] = signals, each
                self.own[each.id] = signals.own()

    def newer(self) -> dict[int, int]:
        """Return the superseded candidates, each with the id of its successor."""
        return {key: of.superseded_by for key, of in self.traits.items() if of.superseded_by}

    def unknown_newer(self) -> set[int]:
        """Return the successors of candidates that are not candidates themselves."""
        return self.newer().values() - self.traits.keys()

    def best(self, most: int) -> list[int]:
        """Return the ids of the best candidates by their own signals."""
        order = sorted((-own, key) for key, own in self.own.items())
        return [key for _, key in order[:most]]

    def add_session_signals(self) -> None:
        """Give each candidate the signal of its session: the best of the candidates in it."""
        best: dict[object, float] = {}
        for key, own in self.own.items():
            session = self.traits[key].session or key
            if own >= best.get(session, 0.0):
                best[session] = own
        for key, signals in self.signals.items():
            signals.session = best[self.traits[key].session or key]


async def rank(
    tx: Transaction, execution: Execution, question: RankingQuery, *, scope: Scope, pool: int
) -> Ranking:
    """Return the memories of `scope` that match the question, best first."""
    terms, naming = question.terms, Naming(question.named, question.dates)
    judged = similarity.Question(terms, question.near, scope, naming)
    found, dated = await together(
        retrieval.candidates(tx, terms, question.near, scope=scope, pool=pool, naming=naming),
        similarity.dated_candidates(tx, judged, pool=pool),
    )
    there = {each.id for each in found}
    known = CandidatePool()
    known.add(question, found)
    known.add(question, (each for each in dated if each.id not in there))
    best, replacing = known.best(EXPANDED_CANDIDATES), known.unknown_newer()
    edges, linked, replaced_by = await together(
        ranking_features.links(tx, best),
        similarity.linked_candidates(tx, judged, best, without=known.signals),
        similarity.candidates_of(tx, judged, replacing),
    )
    known.add(question, linked)
    newer, of_linked = known.newer(), known.unknown_newer() - replacing
    known.add(question, replaced_by)
    known.add(question, await similarity.candidates_of(tx, judged, of_linked))
    known.add_session_signals()
    near = sum(each.cosine is not None for each in found)
    unlike = near < min(pool, terms.visible) and not scope.narrow
    half_life = execution.loom.settings.recency_half_life_days
    now = scope.held_to or execution.loom.clock()
    ranked = _order_candidates(known, edges, recency_of(now, half_life, question.time))
    looks_back = question.time.looks_back
    ordered = current_first(ranked, _known_then(known, question, newer), reverse=looks_back)
    return Ranking(ordered, cut=terms.cut, unlike=unlike)


def _order_candidates(
    known: CandidatePool, edges: Sequence[Link], recency: Callable[[datetime], float]
) -> list[RankedMemory]:
    similar = {key: each.relevance(known.own[key]) for key, each in known.signals.items()}
    linked = _link_scores(similar, edges)
    ranked = []
    for key, of in known.traits.items():
        link = linked.get(key, 0.0)
        parts = ScoreParts(of.salience, recency(of.valid_from), link, similar[key])
        ranked.append((-parts.score, key, RankedMemory(key, known.signals[key], parts)))
    return [each for *_, each in sorted(ranked)]


def _known_then(
    known: CandidatePool, question: RankingQuery, newer: Mapping[int, int]
) -> dict[int, int]:
    """Return the pairs whose successor was stated by the question's time and is not suspicious."""
    return {
        old: new
        for old, new in newer.items()
        if new in known.traits
        and not known.signals[new].suspicion
        and question.time.knows(known.traits[new].valid_from)
    }


def current_first(
    ranked: Sequence[RankedMemory], newer: Mapping[int, int], *, reverse: bool = False
) -> list[RankedMemory]:
    """Return the ranking with each memory after its successor in `newer`.

    A chain of successors takes the rank of its best member. `reverse` puts the oldest first.
    """
    if not newer:
        return list(ranked)
    places = {each.id: place for place, each in enumerate(ranked)}
    chains: dict[int, list[int]] = {}
    for key in places:
        chain = [key]
        while (after := newer.get(chain[-1])) in places and after not in chain:
            chain.append(after)
        chains[key] = chain
    best: dict[int, int] = {}
    for key, chain in chains.items():
        best[chain[-1]] = min(best.get(chain[-1], len(ranked)), places[key])

    def order(each: RankedMemory) -> tuple[int, int, int]:
        chain = chains[each.id]
        age = len(chain) - 1
        return best[chain[-1]], -age if reverse else age, places[each.id]

    return sorted(ranked, key=order)


def _link_scores(similar: Mapping[int, float], edges: Sequence[Link]) -> dict[int, float]:
    """Return each memory's maximum of weight x similarity over its linked memories."""
    linked: dict[int, float] = {}
    for edge in edges:
        for key, other in ((edge.source, edge.target), (edge.target, edge.source)):
            worth = edge.weight * similar.get(other, 0.0)
            linked[key] = max(linked.get(key, 0.0), worth)
    return linked
