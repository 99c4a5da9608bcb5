"""Words by what they do: those without content, denials, quantities, and names of one concept.

The lists are data: `function_words.tsv` (language, words), `operators.tsv` (kind, language,
words) and `concepts.tsv` (words of one meaning in a line, their opposites after ` / `).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from reasonloom.text.stemming import without_ending

PACKAGE = "reasonloom.nodes.graph_memory.grounding.reading"
STEMMERS = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
JAPANESE = "ja"
OTHERS = "other"
"""Denials of further languages, which are not read otherwise."""

LETTERS = {"de": "äöü", "fr": "àâçèêëîïôùûœ", "es": "ñ¿¡áíóú"}
"""Letters that one of the languages has and the others hardly."""

ABROAD = frozenset((
    "van", "son", "sin", "car", "die", "war", "hat", "man", "mine", "plus", "pour", "chat", "once",
    "on", "or", "a",
))  # fmt: skip
"""Small words of one language that are words of content, or small ones, in another."""

FOREIGN = 0.4
"""What such a word counts for a language that nothing else speaks for; two are less than one."""

SHORTEST = 4
LONG = 8
LATIN_END = 0x250


def is_read(text: str) -> bool:
    """Tell whether a text has small words or letters of a language that is read."""
    return language_of(text, OTHERS) != OTHERS


def language_of(text: str, default: str = "en") -> str:
    """Return en, de, fr, es or ja, by the small words and letters of a text.

    A claim is too short for a language model of letters, and these four differ in small words.
    `default` where none tells.
    """
    if any("\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" for c in text):
        return JAPANESE
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word.strip('.,;:!?()"\u201c\u201d') for word in folded.replace("'", " ").split()]
    counts = {
        code: sum(
            (FOREIGN if word in ABROAD and code != default else 1)
            * (word in known or (code, word) in _operators())
            for word in words
        )
        + sum(letter in folded for letter in LETTERS.get(code, ""))
        for code, known in _small().items()
    }
    best = max(counts.values(), default=0)
    if not best:
        return default
    return max(counts, key=lambda code: (counts[code], code == default))


def tells(word: str, language: str) -> bool:
    """Tell whether a folded word carries content in its language; no lone letter by itself."""
    return word not in _small().get(language, frozenset()) and not (
        len(word) == 1 and not word.isdigit()
    )


def operator_of(word: str, language: str) -> str:
    """Return deny, local, allow, all, only or hedge for a word that works on others, or ``."""
    known = _operators()
    return known.get((language, word)) or known.get((OTHERS, word), "")


def concept_of(word: str) -> tuple[str, int] | None:
    """Return the concept that a folded word names, and -1 where it names its opposite."""
    return concepts().get(word)


def stem(word: str, language: str) -> str:
    """Return a folded word without its ending and its accents."""
    stemmed = _stemmed(word, language) if language in STEMMERS else word
    return _plain(stemmed)


def alike(one: str, other: str) -> bool:
    """Tell whether two stems are of one word: they differ by a letter or two at the end."""
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < SHORTEST or any(c.isdigit() for c in one + other):
        return False
    if ord(one[0]) > LATIN_END:
        return False
    begin = max(SHORTEST, len(longer) - (2 if len(longer) >= LONG else 1))
    return len(shorter) >= begin and one[:begin] == other[:begin]


@lru_cache(maxsize=20_000)
def _plain(word: str) -> str:
    if ord(word[:1] or "a") > LATIN_END:
        return word
    parted = unicodedata.normalize("NFKD", word)
    return "".join(c for c in parted if not unicodedata.combining(c))


def rows(name: str) -> Iterator[list[str]]:
    """Yield the fields of each line of a packaged list, folded."""
    raw = (files(PACKAGE) / name).read_text(encoding="utf-8")
    return (line.casefold().split("\t") for line in raw.splitlines() if line)


@cache
def _small() -> dict[str, frozenset[str]]:
    return {code: frozenset(words.split()) for code, words in rows("function_words.tsv")}


@cache
def _operators() -> dict[tuple[str, str], str]:
    known: dict[tuple[str, str], str] = {}
    for kind, code, words in rows("operators.tsv"):
        for word in words.split():
            known.setdefault((code, word), kind)
    return known


@cache
def concepts() -> dict[str, tuple[str, int]]:
    """Return the listed words, folded, with the concept that each names and its sign."""
    known: dict[str, tuple[str, int]] = {}
    for (line,) in rows("concepts.tsv"):
        same, _, opposite = line.partition(" / ")
        name = f"={same.split()[0]}"
        for words, sign in ((same, 1), (opposite, -1)):
            for word in words.split():
                known.setdefault(word, (name, sign))
    return known


@lru_cache(maxsize=20_000)
def _stemmed(word: str, language: str) -> str:
    return without_ending(word, STEMMERS[language])
