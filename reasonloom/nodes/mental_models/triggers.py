"""Tells whether a message is of the situation that a trigger describes.

A trigger names ideas (`work`, `stress`). Those that the list of situations knows must all be
shown by the message, whatever its words; other words of the trigger are looked for as words, and
the likeness of the vectors, where there is an embedder, weighs beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from reasonloom.nodes.mental_models.situations import (
    Cue,
    Situation,
    Text,
    cue_place,
    read_text,
    shows_situation,
    situations,
    word_list,
)

ABOUT_USER = ("user", "nutzer*", "l'utilisateur", "utilisat*", "usuari*", "пользовател*")
ELIDED = ("j'", "m'")
NAMES_SPEAKER = ("en", "de", "fr")
SPEAKER_LANGUAGES = (*NAMES_SPEAKER, "es")
"""Languages told by their small words; in the first three a verb does not tell its person alone."""

ENOUGH = 0.72
"""The least likeness at which a template fires."""

OF_VECTORS = 0.3
"""How much the vectors weigh where the trigger has words that the list does not know."""

NEAR = 0.42
"""The cosine above the floor's scale at which a trigger fires that has no word to look for."""

MOST_OF_TRIGGER = 500
"""Characters of a trigger that are looked at."""

SHARED = 4
"""Letters that two words must begin with to be taken for forms of one."""


@dataclass(frozen=True, slots=True)
class TriggerMatch:
    """How alike a message and a trigger are, 0..1, and by what that was told."""

    likeness: float
    fires: bool
    by: str


@dataclass(frozen=True, slots=True)
class TriggerTerms:
    """What a trigger asks for: situations of the list, and words that it does not know."""

    known: tuple[Situation, ...]
    words: tuple[str, ...]
    of_user: bool


def match_trigger(trigger: str, message: str, cosine: float | None) -> TriggerMatch:
    """Compare a message with a trigger; `cosine` is that of their vectors, None without."""
    wanted, text = trigger_terms(trigger), read_text(message)
    by = "words" if cosine is None else "meaning"
    if wanted.of_user and wanted.known and _of_others(text):
        return TriggerMatch(0.0, False, by)
    near = max(0.0, cosine or 0.0)
    likeness = _likeness(wanted, text, None if cosine is None else near)
    return TriggerMatch(round(likeness, 4), likeness >= ENOUGH, by)


def _likeness(wanted: TriggerTerms, text: Text, near: float | None) -> float:
    shown = [shows_situation(each, text) for each in wanted.known]
    if wanted.known and not all(shown):
        return ENOUGH * sum(shown) / (len(shown) + 1)
    found = [_has(word, text) for word in wanted.words]
    if not shown and not found:
        return min(1.0, (near or 0.0) / NEAR * ENOUGH)
    covered = (sum(shown) + sum(found)) / (len(shown) + len(found))
    if near is None or not found:
        return covered
    by_vectors = min(1.0, near / NEAR * ENOUGH)
    return max(covered * (1 - OF_VECTORS) + by_vectors * OF_VECTORS, by_vectors)


@lru_cache(maxsize=1_024)
def trigger_terms(trigger: str) -> TriggerTerms:
    """Return what a trigger asks for."""
    text = read_text(trigger[:MOST_OF_TRIGGER])
    known: list[Situation] = []
    taken: set[int] = set()
    for situation in situations():
        places = [place for cue in situation.named if (place := _place(cue, text)) is not None]
        if places:
            known.append(situation)
            taken = taken.union(*places)
    words = tuple(
        word
        for n, word in enumerate(text.words)
        if n not in taken and word not in word_list("frame") and not _cjk(word)
    )
    of_user = any(
        word == each or (each.endswith("*") and word.startswith(each[:-1]))
        for word in text.words
        for each in ABOUT_USER
    )
    return TriggerTerms(tuple(known), words, of_user)


def _place(cue: Cue, text: Text) -> set[int] | None:
    """Return the words that a cue takes in a trigger, None where it is not there."""
    place = cue_place(cue, text)
    if place is None or cue.plain:
        return None if place is None else set()
    return set(range(place, place + len(cue.words)))


def _cjk(word: str) -> bool:
    return any("\u3040" <= each <= "\u9fff" for each in word)


def _has(word: str, text: Text) -> bool:
    """Tell whether a text has a word, or a form of it."""
    return any(each == word or _form(each, word) for each in text.words)


def _form(one: str, other: str) -> bool:
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    return shared >= max(SHARED, round(0.7 * max(len(one), len(other))))


def _of_others(text: Text) -> bool:
    """Tell whether a message speaks of others alone, where its language names the speaker."""
    counts = {
        name: sum(word in word_list(f"small {name}") for word in text.words)
        for name in SPEAKER_LANGUAGES
    }
    spoken = max(counts, key=lambda name: counts[name])
    if spoken not in NAMES_SPEAKER or not counts[spoken] or "?" in text.plain:
        return False
    return not any(word in word_list("first") or word.startswith(ELIDED) for word in text.words)
