"""Thread-safe Snowball stemming; the stemmers themselves have mutable state."""

import threading
from functools import cache
from typing import Any

_LOCK = threading.Lock()


def snowball_stem(word: str, language: str) -> str:
    """Return a word's stem; `language` is Snowball's name of it, such as `english`."""
    with _LOCK:
        return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer  # noqa: PLC0415 - built only where a text is read

    return snowballstemmer.stemmer(language)
