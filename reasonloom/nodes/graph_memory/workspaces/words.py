"""The telling words of a text, by their stems; scripts without spaces by pairs of letters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

from reasonloom.nodes.memory.retrieval.text_query import UNSPACED
from reasonloom.text.stemming import snowball_stem

FILE = "stop_words.txt"
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
"""By which rules the endings of a word are cut off: the first whose letters stand in it."""

HIRAGANA = re.compile("[\u3040-\u309f]+")
STRETCH = re.compile(
    f"{HIRAGANA.pattern}|[\u30a0-\u30ff\uff66-\uff9f]+|[^\u3040-\u30ff\uff66-\uff9f]+"
)
"""Runs are cut where Chinese characters, hiragana and katakana meet."""

PARTICLES = re.compile("[的了]")


def keywords_of(text: str) -> list[str]:
    """Return the different telling words of a text, as they are looked for, in order.

    Words are folded (NFKC, case, accents) and stemmed; a run of Chinese, Japanese, Korean or Thai
    gives its pairs of neighbouring letters, a single letter itself; an emoji is a word. Stop words
    are left out, so that the list may be empty.
    """
    return list(dict.fromkeys(word for run in _runs(text) for word in _cut(run)))


def index_terms(text: str) -> set[str]:
    """Return the words by which a text is found: its telling ones, and single letters of runs."""
    return {word for run in _runs(text) for word in (*_cut(run), *_letters(run))}


@cache
def stop_words() -> frozenset[str]:
    """Return words that stand everywhere and tell nothing, of nine languages, chosen by hand."""
    read = (files("reasonloom.nodes.graph_memory.workspaces") / FILE).read_text(encoding="utf-8")
    return frozenset(read.split())


def _runs(text: str) -> list[str]:
    return _pattern().findall(unicodedata.normalize("NFKC", text).casefold())


def _cut(run: str) -> list[str]:
    if UNSPACED.match(run):
        return [pair for part in PARTICLES.split(run) for pair in _pairs(part)]
    word = stem_word(run)
    return [word] if word else []


def _pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring letters of one script; a single hiragana tells nothing."""
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
    """Return a folded word without its ending and accents, '' for a stop word."""
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
    """Return what finds words: runs without spaces, other words with their marks, emoji."""
    codes = (chr(code) for code in range(0x300, 0xFFFF))
    marks = "".join(code for code in codes if unicodedata.category(code).startswith("M"))
    unspaced = UNSPACED.pattern.strip("[]")
    spaced = rf"(?:(?![{unspaced}_])[\w{marks}])+"
    return re.compile(rf"[{unspaced}]+|\d+(?:[.,]\d+)+|(?!_)\w{spaced}|(?!_)\w|[{PICTURES}]")
