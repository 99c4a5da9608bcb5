"""Merges equivalent short texts of several judges."""

from collections.abc import Iterable

from reasonloom.text.contradiction import contradiction
from reasonloom.text.sentences import join_sentences
from reasonloom.text.words import words_in

SAME = 0.6
"""Minimum share of the shorter text's words in the other for both to count as equivalent."""

MOST_REASONS = 3
"""Maximum number of distinct reasons in a merged text."""


def group_texts(texts: Iterable[str]) -> list[list[str]]:
    """Group equivalent texts, largest group first, ties in the given order."""
    groups: list[list[str]] = []
    for text in filter(None, map(str.strip, texts)):
        known = next((group for group in groups if says_same(group[0], text)), None)
        if known is None:
            groups.append([text])
        else:
            known.append(text)
    return sorted(groups, key=len, reverse=True)


def says_same(one: str, other: str) -> bool:
    """Return whether two texts share most of their words and do not contradict each other."""
    if one.casefold() == other.casefold():
        return True
    ours, theirs = set(words_in(one)), set(words_in(other))
    least = min(len(ours), len(theirs))
    return bool(least) and len(ours & theirs) >= SAME * least and not contradiction(one, other)


def merge_reasons(texts: Iterable[str]) -> str | None:
    """Merge distinct reasons into one text, most frequent first; None if there are none."""
    kept = [group[0] for group in group_texts(texts)][:MOST_REASONS]
    return join_sentences(kept) or None
