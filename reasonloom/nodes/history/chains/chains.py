"""Chains of chunks: grown along edges from search results, ranked, and the best one returned.

A chain starts at a seed and repeatedly adds the neighbour of any of its chunks with the highest
sum of relevance and link weight, until it is full. This module defines how much each kind of edge
counts, how chains are ranked, and when a chain is worth returning.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reasonloom.stores.history.chunk_links import WalkChunk, WalkEdge

MOST = 4
"""Maximum chunks of a chain; each aims at 500 tokens, so four fill the usual 2,000."""

ORIGINS = {"cause": 1.0, "continuation": 0.5, "debrief": 0.5, "brief": 0.5, "sequence": 0.25}
"""Factor of an edge's weight by its origin: mere sequence counts less than shared rare words."""

LINK, GROWTH = 0.1, 0.25
"""Value of a link of weight 1 relative to a relevance of 1: in ranking, and in growing chains."""

QUALIFIES = 0.5
"""Minimum relevance of a chain, as a share of the mean relevance of the top search results."""


@dataclass(frozen=True, slots=True)
class Step:
    """A link from one chunk to a later one: its worth, 0..1, and the reason in words."""

    earlier: int
    later: int
    worth: float
    why: str | None


@dataclass(slots=True)
class WalkGraph:
    """The graph of a walk: the available chunks, their relevance, 0..1, and the steps.

    With `forward`, only steps to later chunks are allowed.
    """

    chunks: Mapping[int, WalkChunk]
    relevance: Mapping[int, float]
    forward: bool
    steps: dict[int, dict[int, Step]] = field(default_factory=dict)

    def lay(self, edges: Iterable[WalkEdge]) -> None:
        """Add the steps of the edges; between two chunks, only the one of highest worth remains."""
        for edge in edges:
            worth = edge.weight * ORIGINS.get(edge.origin, 0.0)
            step = Step(edge.earlier, edge.later, worth, edge.reason)
            self._add(step.earlier, step.later, step)
            if not self.forward:
                self._add(step.later, step.earlier, step)

    def _add(self, start: int, end: int, step: Step) -> None:
        if start not in self.chunks or end not in self.chunks:
            return
        known = self.steps.setdefault(start, {}).get(end)
        if known is None or step.worth > known.worth:
            self.steps[start][end] = step


@dataclass(frozen=True, slots=True)
class Chain:
    """Chunks in the order in which they were added, the steps between them, and the score.

    `relevance` is the token-weighted mean of the chunks' relevances, 0..1.
    """

    ids: tuple[int, ...]
    steps: tuple[Step, ...]
    relevance: float
    score: float


def chain_from(ground: WalkGraph, seed: int, budget: int) -> Chain:
    """Return the chain grown from a seed, within about `budget` tokens; often the seed alone."""
    ids, steps = [seed], list[Step]()
    used = ground.chunks[seed].tokens
    while len(ids) < MOST and used < budget:
        best = max(_next(ground, ids), key=lambda each: (each[0], -each[1]), default=None)
        if best is None:
            break
        _, taken, step = best
        ids.append(taken)
        steps.append(step)
        used += ground.chunks[taken].tokens
    return _ranked(ground, ids, steps)


def best_chain(chains: Sequence[Chain]) -> Chain | None:
    """Return the best chain of at least two chunks; None if there is none."""
    long = [chain for chain in chains if len(chain.ids) > 1]
    return max(long, key=lambda chain: (chain.score, chain.ids), default=None)


def qualifies(chain: Chain, relevance: Mapping[int, float], found: Sequence[int]) -> bool:
    """Return whether a chain is relevant enough compared with as many top search results."""
    alone = [relevance.get(key, 0.0) for key in found[: len(chain.ids)]]
    return chain.relevance > 0 and chain.relevance >= QUALIFIES * sum(alone) / max(1, len(alone))


def step_reasons(chain: Chain, order: Sequence[int]) -> dict[int, str]:
    """Return, by chunk, why it follows from one earlier in `order`; some have no reason."""
    reasons: dict[int, str] = {}
    for place, key in enumerate(order):
        before = {step.earlier: step for step in chain.steps if step.later == key and step.why}
        known = [before[each] for each in order[:place] if each in before]
        if known:
            step = max(known, key=lambda each: each.worth)
            reasons[key] = f"from mem-{step.earlier}: {step.why}"
    return reasons


def _next(ground: WalkGraph, ids: Sequence[int]) -> list[tuple[float, int, Step]]:
    """Return the chunks that may be added next as (worth, chunk, step)."""
    found: dict[int, tuple[float, int, Step]] = {}
    for start in ids:
        for end, step in ground.steps.get(start, {}).items():
            if end in ids:
                continue
            worth = ground.relevance.get(end, 0.0) + GROWTH * step.worth
            if end not in found or worth > found[end][0]:
                found[end] = worth, end, step
    return list(found.values())


def _ranked(ground: WalkGraph, ids: Sequence[int], steps: Sequence[Step]) -> Chain:
    """Return a chain with its relevance per token and its score, which adds the mean link worth."""
    sizes = [max(1, ground.chunks[key].tokens) for key in ids]
    relevance = sum(
        ground.relevance.get(key, 0.0) * size for key, size in zip(ids, sizes, strict=True)
    ) / sum(sizes)
    linked = sum(step.worth for step in steps) / len(steps) if steps else 0.0
    return Chain(tuple(ids), tuple(steps), relevance, relevance + LINK * linked)
