"""Forms of words that no ending tells: `grown` is of grow, `geleitet` of leiten, `vendu` of vendre.

The forms are data, a word in a line: `irregular.tsv` (language, forms) and `homographs.tsv`
(language, forms of a word that stemming would make one with another: engineer and engine).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from reasonloom.nodes.graph_memory.grounding.reading.lexicon import concept_of, concepts, rows, stem

LEAST_ROOT = 3
KEPT = "0"
"""Ends a key that no likeness of letters may make another's."""

SEPARABLE = (
    "ab|an|auf|aus|bei|ein|fest|frei|heim|her|hin|los|mit|nach|teil|um|vor|weg|weiter|zu|zurück"
    "|zusammen"
)
INSEPARABLE = "be|emp|ent|er|ge|miss|über|unter|ver|wider|zer"
PREFIXED = re.compile(rf"(?P<prefix>{SEPARABLE}|{INSEPARABLE})(?P<verb>\w{{3,}})")
PARTICIPLE = re.compile(rf"(?P<prefix>{SEPARABLE})?ge(?P<root>\w{{3,}}?t)(?:e[nmrs]?)?")
WITH_ZU = re.compile(rf"(?P<prefix>{SEPARABLE})zu(?P<verb>\w{{4,}}n)")


@lru_cache(maxsize=20_000)
def base_of(word: str, language: str) -> str:
    """Return the form that a folded word is compared by: its base where the list has it."""
    known = _irregular()
    if found := known.get((language, word)):
        return found
    return _german(word) if language == "de" else word


def homograph(word: str, language: str) -> str | None:
    """Return what a folded word is compared by that stemming would confound, None for others."""
    return _homographs().get((language, word))


def key_of(word: str, language: str) -> tuple[str, int]:
    """Return what a folded word is compared by: its concept or stem, and its sign in it."""
    if kept := homograph(word, language):
        return kept, 1
    base = base_of(word, language)
    known = concept_of(word) or concept_of(base) or _by_stem(base, language)
    return known or (stem(base, language), 1)


def _by_stem(word: str, language: str) -> tuple[str, int] | None:
    """Return the concept of a form that the list has not, of a word that it has.

    In English only of verbs by their endings: a bill is not what is billed.
    """
    if language == "en" and not word.endswith(("ing", "ed")):
        return None
    return _stems(language).get(stem(word, language))


@cache
def _stems(language: str) -> dict[str, tuple[str, int]]:
    """Return the concepts by the stems of their words; of stems that are short none."""
    known: dict[str, tuple[str, int] | None] = {}
    for word, told in concepts().items():
        root = stem(base_of(word, language), language)
        known[root] = told if known.get(root, told) == told else None
    return {root: told for root, told in known.items() if told and len(root) >= LEAST_ROOT}


def _german(word: str) -> str:
    """Return a German verb without what makes its participle, its prefix kept."""
    known = _irregular()
    if found := WITH_ZU.fullmatch(word):
        return f"{found['prefix']}{base_of(found['verb'], 'de')}"
    if (found := PREFIXED.fullmatch(word)) and (base := known.get(("de", found["verb"]))):
        return f"{found['prefix']}{base}"
    if (found := PARTICIPLE.fullmatch(word)) and not found["root"].endswith("tt"):
        return f"{found['prefix'] or ''}{found['root']}"
    return word


@cache
def _irregular() -> dict[tuple[str, str], str]:
    return {
        (language, word): first for language, word, first in reversed(list(_forms("irregular.tsv")))
    }


@cache
def _homographs() -> dict[tuple[str, str], str]:
    return {
        (language, word): f"{first}{KEPT}" for language, word, first in _forms("homographs.tsv")
    }


def _forms(name: str) -> Iterator[tuple[str, str, str]]:
    for language, forms in rows(name):
        words = forms.split()
        yield from ((language, word, words[0]) for word in words)
