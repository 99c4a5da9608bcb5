"""A summary without a language model: the episodes' own sentences, the most central first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reasonloom.llm.extract import sentences_in, words_in
from reasonloom.stores.consolidation import Episode

LIMIT = 800
"""Characters of sentences that an extract holds."""

MOST_SENTENCES = 5
NEW_SHARE = 0.5
"""A sentence is taken where at least this share of its words has not been said yet."""


def extract(episodes: Sequence[Episode]) -> str:
    """Return sentences of the episodes that say most of what they share, as they were written.

    A sentence counts by the mean number of episodes in which its words stand; one that repeats
    what is taken already is left out. The sentences come in the order of time.
    """
    spread = Counter(word for each in episodes for word in set(words_in(each.content)))
    written = [
        (place, sentence, set(words_in(sentence)))
        for place, each in enumerate(sorted(episodes, key=lambda each: each.created_at))
        for sentence in sentences_in(each.content)
    ]
    ranked = sorted(written, key=lambda each: -_centrality(each[2], spread))
    said: set[str] = set()
    taken: list[tuple[int, str]] = []
    length = 0
    for place, sentence, words in ranked:
        is_new = len(words - said) >= NEW_SHARE * len(words)
        if is_new and words and length + len(sentence) <= LIMIT and len(taken) < MOST_SENTENCES:
            taken.append((place, sentence))
            said |= words
            length += len(sentence)
    if not taken:
        return episodes[0].content[:LIMIT]
    return " ".join(sentence for _, sentence in sorted(taken, key=lambda each: each[0]))


def _centrality(words: set[str], spread: Counter[str]) -> float:
    return sum(spread[word] for word in words) / len(words) if words else 0.0
