"""How an answer is judged by a labelled chain: stated before there was anything to judge."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reasonloom.evals.suites.history.records import Chain, Moment

ENOUGH = 0.5


@dataclass(frozen=True)
class Judged:
    """What an answer holds of a chain.

    `problem` and `solution`: the chain's first and last turn are there. `share` (0 to 1): how
    many of its turns are. `ordered`: those that are there come in the chain's order. `pure`
    (0 to 1): how many of the pieces hold a turn of the chain. `strayed`: how many pieces hold a
    labelled distractor and no turn of the chain.
    """

    problem: bool
    solution: bool
    share: float
    ordered: bool
    pure: float
    strayed: int

    @property
    def right(self) -> bool:
        """Whether this is the chain: both ends, in order, half its turns, half the pieces."""
        whole = self.problem and self.solution and self.ordered
        return whole and self.share >= ENOUGH and self.pure >= ENOUGH


def judged(chain: Chain, pieces: Sequence[Collection[str]]) -> Judged:
    """Judge an answer: its pieces in the order in which they are told, each with its turns' ids."""
    places = [
        next((place for place, turns in enumerate(pieces) if turn in turns), None)
        for turn in chain.chain
    ]
    found = [place for place in places if place is not None]
    wrong = {each.turn for each in chain.distractors}
    own = [bool(set(chain.chain) & set(turns)) for turns in pieces]
    return Judged(
        problem=places[0] is not None,
        solution=places[-1] is not None,
        share=len(found) / len(places),
        ordered=found == sorted(found),
        pure=sum(own) / len(own) if own else 0.0,
        strayed=sum(
            not mine and bool(wrong & set(turns)) for mine, turns in zip(own, pieces, strict=True)
        ),
    )


def foretold(moment: Moment, pieces: Sequence[Collection[str]]) -> float:
    """Return the share (0 to 1) of the turns that came after which an answer holds."""
    shown = {turn for turns in pieces for turn in turns}
    return len(shown & set(moment.after)) / len(moment.after)
