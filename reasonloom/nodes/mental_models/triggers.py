"""Matches a message against the situation that a trigger describes.

A trigger names ideas (`work`, `stress`). The message must show every idea that is in the list of
situations, in any wording; other words of the trigger are matched literally and combined with
vector similarity if an embedder is available.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from reasonloom.nodes.mental_models.situations import (
    Cue,
    Situation,
    Text,
    cue_place,
    is_another,
    meets,
    read_text,
    shows_situation,
    situations,
    word_list,
)

ABOUT_USER = ("user", "nutzer*", "l'utilisateur", "utilisat*", "usuari*", "пользовател*")
ELIDED = ("j'", "m'")
CJK_RANGE = re.compile("[\u3040-\u9fff]")
NAMES_SPEAKER = ("en", "de", "fr")
SPEAKER_LANGUAGES = (*NAMES_SPEAKER, "es")
"""Languages recognised by function words; in the first three, verb forms alone show no person."""

LEAST_LIKENESS = 0.72
"""Minimum likeness at which a template fires."""

FITS, SAME_COSINE = 0.6, 0.5
"""Minimum reader probability at which a message shows a situation, and minimum cosine at which the
message names it."""

VECTOR_WEIGHT = 0.3
"""Weight of vector similarity if the trigger has words that are not in the list."""

NEAR_COSINE = 0.42
"""Cosine above the floor at which a trigger without searchable words fires."""

MOST_TRIGGER_CHARS = 500
SHARED_LETTERS = 4
"""Minimum leading letters shared by two forms of a word."""


@dataclass(frozen=True, slots=True)
class TriggerMatch:
    """The likeness, 0..1, of a message and a trigger, and how it was measured."""

    likeness: float
    fires: bool
    by: str


@dataclass(frozen=True, slots=True)
class TriggerTerms:
    """The terms of a trigger: known situations and the remaining words."""

    known: tuple[Situation, ...]
    words: tuple[str, ...]
    of_user: bool


def match_trigger(
    trigger: str, message: str, cosine: float | None, fits: float | None = None
) -> TriggerMatch:
    """Compare a message with a trigger.

    `cosine` is that of their vectors, if any. `fits` is the packaged reader's probability, 0..1,
    that the message shows the situation. If `fits` is known, the likeness is the maximum of the
    estimates by reader or cosine and by words; otherwise words and vectors are combined.
    """
    wanted, text = trigger_terms(trigger), read_text(message)
    by = "words" if cosine is None else "meaning"
    read = 0.0
    if fits is not None and not any(is_another(each, text) for each in wanted.known):
        read = min(1.0, LEAST_LIKENESS * max(fits / FITS, (cosine or 0.0) / SAME_COSINE))
    if fits is not None:
        cosine = None
    if wanted.of_user and wanted.known and _of_others(text):
        words = 0.0
    else:
        words = _likeness(wanted, text, None if cosine is None else max(0.0, cosine))
    likeness = max(read, words)
    return TriggerMatch(round(likeness, 4), likeness >= LEAST_LIKENESS, by)


def _likeness(wanted: TriggerTerms, text: Text, near: float | None) -> float:
    matched = [shows_situation(each, text) for each in wanted.known]
    if wanted.known and not all(matched):
        return LEAST_LIKENESS * sum(matched) / (len(matched) + 1)
    found = [_has(word, text) for word in wanted.words]
    if not matched and not found:
        return min(1.0, (near or 0.0) / NEAR_COSINE * LEAST_LIKENESS)
    covered = (sum(matched) + sum(found)) / (len(matched) + len(found))
    if near is None or not found:
        return covered
    by_vectors = min(1.0, near / NEAR_COSINE * LEAST_LIKENESS)
    return max(covered * (1 - VECTOR_WEIGHT) + by_vectors * VECTOR_WEIGHT, by_vectors)


@lru_cache(maxsize=1_024)
def trigger_terms(trigger: str) -> TriggerTerms:
    """Parse a trigger into its terms."""
    text = read_text(trigger[:MOST_TRIGGER_CHARS])
    known: list[Situation] = []
    covered: set[int] = set()
    for situation in situations():
        places = [place for cue in situation.named if (place := _place(cue, text)) is not None]
        if places:
            known.append(situation)
            covered = covered.union(*places)
    words = tuple(
        word
        for n, word in enumerate(text.words)
        if n not in covered and word not in word_list("frame") and not CJK_RANGE.search(word)
    )
    of_user = any(meets(word, each) for word in text.words for each in ABOUT_USER)
    return TriggerTerms(tuple(known), words, of_user)


def _place(cue: Cue, text: Text) -> set[int] | None:
    """Return the word indexes of a cue in a trigger; None if it does not occur."""
    place = cue_place(cue, text)
    if place is None or cue.plain:
        return None if place is None else set()
    return set(range(place, place + len(cue.words)))


def _has(word: str, text: Text) -> bool:
    """Return whether a text contains a form of a word."""
    return any(each == word or _form(each, word) for each in text.words)


def _form(one: str, other: str) -> bool:
    pairs = zip(one, other, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared >= max(SHARED_LETTERS, round(0.7 * max(len(one), len(other))))


def _of_others(text: Text) -> bool:
    """Return whether a message is only about others; False if its language may omit the speaker."""
    counts = {
        name: sum(word in word_list(f"small {name}") for word in text.words)
        for name in SPEAKER_LANGUAGES
    }
    spoken = max(counts, key=lambda name: counts[name])
    if spoken not in NAMES_SPEAKER or not counts[spoken] or "?" in text.plain:
        return False
    return not any(word in word_list("first") or word.startswith(ELIDED) for word in text.words)
