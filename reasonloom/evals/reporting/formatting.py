"""Numbers as a report writes them: scores in per cent, differences in points, with a true minus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from reasonloom.evals.core.way import text_of

MINUS = "\u2212"
LEAST_CHANCE = 0.0001
INTEGERS_FROM = 1_000
"""From here on numbers have no fraction."""

LARGE = 2.0
"""Relative changes from here on are told as times."""


def format_percent(share: float) -> str:
    """Return a share of 1 in per cent, such as `71.5 %`."""
    return f"{_signed(100 * share, '.1f')} %"


@dataclass(frozen=True, slots=True)
class ScoreFormat:
    """How scores are written: shares of 1 in per cent and points, all others as they are."""

    shares: bool = True

    @property
    def unit(self) -> str:
        """What stands behind a difference: points are hundredths of a score."""
        return " points" if self.shares else ""

    def score(self, value: float) -> str:
        """Return a mean score, such as `71.5 %`."""
        return format_percent(value) if self.shares else format_number(value)

    def mark(self, value: float) -> str:
        """Return an item's score as short as it is: `100 %`, `33.3 %`."""
        told = _signed(100 * value, ".1f").removesuffix(".0")
        return f"{told} %" if self.shares else format_number(value)

    def ends(self, interval: Sequence[float]) -> str:
        """Return the ends of a score's interval, such as `64.0 to 77.0 %`."""
        low, high = map(self.score, interval)
        return f"{low.removesuffix(' %')} to {high}"

    def by(self, value: float, *, plus: bool = True) -> str:
        """Return a difference, such as `+6.2`."""
        if self.shares:
            return _signed(100 * value, "+.1f" if plus else ".1f")
        return format_number(value, plus=plus)

    def size(self, value: float) -> str:
        """Return a difference with its unit and without a plus, such as `6.2 points`."""
        return f"{self.by(value, plus=False)}{self.unit}"

    def tick(self, value: float, *, plus: bool = False) -> str:
        """Return the number at a tick of an axis, as short as it is."""
        told = 100 * value if self.shares else value
        return f"{told:{'+' if plus and value else ''}.6g}".replace("-", MINUS)


def format_change(share: float) -> str:
    """Return a relative change, such as `+12.0 %`, a large one as `3.5 times`."""
    if share >= LARGE:
        return f"{format_number(1 + share)} times"
    return f"{_signed(100 * share, '+.1f')} %"


def no_break(sentence: str) -> str:
    """Return a sentence whose numbers are not parted from their per cent signs."""
    return sentence.replace(" %", "\u00a0%")


def format_p(p: float) -> str:
    """Return a p value."""
    return f"{p:.4f}" if p >= LEAST_CHANCE else f"< {LEAST_CHANCE:.4f}"


def format_number(value: float, *, plus: bool = False) -> str:
    """Return a number with three digits, large ones whole, none with an exponent."""
    if abs(value) >= INTEGERS_FROM:
        return _signed(value, "+,.0f" if plus else ",.0f")
    told = Decimal(f"{value:.3g}")
    return f"{told:{'+' if plus and told else ''}f}".replace("-", MINUS) if told else "0"


def format_count(value: float) -> str:
    """Return a whole number, such as `5,000`."""
    return f"{value:,.0f}"


def _signed(value: float, form: str) -> str:
    """Return a number in a form; what rounds to 0 has no sign."""
    told = format(value, form)
    if not any(digit in told for digit in "123456789"):
        told = told.lstrip("+-")
    return told.replace("-", MINUS)


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


def escape_hidden(text: str) -> str:
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
class TruncatedText:
    """A text as far as it is shown; `left_out` counts the characters behind it."""

    text: str
    left_out: int = 0


class DisplayBudget:
    """What a page has room for in all, so that a large run's page can still be opened."""

    def __init__(self, left: int = ROOM) -> None:
        self.left = left

    @property
    def full(self) -> bool:
        """Whether there is room for nothing more."""
        return self.left <= 0

    def cut(self, value: Any, most: int = LONGEST) -> TruncatedText:
        """Return a value as text, as far as there is room."""
        text = text_of(value)
        kept = text[: max(0, min(most, self.left))]
        self.left -= len(kept)
        return TruncatedText(kept, len(text) - len(kept))


def shortened_line(value: Any, most: int) -> str:
    """Return a value as one line of so many characters at most."""
    text = " ".join(escape_hidden(text_of(value)[: 4 * most]).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def natural_key(name: str) -> list[tuple[int, int | str]]:
    """Return what names are sorted by so that `q2` comes before `q10`."""
    pieces = re.split(r"([0-9]{1,18})", name)
    return [
        (0, int(piece)) if place % 2 else (1, piece) for place, piece in enumerate(pieces) if piece
    ]
