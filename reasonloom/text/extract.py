"""A summary without a language model: the episodes' own sentences, the most central first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reasonloom.text.extraction import sentences_in, words_in

LIMIT = 800
"""Characters of sentences that an extract holds."""

MOST_SENTENCES = 5
NEW_SHARE = 0.5
"""A sentence is taken where at least this share of its words has not been said yet."""


class Written(Protocol):
    """What an extract is made of: a text and when it was written."""

    @property
    def content(self) -> str:
        """The text."""
        ...

    @property
    def created_at(self) -> datetime:
        """The moment."""
        ...


def extract(episodes: Sequence[Written]) -> str:
    """Return sentences of the episodes that say most of what they share, as they were written."""
    return " ".join(central_sentences(episodes)) or episodes[0].content[:LIMIT]


def central_sentences(
    texts: Sequence[Written], *, limit: int = LIMIT, most: int = MOST_SENTENCES
) -> list[str]:
    """Return at most `most` sentences of together `limit` characters, in the order of time.

    A sentence counts by the mean number of texts in which its words stand; one that repeats
    what is taken already is left out.
    """
    spread = Counter(word for each in texts for word in set(words_in(each.content)))
    written = [
        (place, sentence, set(words_in(sentence)))
        for place, each in enumerate(sorted(texts, key=lambda each: each.created_at))
        for sentence in sentences_in(each.content)
    ]
    ranked = sorted(written, key=lambda each: -_centrality(each[2], spread))
    said: set[str] = set()
    taken: list[tuple[int, str]] = []
    length = 0
    for place, sentence, words in ranked:
        is_new = len(words - said) >= NEW_SHARE * len(words)
        if is_new and words and length + len(sentence) <= limit and len(taken) < most:
            taken.append((place, sentence))
            said |= words
            length += len(sentence)
    return [sentence for _, sentence in sorted(taken, key=lambda each: each[0])]


def _centrality(words: set[str], spread: Counter[str]) -> float:
    return sum(spread[word] for word in words) / len(words) if words else 0.0
