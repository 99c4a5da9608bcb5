"""Search terms of a text: stemmed words, or character pairs in scripts without spaces."""

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

from reasonloom.text.stemming import snowball_stem

FILE = "stop_words.txt"
UNSPACED = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff"
    "\u3100-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""Scripts without spaces between words, or with endings that no stemmer removes: Thai, Lao,
Tibetan, Burmese, Khmer, Chinese, Japanese, Korean."""

PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"

STEMMERS = (
    (re.compile("[äöüß]"), "german"),
    (re.compile("[a-z]"), "english"),
    (re.compile("[\u0400-\u04ff]"), "russian"),
    (re.compile("[\u0370-\u03ff]"), "greek"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
    (re.compile("[\u0900-\u097f]"), "hindi"),
    (re.compile("[\u0530-\u058f]"), "armenian"),
    (re.compile("[\u0b80-\u0bff]"), "tamil"),
)
"""Snowball's language for a word: the first one whose letters occur in it."""

HIRAGANA = re.compile("[\u3040-\u309f]+")
STRETCH = re.compile(
    f"{HIRAGANA.pattern}|[\u30a0-\u30ff\uff66-\uff9f]+|[^\u3040-\u30ff\uff66-\uff9f]+"
)
"""Splits runs at the borders of Chinese characters, hiragana and katakana."""

PARTICLES = re.compile("[的了]")


def keywords_of(text: str) -> list[str]:
    """Return the distinct keywords of a text as search terms, in order.

    Words are normalised (NFKC, case, accents) and stemmed. A run of Chinese, Japanese, Korean or
    Thai yields its pairs of neighbouring characters, a single character yields itself. An emoji is
    a word. Stop words are dropped, so the list may be empty.
    """
    return list(dict.fromkeys(word for run in _runs(text) for word in _cut(run)))


def index_terms(text: str) -> set[str]:
    """Return the terms to index a text by: its keywords, and the single characters of runs."""
    return {word for run in _runs(text) for word in (*_cut(run), *_letters(run))}


@cache
def stop_words() -> frozenset[str]:
    """Return the curated stop words of nine languages."""
    read = (files("reasonloom.text") / FILE).read_text(encoding="utf-8")
    return frozenset(read.split())


def _runs(text: str) -> list[str]:
    return _pattern().findall(unicodedata.normalize("NFKC", text).casefold())


def _cut(run: str) -> list[str]:
    if UNSPACED.match(run):
        return [pair for part in PARTICLES.split(run) for pair in _pairs(part)]
    word = stem_word(run)
    return [word] if word else []


def _pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of one script; drop single hiragana ones."""
    pairs = []
    for part in STRETCH.findall(run):
        if len(part) == 1 and not HIRAGANA.match(part):
            pairs.append(part)
        pairs += [part[i : i + 2] for i in range(len(part) - 1)]
    return [pair for pair in pairs if pair not in stop_words()]


def _letters(run: str) -> str:
    return run if len(run) > 1 and UNSPACED.match(run) else ""


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Return the stem of a case-folded word without accents, or '' for a stop word."""
    if word in stop_words() or (len(word) == 1 and word.isascii() and word.isalpha()):
        return ""
    language = next((name for letters, name in STEMMERS if letters.search(word)), None)
    stemmed = snowball_stem(word, language) if language else word
    if language not in ("english", "german"):
        return stemmed
    marked = unicodedata.normalize("NFD", stemmed)
    return "".join(letter for letter in marked if not unicodedata.combining(letter))


@cache
def _pattern() -> re.Pattern[str]:
    """Return the pattern of a word: unspaced run, number, word with marks, or emoji."""
    codes = (chr(code) for code in range(0x300, 0xFFFF))
    marks = "".join(code for code in codes if unicodedata.category(code).startswith("M"))
    unspaced = UNSPACED.pattern.strip("[]")
    spaced = rf"(?:(?![{unspaced}_])[\w{marks}])+"
    return re.compile(rf"[{unspaced}]+|\d+(?:[.,]\d+)+|(?!_)\w{spaced}|(?!_)\w|[{PICTURES}]")
