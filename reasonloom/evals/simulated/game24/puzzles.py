"""Puzzles from the public file, or generated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.datasets import read_rows, refuse, require_between
from reasonloom.evals.simulated.game24.check import State, next_states, reachable, state_text

PUBLISHED_RANKS = range(901, 1001)
"""Ranks of the puzzles behind the published figures: hard, but not the hardest of 1,362."""

HIGHEST = 13
"""The highest number, because the game was played with cards."""

_COLUMNS = ("Rank", "Puzzles")
_FOUR = 4
_RANK = re.compile(r"[0-9]{1,9}")
_FOUR_NUMBERS = re.compile(r"[0-9]{1,3}(?: +[0-9]{1,3}){3}")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """Four numbers that can make 24, and the puzzle's rank; 1 is the easiest."""

    rank: int
    numbers: tuple[int, ...]

    @property
    def state(self) -> State:
        """The initial state of a search."""
        return tuple(sorted(self.numbers))

    def __str__(self) -> str:
        return state_text(self.state)


def load_puzzles(path: Path, ranks: Sequence[int] = PUBLISHED_RANKS) -> list[Puzzle]:
    """Load the puzzles of these ranks from the public file (`24.csv` of tree-of-thought-llm).

    The file's ranks follow human solving times. Reads the columns `Rank` and `Puzzles`.
    """
    rows = enumerate(read_rows(path, _COLUMNS), 1)
    found = [_puzzle(rank, text, place) for place, (rank, text) in rows]
    by_rank = {puzzle.rank: puzzle for puzzle in found}
    missing = next((rank for rank in ranks if rank not in by_rank), None)
    if missing is not None:
        raise InvalidArgument(f"data: there is no puzzle of rank {missing}", field="data")
    return [by_rank[rank] for rank in ranks]


def generate_puzzles(count: int, seed: int = 0) -> list[Puzzle]:
    """Draw distinct puzzles from all solvable ones, ranked among themselves, easiest first.

    The easiest is the one in which a random walk ends in 24 most often (`blind_chance`), which does
    not measure human solving times but can be computed.
    """
    every = _solvable()
    require_between("count", count, 1, len(every))
    drawn = Random(seed).sample(every, count)  # noqa: S311  # chance, no secret
    ranked = sorted(drawn, key=lambda numbers: (-blind_chance(numbers), numbers))
    return [Puzzle(rank, numbers) for rank, numbers in enumerate(ranked, 1)]


def blind_chance(numbers: State) -> float:
    """Return the probability that a uniform random walk ends in 24."""
    if not reachable(numbers):
        return 0.0
    if len(numbers) == 1:
        return 1.0
    children = next_states(numbers)
    return sum(map(blind_chance, children)) / len(children)


@cache
def _solvable() -> list[tuple[int, ...]]:
    """Return all sets of four from 1 to 13 that make 24: the 1,362 of the public file."""
    fours = combinations_with_replacement(range(1, HIGHEST + 1), _FOUR)
    return [four for four in fours if reachable(four)]


def _puzzle(rank: str, text: str, place: int) -> Puzzle:
    """Parse one row; errors name it, counted from 1 without the header."""
    if not _RANK.fullmatch(rank):
        raise refuse(place, "Rank must be a whole number, such as 901")
    if not _FOUR_NUMBERS.fullmatch(text):
        raise refuse(place, "Puzzles must be four whole numbers, such as 4 5 6 10")
    numbers = tuple(map(int, text.split()))
    if not reachable(tuple(sorted(numbers))):
        raise refuse(place, "24 cannot be made of Puzzles")
    return Puzzle(int(rank), numbers)
