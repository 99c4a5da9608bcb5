"""Finds English words that express an emotion, and whether they are negated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from reasonloom.contracts.metacognition import Emotion
from reasonloom.text.stemming import snowball_stem

FILE = "emotion_words.tsv"
WORD = re.compile(r"[\w'\u2019-]+")
MOST_CUES = 40
REACH = 4
"""Number of words before a cue, within its clause, searched for negation or degree."""

LOOKED_BACK = 200
"""Number of characters before a cue searched for the start of its clause."""

LONGEST = 6
"""Maximum words of an entry."""

CLAUSE_END = re.compile(r"[.!?;:,\u2014\n]| but | yet | though ")
DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|hardly|barely|scarcely|\w+n['\u2019]t"
    r"|cannot|free (?:of|from)|instead of|rather than|far from|anything but|lack of|isn|wasn)\b",
    re.I,
)
DENIED_AFTER = re.compile(r"^\W*\?\s*(?:hardly|no|not|never|me\b|far from|anything but|don)", re.I)
MORE = re.compile(
    r"\b(?:so|very|really|extremely|utterly|deeply|terribly|absolutely|completely|totally|beyond"
    r"|incredibly|such|far too|more than ever|intensely)\b",
    re.I,
)
LESS = re.compile(
    r"\b(?:a (?:bit|little|touch)|slightly|somewhat|mildly|faintly|kind of|sort of|rather|vaguely"
    r"|half)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A match of the word list; `weight`, 0..1, is how strongly it indicates the emotion."""

    text: str
    start: int
    emotion: Emotion
    weight: float
    negated: bool
    degree: float

    @property
    def wire(self) -> dict[str, Any]:
        """The cue as represented in answers."""
        return {
            "text": self.text,
            "start": self.start,
            "end": self.start + len(self.text),
            "emotion": self.emotion,
            "negated": self.negated,
        }


def cues_in(text: str) -> list[Cue]:
    """Return the cues of a text in order, longest match first, stopping at `MOST_CUES`."""
    words = list(WORD.finditer(text))
    stems = [_stemmed(word[0]) for word in words]
    found: list[Cue] = []
    place = 0
    while place < len(words) and len(found) < MOST_CUES:
        length, entries = _longest(stems, place)
        if entries:
            start, end = words[place].start(), words[place + length - 1].end()
            found += [_cue(text, start, end, *entry) for entry in entries]
        place += max(1, length)
    return found


def _cue(text: str, start: int, end: int, emotion: Emotion, weight: float) -> Cue:
    before = CLAUSE_END.split(text[max(0, start - LOOKED_BACK) : start])[-1]
    near = " ".join(before.split()[-REACH:])
    degree = 1.25 if MORE.search(near) else 0.6 if LESS.search(near) else 1.0
    denied = (
        bool(DENIES.search(near)) or DENIED_AFTER.match(text[end : end + LOOKED_BACK]) is not None
    )
    return Cue(text[start:end], start, emotion, weight, denied, degree)


def _longest(stems: Sequence[str], place: int) -> tuple[int, tuple[tuple[Emotion, float], ...]]:
    for length in range(min(LONGEST, len(stems) - place), 0, -1):
        if entries := _known().get(tuple(stems[place : place + length])):
            return length, entries
    return 0, ()


@cache
def _known() -> dict[tuple[str, ...], tuple[tuple[Emotion, float], ...]]:
    """Load the packaged list, keyed by word stems; an entry may have several emotions."""
    known: dict[tuple[str, ...], dict[Any, float]] = {}
    raw = (files("reasonloom.nodes.metacognition") / FILE).read_text(encoding="utf-8")
    for line in raw.splitlines():
        emotion, weight, entry = line.split("\t")
        stems = tuple(_stemmed(word) for word in WORD.findall(entry))
        weights = known.setdefault(stems, {})
        weights[emotion] = max(float(weight), weights.get(emotion, 0.0))
    return {stems: tuple(weights.items()) for stems, weights in known.items() if stems}


@lru_cache(maxsize=20_000)
def _stemmed(word: str) -> str:
    folded = word.casefold().replace("\u2019", "'").strip("'-")
    return snowball_stem(folded, "english")
