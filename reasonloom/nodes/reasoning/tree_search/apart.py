"""How far apart two thoughts are, to tell whether they come to the same."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from reasonloom.nodes.similarity import Likeness
from reasonloom.text.contradiction import contradiction

MOST_WORDS = 2_000
"""Words of a text that are compared one by one."""

ALIKE = 0.9
"""Below this cosine neither the order of the words nor what they deny is looked at."""


@dataclass(frozen=True, slots=True)
class Apart:
    """How far apart two thoughts are, 0..1: by their vectors and by their words in order.

    Vectors alone do not tell `A rather than B` from `B rather than A`, nor a thought from its
    denial, of which one word may be all.
    """

    likeness: Likeness

    def __call__(self, first: str, second: str) -> float:
        """Return the greater of 1 - cosine and the share of words that are not in common order.

        It is 1 where one text denies the other.
        """
        cosine = self.likeness.cosine(first, second)
        if cosine < ALIKE:
            return 1 - cosine
        if contradiction(first, second):
            return 1.0
        one, other = (text.casefold().split()[:MOST_WORDS] for text in (first, second))
        return max(1 - cosine, 1 - SequenceMatcher(None, one, other, autojunk=False).ratio())
