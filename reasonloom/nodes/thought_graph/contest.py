"""Whether a new thought beats what it was made of: by ballots that judged both."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from reasonloom.nodes.thought_graph.ballot_scoring import total_score

if TYPE_CHECKING:
    from reasonloom.nodes.thought_graph.ballot_scoring import ScoringState
    from reasonloom.stores.thought_graph.graph_nodes import Scored

LEAST_GAIN = 1e-9
"""Below this, means of the same numbers may differ by rounding."""


class Verdict(NamedTuple):
    """Whether the new thought is preferred, how many of the ballots cast say so, and the rival."""

    better: bool
    votes: int
    cast: int
    rival: str


def contest(state: ScoringState, new: str, rivals: Sequence[str]) -> Verdict | None:
    """Return how a new thought does against the best of its rivals; None if no ballot has both.

    All are ids; of equal rivals the first is the best.
    """
    cast = {rival: _totals(state, rival, new) for rival in rivals}
    judged = [rival for rival in rivals if cast[rival]]
    if not judged:
        return None
    rival = max(judged, key=lambda each: fmean(before for before, _ in cast[each]))
    pairs = cast[rival]
    better = beats(pairs)
    votes = sum((after > before) is better for before, after in pairs)
    return Verdict(better, votes, len(pairs), rival)


def _totals(state: ScoringState, old: str, new: str) -> list[tuple[float, float]]:
    """Return what each ballot that judged two thoughts gave both, without novelty."""
    cast = (each["scores"] for each in state.get("cast", []))
    return [
        (total_score(each[old]), total_score(each[new]))
        for each in cast
        if old in each and new in each
    ]


def beats(pairs: Sequence[tuple[float, float]]) -> bool:
    """Tell whether the second thought of each pair of totals beats the first over all pairs.

    More ballots prefer it, or as many and its totals are greater; a draw is no gain.
    """
    wins = sum(after > before for before, after in pairs)
    losses = sum(after < before for before, after in pairs)
    gain = fmean(after for _, after in pairs) - fmean(before for before, _ in pairs)
    return wins > losses or (wins == losses and gain > LEAST_GAIN)


def without_novelty(scored: Scored) -> float:
    """Return the score without novelty: what continues a thought is always near it."""
    return total_score({part: value for part, value in scored.parts.items() if part != "novelty"})
