"""The words that tell one cluster from the others, by class-based TF-IDF.

Grootendorst (2022): the texts of a cluster are one text, and a word weighs as often as it stands
there, times log(1 + mean words of a cluster / how often it stands in all). Here a word counts once
a text, so that a long text does not name its cluster alone.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from reasonloom.nodes.graph_memory.workspaces.words import stop_words
from reasonloom.text.extraction import words_in

KEYWORDS = 8
IN_A_NAME = 3
LONGEST = 30
LEAST_TEXTS = 2
"""A word of one text alone is no word of a cluster."""

UNNAMED = "unnamed"


def keywords(clusters: Sequence[Iterable[str]], others: Iterable[str]) -> list[list[str]]:
    """Return the best words of each cluster's texts; `others` are texts of no cluster."""
    counts = [_counted(texts) for texts in clusters]
    rest = _counted(others)
    everywhere = sum(counts, rest)
    classes = [*counts, rest] if rest else counts
    mean = everywhere.total() / max(1, len(classes))
    return [_best(count, everywhere, mean) for count in counts]


def name_of(words: Sequence[str]) -> str:
    """Return a name made of the best words."""
    return ", ".join(words[:IN_A_NAME]) or UNNAMED


def _best(count: Counter[str], everywhere: Counter[str], mean: float) -> list[str]:
    total = max(1, count.total())
    known = [word for word in count if count[word] >= LEAST_TEXTS] or list(count)
    weight = {word: count[word] / total * math.log(1 + mean / everywhere[word]) for word in known}
    return sorted(known, key=lambda word: (-weight[word], word))[:KEYWORDS]


def _counted(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in dict.fromkeys(telling(text)))


def telling(text: str) -> list[str]:
    """Return the words of a text that may name something: no stop words, numbers or ids."""
    return [word for word in words_in(text) if _tells(word)]


def _tells(word: str) -> bool:
    if len(word) > LONGEST or word in stop_words() or _plain(word) in stop_words():
        return False
    letters = sum(char.isalpha() or unicodedata.category(char).startswith("M") for char in word)
    return letters == len(word) and (letters > 1 or not word.isascii())


def _plain(word: str) -> str:
    """Return a word without accents, as the stop words are kept."""
    apart = unicodedata.normalize("NFD", word)
    return "".join(char for char in apart if not unicodedata.combining(char))
