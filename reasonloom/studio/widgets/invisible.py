"""Spells what cannot be seen in a text, so that nobody is misled by it."""

from __future__ import annotations

import unicodedata

STEERING = ("Cf", "Co", "Cs", "Cc")
"""Characters that are not seen and may change how others are: direction overrides, joiners …"""

KEPT = "\n\t"


def seen(text: str) -> str:
    """Return a text with every invisible character spelled as its number."""
    if text.isprintable():
        return text
    return "".join(_spelled(c) for c in text)


def _spelled(c: str) -> str:
    hidden = unicodedata.category(c) in STEERING and c not in KEPT
    return f"⟨U+{ord(c):04X}⟩" if hidden else c
