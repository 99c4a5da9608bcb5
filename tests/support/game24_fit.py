"""Fits the chain's odds to the logs, and works out exactly how often chains are then right.

`PUBLISHED.chain_odds` came from here, and is not fitted anew at each start:

    python -c "from tests.support.game24_fit import recomputed; print(recomputed())"

with the public file as game24.csv in the working folder. For puzzles of one's own the odds stay as
they are: how many chains keep 24 in reach then depends on the puzzles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path

from reasonloom.evals.simulated.game24.check import State, reachable
from reasonloom.evals.simulated.game24.constants import PUBLISHED, Constants
from reasonloom.evals.simulated.game24.puzzles import Puzzle, load_puzzles
from reasonloom.evals.simulated.game24.solving import liking, tastes

Weighed = tuple[State, State, float]
"""A puzzle, a state that chains reach, and the probability of that."""

_HALVINGS = 60
_RANGE = (1e-3, 1e6)


def recomputed(path: Path = Path("game24.csv")) -> dict[int, float]:
    """Return the odds for the public puzzles ranked 901 to 1000; equal to the frozen ones."""
    return fitted(load_puzzles(path))


def fitted(puzzles: Iterable[Puzzle], constants: Constants = PUBLISHED) -> dict[int, float]:
    """Return the odds with which as many chains keep 24 in reach at each step as in the logs.

    By bisection, step by step, on the exact distribution of the preceding states.
    """
    states: list[Weighed] = [(puzzle.state, puzzle.state, 1.0) for puzzle in puzzles]
    odds: dict[int, float] = {}
    for left, aim in constants.chain_kept.items():
        weights = [_parted(constants, puzzle, numbers) for puzzle, numbers, _ in states]
        chances = [chance for _, _, chance in states]
        odds[left] = _solved(weights, chances, aim)
        states = [
            (puzzle, child, chance * odds[left] * weight / (odds[left] * kept + lost))
            for (puzzle, numbers, chance), (kept, lost) in zip(states, weights, strict=True)
            for child, weight in tastes(constants, puzzle, numbers)
            if reachable(child)
        ]
    return odds


def kept(constants: Constants, puzzles: Iterable[Puzzle]) -> dict[int, float]:
    """Return the exact share of chains whose next step keeps 24 in reach, by numbers left."""
    states: list[Weighed] = [(puzzle.state, puzzle.state, 1.0) for puzzle in puzzles]
    shares: dict[int, float] = {}
    for left in sorted(constants.chain_kept, reverse=True):
        following = [each for weighed in states for each in _next(constants, weighed)]
        shares[left] = _total(following) / _total(states) if states else 0.0
        states = following
    return shares


def right(constants: Constants, puzzle: Puzzle) -> float:
    """Return the exact probability that one chain solves a puzzle."""
    states: list[Weighed] = [(puzzle.state, puzzle.state, 1.0)]
    for _ in puzzle.state[1:]:
        states = [each for weighed in states for each in _next(constants, weighed)]
    return constants.chain_written * _total(states)


def best_of(chances: Sequence[float], samples: int) -> float:
    """Return the expected share of puzzles that at least one of so many samples solves.

    `chances` are those of one sample, one per puzzle.
    """
    return sum(1 - (1 - chance) ** samples for chance in chances) / len(chances)


def _next(constants: Constants, weighed: Weighed) -> list[Weighed]:
    puzzle, numbers, chance = weighed
    children, odds = liking(constants, puzzle, numbers)
    before = (0.0, *odds)
    return [
        (puzzle, child, chance * (upto - since) / odds[-1])
        for child, upto, since in zip(children, odds, before, strict=False)
        if reachable(child)
    ]


def _total(states: Iterable[Weighed]) -> float:
    return sum(chance for _, _, chance in states)


def _parted(constants: Constants, puzzle: State, numbers: State) -> tuple[float, float]:
    """Return the weight of all next states that keep 24 reachable, and of the others."""
    liked = tastes(constants, puzzle, numbers)
    keeping = sum(weight for child, weight in liked if reachable(child))
    return keeping, sum(weight for _, weight in liked) - keeping


def _solved(weights: Sequence[tuple[float, float]], chances: Sequence[float], aim: float) -> float:
    low, high = _RANGE
    for _ in range(_HALVINGS):
        odds = sqrt(low * high)
        share = sum(
            chance * odds * kept / (odds * kept + lost)
            for (kept, lost), chance in zip(weights, chances, strict=True)
        ) / sum(chances)
        low, high = (odds, high) if share < aim else (low, odds)
    return odds
