"""Tells whether words that somebody quotes stand in the text that they are said to be from."""

from __future__ import annotations

import re


def stands(words: str, text: str) -> bool:
    """Tell whether words stand in a text, whatever their case, blanks and signs."""
    return bool(bare(words)) and f" {bare(words)} " in f" {bare(text)} "


def bare(text: str) -> str:
    """Return the words of a text alone, folded."""
    return " ".join(re.findall(r"\w+", text.casefold()))
