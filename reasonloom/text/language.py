"""Detects the language of a text, so that word rules are not applied to other languages."""

import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

SUPPORTED = frozenset({"en"})
"""Languages that the word rules support."""

UNKNOWN = "und"
SURE = 0.5
"""Minimum probability of a detected language."""

LIKELY, AHEAD = 0.2, 3.0
"""Minimum probability of English if no language reaches `SURE`, and its minimum ratio to the
second: a few plain words (`We did it!`) are too short for a higher one."""

READ = 5_000
"""Characters of a text that are read."""

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Language:
    """An ISO 639-1 code, or `und`, and whether the word rules support the language."""

    code: str
    supported: bool


def language_of(text: str) -> Language:
    """Return the language of a text; `und` if unsure, as for single words, names and formulas."""
    code, probability = _identifier().classify(text[:READ])
    sure = probability >= SURE or (code == "en" and _leads(text[:READ]))
    known = str(code) if sure else UNKNOWN
    return Language(known, known in SUPPORTED)


def is_english(text: str) -> bool:
    """Return whether a text is in English; ASCII text of unknown language counts as English."""
    found = language_of(text)
    return found.supported or (found.code == UNKNOWN and text.isascii())


def is_loaded() -> bool:
    """Return whether the model is loaded; loading it takes a second of CPU time."""
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
