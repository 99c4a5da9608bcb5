"""Word lists by function: function words, denials, quantities, and synonyms of a concept.

The lists are data files: `function_words.tsv` (language, words), `operators.tsv` (kind, language,
words) and `concepts.tsv` (synonyms on one line, their antonyms after ` / `).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from reasonloom.text.stemming import snowball_stem

PACKAGE = "reasonloom.nodes.graph_memory.grounding.reading"
STEMMERS = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
JAPANESE = "ja"
OTHERS = "other"
"""Code of the denials of further languages, which are not supported otherwise."""

LETTERS = {"de": "äöü", "fr": "àâçèêëîïôùûœ", "es": "ñ¿¡áíóú"}
"""Letters that are specific to one of the languages."""

ABROAD = frozenset((
    "van", "son", "sin", "car", "die", "war", "hat", "man", "mine", "plus", "pour", "chat", "once",
    "on", "or", "a",
))  # fmt: skip
"""Function words of one language that are also words of another."""

FOREIGN = 0.4
"""Weight of an ABROAD word for a language that is not the default; two count less than one."""

SHORTEST = 4
LONG = 8
LATIN_END = 0x250


def is_read(text: str) -> bool:
    """Return whether a text has function words or letters of a supported language."""
    return language_of(text, OTHERS) != OTHERS


def language_of(text: str, default: str = "en") -> str:
    """Detect en, de, fr, es or ja, by the function words and letters of a text.

    A claim is too short for a character n-gram model, and the first four differ in their function
    words. Returns `default` if nothing matches.
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


def has_content(word: str, language: str) -> bool:
    """Return whether a case-folded word is a content word; a single letter is none."""
    return word not in _small().get(language, frozenset()) and not (
        len(word) == 1 and not word.isdigit()
    )


def operator_of(word: str, language: str) -> str:
    """Return deny, local, allow, all, only or hedge for an operator; empty for other words."""
    known = _operators()
    return known.get((language, word)) or known.get((OTHERS, word), "")


def concept_of(word: str) -> tuple[str, int] | None:
    """Return the concept of a case-folded word, and its sign: 1, or -1 for the opposite."""
    return concepts().get(word)


def stem(word: str, language: str) -> str:
    """Return the stem of a case-folded word, without accents."""
    stemmed = _stemmed(word, language) if language in STEMMERS else word
    return _plain(stemmed)


def same_stem(one: str, other: str) -> bool:
    """Return whether two stems are of one word: they differ by a letter or two at the end."""
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


def read_table(name: str) -> Iterator[list[str]]:
    """Yield the fields of each line of a packaged list, case-folded."""
    raw = (files(PACKAGE) / name).read_text(encoding="utf-8")
    return (line.casefold().split("\t") for line in raw.splitlines() if line)


@cache
def _small() -> dict[str, frozenset[str]]:
    return {code: frozenset(words.split()) for code, words in read_table("function_words.tsv")}


@cache
def _operators() -> dict[tuple[str, str], str]:
    known: dict[tuple[str, str], str] = {}
    for kind, code, words in read_table("operators.tsv"):
        for word in words.split():
            known.setdefault((code, word), kind)
    return known


@cache
def concepts() -> dict[str, tuple[str, int]]:
    """Return the listed words, case-folded, each with its concept and sign."""
    known: dict[str, tuple[str, int]] = {}
    for (line,) in read_table("concepts.tsv"):
        same, _, opposite = line.partition(" / ")
        name = f"={same.split()[0]}"
        for words, sign in ((same, 1), (opposite, -1)):
            for word in words.split():
                known.setdefault(word, (name, sign))
    return known


@lru_cache(maxsize=20_000)
def _stemmed(word: str, language: str) -> str:
    return snowball_stem(word, STEMMERS[language])


@cache
def clause_words(kind: str) -> frozenset[str]:
    """Return the case-folded words of a kind.

    Kinds include soft (where a clause may begin), relative, turns (not X but Y), joins, titles,
    conditions, contrasting (conditions that contrast after a comma), auxiliaries, above and below
    (limits of figures), without, by (before the agent), designators (nouns before a letter that is
    a name), and place-en etc. (prepositions).
    """
    found = next(words for name, words in read_table("clause_words.tsv") if name == kind)
    return frozenset(found.split())


# A function word has one or more senses (`from`, `he`, `because`); two that share one are
# interchangeable, such as `vom` and `aus`. Those listed as `empty` have no sense.

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
"""Meaningful symbols, each with its canonical form."""

FORMERLY = frozenset(("formerly",))
OPTIONAL = "optional"
PARTICLE = "particle"
DISTINGUISHING = "telling"
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
    """Return the senses of a function word; the word itself if unlisted, none if `empty`."""
    if word in SIGN:
        return frozenset((SIGN[word], DISTINGUISHING))
    known = _known().get((language, word))
    if known:
        return known
    if known is not None or not word[:1].isalpha():
        return frozenset()
    return frozenset((f"word {word}",))


def is_place(senses: Senses) -> bool:
    """Return whether a word governs what follows it: a preposition or a relational symbol."""
    return bool(senses & (PLACES | frozenset(SIGN.values())))


def opposed_senses(one: Senses, other: Senses) -> bool:
    """Return whether two words that share no preposition sense are opposites."""
    return not one & other & PLACES and any(
        frozenset((mine, theirs)) in OPPOSITES for mine in one for theirs in other
    )


@cache
def _known() -> dict[tuple[str, str], Senses]:
    known: dict[tuple[str, str], Senses] = {}
    for sense, language, words in read_table("small_words.tsv"):
        for word in words.split():
            held = known.get((language, word), frozenset())
            known[language, word] = held | ({sense} if sense != "empty" else set())
    return known


# The forms are data files with one word per line: `irregular.tsv` (language, forms) and
# `homographs.tsv` (language, forms of a word that stemming would conflate with another: engineer
# and engine).

LEAST_ROOT = 3
KEPT = "0"
"""Suffix of a key that must not match others by spelling."""

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
    """Return the base form of a case-folded word if it is known, else the word."""
    known = _irregular()
    if found := known.get((language, word)):
        return found
    return _german(word) if language == "de" else word


def key_of(word: str, language: str) -> tuple[str, int]:
    """Return the key of a case-folded word, its concept or stem, and its sign."""
    if kept := _homographs().get((language, word)):
        return kept, 1
    base = base_of(word, language)
    known = concept_of(word) or concept_of(base) or _by_stem(base, language)
    return known or (stem(base, language), 1)


def _by_stem(word: str, language: str) -> tuple[str, int] | None:
    """Return the concept of an unlisted form of a listed word, by its stem.

    In English only for verb endings, since a noun may share a verb's stem (bill, billed).
    """
    if language == "en" and not word.endswith(("ing", "ed")):
        return None
    return _stems(language).get(stem(word, language))


@cache
def _stems(language: str) -> dict[str, tuple[str, int]]:
    """Return the concepts by the stems of their words, without short or ambiguous stems."""
    known: dict[str, tuple[str, int] | None] = {}
    for word, concept in concepts().items():
        root = stem(base_of(word, language), language)
        known[root] = concept if known.get(root, concept) == concept else None
    return {root: concept for root, concept in known.items() if concept and len(root) >= LEAST_ROOT}


def _german(word: str) -> str:
    """Return a German verb form without its participle or `zu` affixes, with its prefix."""
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
    for language, forms in read_table(name):
        words = forms.split()
        yield from ((language, word, words[0]) for word in words)
