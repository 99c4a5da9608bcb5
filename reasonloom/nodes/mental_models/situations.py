"""Everyday situations: their names in triggers and the cues that indicate them in a message.

The list was written by hand in the languages of the labelled set; everything else is compared by
words and embeddings only.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FILE = "situations.tsv"
WORDS_FILE = "trigger_words.tsv"
TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*", re.UNICODE)
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
MOST_READ_CHARS = 4_000
DENIAL_REACH = 3
"""Number of words before a cue that are searched for a negation."""

CLAUSE = re.compile(r"[.!?;:,\n…。、！？]")


@dataclass(frozen=True, slots=True)
class Cue:
    """Consecutive words, where `*` matches the rest of a word or any word."""

    words: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether to search the raw text instead of words, as in scripts without spaces."""
        return bool(CJK.search(self.words[0]))


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation: its names in triggers, its cues, and cues for another sense (`unless`)."""

    name: str
    named: tuple[Cue, ...]
    cues: tuple[Cue, ...]
    unless: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A case-folded text, its words, and the clause number of each word."""

    plain: str
    words: tuple[str, ...]
    clauses: tuple[int, ...]


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a word list by name, such as `frame`, `first`, `denials` or `small en`."""
    raw = (files(__package__) / WORDS_FILE).read_text(encoding="utf-8")
    for line in raw.splitlines():
        key, sign, words = line.partition("|")
        if sign and key.strip() == name:
            return frozenset(words.split())
    raise KeyError(name)


@cache
def situations() -> tuple[Situation, ...]:
    """Return all situations."""
    raw = (files(__package__) / FILE).read_text(encoding="utf-8")
    found = []
    for line in raw.splitlines():
        if line.strip() and not line.startswith("#"):
            name, *columns = (part.strip() for part in line.split("|"))
            named, cues, unless = (_cues(column) for column in columns)
            found.append(Situation(name, named, cues, unless))
    return tuple(found)


def _cues(column: str) -> tuple[Cue, ...]:
    return tuple(
        Cue(tuple(part.strip().casefold().split())) for part in column.split(",") if part.strip()
    )


def read_text(text: str) -> Text:
    """Tokenise a text for matching cues."""
    plain = unicodedata.normalize("NFKC", text[:MOST_READ_CHARS]).casefold().replace("\u2019", "'")
    words: list[str] = []
    clauses: list[int] = []
    for clause, part in enumerate(CLAUSE.split(plain)):
        for found in TOKEN.findall(part):
            words.append(found)
            clauses.append(clause)
    return Text(plain, tuple(words), tuple(clauses))


def cue_place(cue: Cue, text: Text, start: int = 0) -> int | None:
    """Return the index of the first match of a cue from word `start` on, or None."""
    if cue.plain:
        parts = [re.escape(part) for part in " ".join(cue.words).split("*") if part]
        found = re.search(r".{0,4}".join(parts), text.plain)
        return found.start() if found else None
    length = len(cue.words)
    for place in range(start, len(text.words) - length + 1):
        if all(meets(text.words[place + n], cue.words[n]) for n in range(length)):
            return place
    return None


def meets(word: str, wanted: str) -> bool:
    """Return whether a word of a text matches a word of a cue."""
    if wanted.startswith("*"):
        return word.endswith(wanted[1:])
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def is_another(situation: Situation, text: Text) -> bool:
    """Return whether a text uses the words of a situation in another sense."""
    return any(cue_place(cue, text) is not None for cue in situation.unless)


def shows_situation(situation: Situation, text: Text) -> bool:
    """Return whether a text has an affirmed cue of a situation, in the intended sense."""
    return not is_another(situation, text) and any(_affirmed(cue, text) for cue in situation.cues)


def _affirmed(cue: Cue, text: Text) -> bool:
    place, denials = cue_place(cue, text), word_list("denials")
    if cue.plain:
        return place is not None
    while place is not None:
        before = range(max(0, place - DENIAL_REACH), place)
        clause = text.clauses[place]
        if not any(text.words[n] in denials and text.clauses[n] == clause for n in before):
            return True
        place = cue_place(cue, text, place + 1)
    return False
