"""Small words by what they tell apart, as data (`small_words.tsv`): those that no claim may add.

A small word has one or more senses (`from`, `he`, `because`); two that share one may stand for
each other, `vom` and `aus`. Those that are listed as empty tell nothing.
"""

from __future__ import annotations

from functools import cache

from reasonloom.nodes.graph_memory.grounding.reading.lexicon import rows

PERSONS = frozenset(("he", "she", "they", "we", "you", "i", "its"))
PLACES = frozenset((
    "of", "from", "since", "to", "till", "in", "on", "for", "against", "by", "with", "near",
    "before", "after", "over", "under", "during", "between", "than", "about", "up", "down", "off",
    "out", "away", "<", ">", "=", "!=", "->", "<-",
))  # fmt: skip
SIGN = {
    "<": "<", ">": ">", "\u2264": "<=", "\u2265": ">=", "<=": "<=", ">=": ">=", "=": "=",
    "==": "=", "!=": "!=", "\u2260": "!=", "->": "->", "\u2192": "->", "=>": "->",
    "<-": "<-", "\u2190": "<-", "+": "+", "/": "/", "*": "*",
}  # fmt: skip
"""Signs that tell something, each with the one that it is read as."""

FORMERLY = frozenset(("formerly",))
OPTIONAL = "optional"
PARTICLE = "particle"
TELLING = "telling"
OPPOSITES = frozenset(
    frozenset(pair)
    for pair in (
        ("from", "to"), ("on", "off"), ("up", "down"), ("in", "out"), ("before", "after"),
        ("for", "against"), ("over", "under"), ("<", ">"), ("=", "!="), ("<=", ">="),
        ("->", "<-"), ("since", "till"), ("from", "till"),
    )
)  # fmt: skip

Senses = frozenset[str]


@cache
def senses_of(word: str, language: str) -> Senses:
    """Return what a small word tells; the word itself where no list has it, nothing if empty."""
    if word in SIGN:
        return frozenset((SIGN[word], TELLING))
    known = _known().get((language, word))
    if known:
        return known
    if known is not None or not word[:1].isalpha():
        return frozenset()
    return frozenset((f"word {word}",))


def is_place(senses: Senses) -> bool:
    """Tell whether a word governs what follows it: a preposition or a sign between two things."""
    return bool(senses & (PLACES | frozenset(SIGN.values())))


def opposed(one: Senses, other: Senses) -> bool:
    """Tell whether two words that share no sense are opposites."""
    return not one & other & PLACES and any(
        frozenset((mine, theirs)) in OPPOSITES for mine in one for theirs in other
    )


@cache
def _known() -> dict[tuple[str, str], Senses]:
    known: dict[tuple[str, str], Senses] = {}
    for sense, language, words in rows("small_words.tsv"):
        for word in words.split():
            held = known.get((language, word), frozenset())
            known[language, word] = held | ({sense} if sense != "empty" else set())
    return known
