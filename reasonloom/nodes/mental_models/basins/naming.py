"""Names basins by their keywords.

Keywords are ranked by class-based TF-IDF (Grootendorst 2022): the texts of a cluster form one
document, and the frequency of a word in it is weighted by log(1 + mean words per cluster /
frequency of the word in all clusters). A word counts once per text, so that one long text does not
dominate.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from reasonloom.text.search_terms import stop_words
from reasonloom.text.words import words_in

KEYWORDS = 8
IN_A_NAME = 3
LONGEST_WORD = 30
LEAST_TEXTS = 2
"""Minimum texts of a cluster in which a keyword occurs."""

UNNAMED = "unnamed"


def cluster_keywords(clusters: Sequence[Iterable[str]], others: Iterable[str]) -> list[list[str]]:
    """Return the keywords of each cluster; `others` are texts without a cluster."""
    counts = [_document_counts(texts) for texts in clusters]
    rest = _document_counts(others)
    everywhere = sum(counts, rest)
    classes = [*counts, rest] if rest else counts
    mean = everywhere.total() / max(1, len(classes))
    return [_best(count, everywhere, mean) for count in counts]


def name_of(words: Sequence[str]) -> str:
    """Return a name from the first keywords."""
    return ", ".join(words[:IN_A_NAME]) or UNNAMED


def _best(count: Counter[str], everywhere: Counter[str], mean: float) -> list[str]:
    total = max(1, count.total())
    known = [word for word in count if count[word] >= LEAST_TEXTS] or list(count)
    weight = {word: count[word] / total * math.log(1 + mean / everywhere[word]) for word in known}
    return sorted(known, key=lambda word: (-weight[word], word))[:KEYWORDS]


def _document_counts(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in dict.fromkeys(content_words(text)))


def content_words(text: str) -> list[str]:
    """Return the words of a text without stop words, numbers and ids."""
    return [word for word in words_in(text) if _is_content_word(word)]


def _is_content_word(word: str) -> bool:
    if len(word) > LONGEST_WORD or word in stop_words() or _plain(word) in stop_words():
        return False
    letters = sum(char.isalpha() or unicodedata.category(char).startswith("M") for char in word)
    return letters == len(word) and (letters > 1 or not word.isascii())


def _plain(word: str) -> str:
    """Return a word without accents, like the stop words."""
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char))
