"""Finds where words that somebody quotes stand in a text."""

from __future__ import annotations

import re
from typing import Any

UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Letters of scripts that set no blanks between words, or hang endings on them."""


def quoted(words: str, text: str) -> dict[str, Any] | None:
    """Return the span of quoted words, None where they do not stand there.

    Case, blanks and signs between the words do not matter. Words are whole where their script
    has blanks between words.
    """
    parts = re.findall(r"\w+", words)
    if not parts:
        return None
    begin = "" if UNSPACED.match(parts[0][0]) else r"\b"
    end = "" if UNSPACED.match(parts[-1][-1]) else r"\b"
    found = re.search(begin + r"\W+".join(map(re.escape, parts)) + end, text, re.I)
    if found is None:
        return None
    return {"text": found[0], "start": found.start(), "end": found.end()}
