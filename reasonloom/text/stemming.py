"""Takes the endings off words (Snowball), in any thread: a stemmer works on letters of its own."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

_LOCK = threading.Lock()


def snowball_stem(word: str, language: str) -> str:
    """Return a word without its ending; `language` is Snowball's name of it, such as `english`."""
    with _LOCK:
        return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer  # noqa: PLC0415 - built only where a text is read

    return snowballstemmer.stemmer(language)
