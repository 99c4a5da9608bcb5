"""Guesses the language of a text, so that no check judges words that it cannot read."""

import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

SUPPORTED = frozenset({"en"})
"""Languages that the word rules can judge."""

UNKNOWN = "und"
SURE = 0.5
"""Least probability for a language to be taken as known."""

LIKELY, AHEAD = 0.2, 3.0
"""Least probability of English if no language is sure, and its least ratio to the next: a few
plain words (`We did it!`) are too short to be sure of."""

READ = 5_000
"""Characters that are read."""

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Language:
    """A language's code of ISO 639-1, or `und`, and whether words are judged in it."""

    code: str
    supported: bool


def language_of(text: str) -> Language:
    """Return the language of a text; `und` for single words, names, formulas and gibberish."""
    code, probability = _identifier().classify(text[:READ])
    sure = probability >= SURE or (code == "en" and _leads(text[:READ]))
    known = str(code) if sure else UNKNOWN
    return Language(known, known in SUPPORTED)


def is_english(text: str) -> bool:
    """Return whether a text is in English; plain letters of no known language count as such."""
    found = language_of(text)
    return found.supported or (found.code == UNKNOWN and text.isascii())


def is_loaded() -> bool:
    """Return whether the model is loaded: loading takes a second of processor time."""
    return bool(_loaded.cache_info().currsize)


def _leads(text: str) -> bool:
    (_, first), (_, second) = _identifier().rank(text)[:2]
    return bool(first >= LIKELY and first >= AHEAD * second)


def _identifier() -> Any:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
