"""Text of others as it may be shown: what steers a page, a terminal or an eye becomes a sign."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.core.way import text_of

LONGEST = 6_000
"""Characters of one text that a page shows."""

ROOM = 4_000_000
"""Characters of answers and transcripts that a page shows in all."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but tab and new line
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # direction, lines, no width
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff"  # halves, and what is no character
    "\U000e0000-\U000e007f]"  # tags: letters that nobody sees
)
LOWEST_PRINTED, DELETE = 0x20, 0x7F


def visible(text: str) -> str:
    """Return text in which hidden characters stand as signs: NUL as `␀`, others as `⟨U+202E⟩`.

    Joiners and variation selectors stay, as scripts and emoji need them.
    """
    return HIDDEN.sub(_sign, text.replace("\r\n", "\n"))


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < LOWEST_PRINTED:
        return chr(0x2400 + code)
    return "␡" if code == DELETE else f"⟨U+{code:04X}⟩"


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as far as it is shown; `left_out` counts the characters behind it."""

    text: str
    left_out: int = 0


class Room:
    """What a page has room for in all, so that a large run's page can still be opened."""

    def __init__(self, left: int = ROOM) -> None:
        self.left = left

    @property
    def full(self) -> bool:
        """Whether there is room for nothing more."""
        return self.left <= 0

    def cut(self, value: Any, most: int = LONGEST) -> Cut:
        """Return a value as text, as far as there is room."""
        text = text_of(value)
        kept = text[: max(0, min(most, self.left))]
        self.left -= len(kept)
        return Cut(kept, len(text) - len(kept))


def short(value: Any, most: int) -> str:
    """Return a value as one line of so many characters at most."""
    text = " ".join(visible(text_of(value)[: 4 * most]).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def natural(name: str) -> list[tuple[int, int | str]]:
    """Return what names are sorted by so that `q2` comes before `q10`."""
    pieces = re.split(r"([0-9]{1,18})", name)
    return [
        (0, int(piece)) if place % 2 else (1, piece) for place, piece in enumerate(pieces) if piece
    ]
