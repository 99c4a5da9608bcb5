"""Words that nobody knows, as frequent as words are: for texts of which only the cost counts.

Real function words stand among the first ranks, made-up ones that can be pronounced after them.
Frequency falls as Zipf's law has it. A part of the words of a text belongs to its topic, so that
texts about one thing share rare words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

WORDS = 24_000
FLATTER = 2.7
"""Zipf's law as Mandelbrot wrote it: the word of rank r is as frequent as 1 / (r + FLATTER)."""

OF_A_TOPIC = 60
ON_TOPIC = 0.25
AT_ONCE = 4_000
SENTENCE = (6, 22)

FUNCTION_WORDS = (
    "the", "of", "and", "to", "a", "in", "is", "it", "that", "for", "was", "on", "are", "with",
    "as", "be", "this", "at", "by", "not", "from", "or", "have", "an", "but", "they", "which",
    "you", "had", "we", "were", "there", "can", "all", "has", "if", "will", "one", "when", "up",
    "out", "so", "what", "do", "then", "about", "some", "into", "only", "other", "new", "no",
    "time", "could", "them", "than", "these", "may", "any", "like", "its", "over", "also", "after",
    "first", "because", "how", "our", "two", "where", "just", "through", "now", "each", "should",
    "way", "more", "most", "such", "here", "between", "both", "under", "same", "being", "before",
    "must", "those", "while", "still", "again", "very", "did", "your", "does", "since", "every",
    "off", "down", "until", "without", "however", "another", "why", "against", "never", "always",
    "around", "during", "yet",
)  # fmt: skip
ONSETS = (
    "b", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gl", "gr", "h", "j", "k", "l", "m", "n",
    "p", "pl", "pr", "qu", "r", "s", "sk", "sl", "sp", "st", "t", "tr", "v", "w", "z",
)  # fmt: skip
NUCLEI = (
    "a", "e", "i", "o", "u", "ai", "ea", "ee", "ou", "io",
)  # fmt: skip
CODAS = ["", "", "l", "m", "n", "r", "s", "t", "nd", "rk", "st"]


def vocabulary(dice: np.random.Generator) -> list[str]:
    """Return the words, the most frequent first; short ones tend to be the frequent ones."""
    one = ["".join(parts) for parts in product(ONSETS, NUCLEI, CODAS)]
    ends = dice.choice(one, size=(2, 4 * WORDS))
    many = [*one, *(f"{first}{last}" for first, last in zip(*ends.tolist(), strict=True))]
    known = set(FUNCTION_WORDS)
    made = [word for word in dict.fromkeys(many) if word not in known and len(word) > 1]
    made = made[: WORDS - len(FUNCTION_WORDS)]
    rank = np.array([len(word) for word in made]) + dice.normal(0, 3, len(made))
    return [*FUNCTION_WORDS, *(made[place] for place in np.argsort(rank, kind="stable"))]


class Prose:
    """Texts of a wanted length in characters, the same for the same dice."""

    def __init__(self, dice: np.random.Generator) -> None:
        self.words = vocabulary(dice)
        self._dice = dice
        falling = np.cumsum(1 / (np.arange(1, len(self.words) + 1) + FLATTER))
        self._falling: NDArray[np.float64] = falling / falling[-1]
        self._ready: list[int] = []
        self._at = 0
        self._topic = np.zeros(0, dtype=np.int64)

    def turn_to(self, topic: int) -> None:
        """Take the rarer words from a topic from now on; a number is always the same topic."""
        own = np.random.default_rng(topic)
        self._topic = own.integers(len(FUNCTION_WORDS), len(self.words), OF_A_TOPIC)
        self._ready, self._at = [], 0

    def text(self, length: int) -> str:
        """Return sentences of about so many characters."""
        told: list[str] = []
        while length > 0:
            said = " ".join(self._next(int(self._dice.integers(*SENTENCE))))
            told.append(f"{said[0].upper()}{said[1:]}.")
            length -= len(told[-1]) + 1
        return " ".join(told)

    def lines(self, length: int) -> str:
        """Return lines as tools print them, about so many characters in all."""
        return "\n".join(self._lines(length))

    def _lines(self, length: int) -> Iterator[str]:
        number = int(self._dice.integers(1, 400))
        while length > 0:
            first, second, *rest = self._next(int(self._dice.integers(4, 9)))
            line = f"{number:5d}  {first}_{second}({', '.join(rest)})"
            length -= len(line) + 1
            number += 1
            yield line

    def name(self) -> str:
        """Return a name as files and errors have it, of two rare words."""
        first, second = self._dice.integers(len(FUNCTION_WORDS), len(self.words), 2).tolist()
        return f"{self.words[first]}_{self.words[second]}"

    def _next(self, number: int) -> list[str]:
        if self._at + number > len(self._ready):
            self._ready, self._at = self._drawn(), 0
        taken = self._ready[self._at : self._at + number]
        self._at += number
        return [self.words[place] for place in taken]

    def _drawn(self) -> list[int]:
        common = np.searchsorted(self._falling, self._dice.random(AT_ONCE))
        if len(self._topic):
            about = self._dice.random(AT_ONCE) < ON_TOPIC
            common[about] = self._dice.choice(self._topic, int(about.sum()))
        drawn: list[int] = common.tolist()
        return drawn
