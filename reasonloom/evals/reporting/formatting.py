"""Formats numbers and untrusted text for reports: per cent, points, control characters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from reasonloom.evals.core.way import text_of

MINUS = "\u2212"
LEAST_CHANCE = 0.0001
INTEGERS_FROM = 1_000
"""Larger numbers have no fraction."""

LARGE = 2.0
"""Larger relative changes are given as multiples."""


def format_percent(share: float) -> str:
    """Return a share in per cent, such as `71.5 %`."""
    return f"{_signed(100 * share, '.1f')} %"


@dataclass(frozen=True, slots=True)
class ScoreFormat:
    """Formats scores: shares in per cent and points, others unchanged."""

    shares: bool = True

    @property
    def unit(self) -> str:
        """Unit of a difference; points are hundredths of a score."""
        return " points" if self.shares else ""

    def score(self, value: float) -> str:
        """Return a mean score, such as `71.5 %`."""
        return format_percent(value) if self.shares else format_number(value)

    def mark(self, value: float) -> str:
        """Return an item's score in its shortest form: `100 %`, `33.3 %`."""
        digits = _signed(100 * value, ".1f").removesuffix(".0")
        return f"{digits} %" if self.shares else format_number(value)

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
        """Return a difference with its unit and without a plus sign, such as `6.2 points`."""
        return f"{self.by(value, plus=False)}{self.unit}"

    def tick(self, value: float, *, plus: bool = False) -> str:
        """Return the label of an axis tick in its shortest form."""
        scaled = 100 * value if self.shares else value
        return f"{scaled:{'+' if plus and value else ''}.6g}".replace("-", MINUS)


def format_change(share: float) -> str:
    """Return a relative change, such as `+12.0 %`, or `3.5 times` for a large one."""
    if share >= LARGE:
        return f"{format_number(1 + share)} times"
    return f"{_signed(100 * share, '+.1f')} %"


def no_break(sentence: str) -> str:
    """Replace the spaces before per cent signs by no-break spaces."""
    return sentence.replace(" %", "\u00a0%")


def format_p(p: float) -> str:
    """Return a p value."""
    return f"{p:.4f}" if p >= LEAST_CHANCE else f"< {LEAST_CHANCE:.4f}"


def format_number(value: float, *, plus: bool = False) -> str:
    """Return a number with three digits, large ones as integers, none with an exponent."""
    if abs(value) >= INTEGERS_FROM:
        return _signed(value, "+,.0f" if plus else ",.0f")
    rounded = Decimal(f"{value:.3g}")
    return f"{rounded:{'+' if plus and rounded else ''}f}".replace("-", MINUS) if rounded else "0"


def format_count(value: float) -> str:
    """Return an integer with separators, such as `5,000`."""
    return f"{value:,.0f}"


def _signed(value: float, form: str) -> str:
    """Format a number; a number that rounds to 0 has no sign."""
    text = format(value, form)
    if not any(digit in text for digit in "123456789"):
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


LONGEST = 6_000
"""Displayed characters of one text."""

ROOM = 4_000_000
"""Displayed characters of all answers and transcripts of a page."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls except tab and new line
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # direction, line ends, zero width
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff"  # surrogates and noncharacters
    "\U000e0000-\U000e007f]"  # tags: invisible letters
)
LOWEST_PRINTED, DELETE = 0x20, 0x7F


def escape_hidden(text: str) -> str:
    """Replace hidden characters by visible ones: NUL by `␀`, others by `⟨U+202E⟩`.

    Joiners and variation selectors are unchanged, as scripts and emoji need them.
    """
    return HIDDEN.sub(_sign, text.replace("\r\n", "\n"))


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < LOWEST_PRINTED:
        return chr(0x2400 + code)
    return "␡" if code == DELETE else f"⟨U+{code:04X}⟩"


@dataclass(frozen=True, slots=True)
class TruncatedText:
    """A text as far as it is displayed; `left_out` counts the omitted characters."""

    text: str
    left_out: int = 0


class DisplayBudget:
    """Character budget of a page, so that the page of a large run can still be opened."""

    def __init__(self, left: int = ROOM) -> None:
        self.left = left

    @property
    def full(self) -> bool:
        """Whether the budget is used up."""
        return self.left <= 0

    def cut(self, value: Any, most: int = LONGEST) -> TruncatedText:
        """Return a value as text within the budget."""
        text = text_of(value)
        kept = text[: max(0, min(most, self.left))]
        self.left -= len(kept)
        return TruncatedText(kept, len(text) - len(kept))


def shortened_line(value: Any, most: int) -> str:
    """Return a value as one line of at most `most` characters."""
    text = " ".join(escape_hidden(text_of(value)[: 4 * most]).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def natural_key(name: str) -> list[tuple[int, int | str]]:
    """Return a sort key that puts `q2` before `q10`."""
    pieces = re.split(r"([0-9]{1,18})", name)
    return [
        (0, int(piece)) if place % 2 else (1, piece) for place, piece in enumerate(pieces) if piece
    ]
