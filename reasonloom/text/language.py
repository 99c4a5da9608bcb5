"""Tells in which language a text is, so that no check judges words that it cannot read."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

SUPPORTED = frozenset({"en"})
"""Languages whose words the computed parts can judge."""

UNKNOWN = "und"
SURE = 0.5
"""Least probability that py3langid must give a language."""

LIKELY, AHEAD = 0.2, 3.0
"""Least probability of English where none is sure, and how many times that of the next: a few
plain words (`We did it!`) are no less English for being few."""

READ = 5_000
"""Characters that are looked at."""

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Language:
    """A language's code of ISO 639-1, or `und`, and whether words are judged in it."""

    code: str
    supported: bool


def language_of(text: str) -> Language:
    """Return the language of a text.

    `und` where nothing is sure: single words, names, formulas, letters without sense.
    """
    code, probability = _identifier().classify(text[:READ])
    sure = probability >= SURE or (code == "en" and _leads(text[:READ]))
    known = str(code) if sure else UNKNOWN
    return Language(known, known in SUPPORTED)


def is_loaded() -> bool:
    """Tell whether a language can be told at once: loading takes a second of the processor."""
    return bool(_loaded.cache_info().currsize)


def _leads(text: str) -> bool:
    (_, first), (_, second) = _identifier().rank(text)[:2]
    return bool(first >= LIKELY and first >= AHEAD * second)


def _identifier() -> Any:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Any:
    # Imported when it is wanted: it reads its model, which takes half a second.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
