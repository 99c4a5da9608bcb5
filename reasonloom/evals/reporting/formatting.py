"""Numbers as a report writes them: scores in per cent, differences in points, with a true minus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

MINUS = "\u2212"
LEAST_CHANCE = 0.0001
WHOLE = 1_000
"""From here on numbers have no fraction."""

LARGE = 2.0
"""Relative changes from here on are told as times."""


def percent(share: float) -> str:
    """Return a share of 1 in per cent, such as `71.5 %`."""
    return f"{_signed(100 * share, '.1f')} %"


@dataclass(frozen=True, slots=True)
class Written:
    """How scores are written: shares of 1 in per cent and points, all others as they are."""

    shares: bool = True

    @property
    def unit(self) -> str:
        """What stands behind a difference: points are hundredths of a score."""
        return " points" if self.shares else ""

    def score(self, value: float) -> str:
        """Return a mean score, such as `71.5 %`."""
        return percent(value) if self.shares else number(value)

    def mark(self, value: float) -> str:
        """Return an item's score as short as it is: `100 %`, `33.3 %`."""
        told = _signed(100 * value, ".1f").removesuffix(".0")
        return f"{told} %" if self.shares else number(value)

    def ends(self, interval: Sequence[float]) -> str:
        """Return the ends of a score's interval, such as `64.0 to 77.0 %`."""
        low, high = map(self.score, interval)
        return f"{low.removesuffix(' %')} to {high}"

    def by(self, value: float, *, plus: bool = True) -> str:
        """Return a difference, such as `+6.2`."""
        if self.shares:
            return _signed(100 * value, "+.1f" if plus else ".1f")
        return number(value, plus=plus)

    def size(self, value: float) -> str:
        """Return a difference with its unit and without a plus, such as `6.2 points`."""
        return f"{self.by(value, plus=False)}{self.unit}"

    def tick(self, value: float, *, plus: bool = False) -> str:
        """Return the number at a tick of an axis, as short as it is."""
        told = 100 * value if self.shares else value
        return f"{told:{'+' if plus and value else ''}.6g}".replace("-", MINUS)


def change(share: float) -> str:
    """Return a relative change, such as `+12.0 %`, a large one as `3.5 times`."""
    if share >= LARGE:
        return f"{number(1 + share)} times"
    return f"{_signed(100 * share, '+.1f')} %"


def together(sentence: str) -> str:
    """Return a sentence whose numbers are not parted from their per cent signs."""
    return sentence.replace(" %", "\u00a0%")


def chance(p: float) -> str:
    """Return a p value."""
    return f"{p:.4f}" if p >= LEAST_CHANCE else f"< {LEAST_CHANCE:.4f}"


def number(value: float, *, plus: bool = False) -> str:
    """Return a number with three digits, large ones whole, none with an exponent."""
    if abs(value) >= WHOLE:
        return _signed(value, "+,.0f" if plus else ",.0f")
    told = Decimal(f"{value:.3g}")
    return f"{told:{'+' if plus and told else ''}f}".replace("-", MINUS) if told else "0"


def count(value: float) -> str:
    """Return a whole number, such as `5,000`."""
    return f"{value:,.0f}"


def _signed(value: float, form: str) -> str:
    """Return a number in a form; what rounds to 0 has no sign."""
    told = format(value, form)
    if not any(digit in told for digit in "123456789"):
        told = told.lstrip("+-")
    return told.replace("-", MINUS)
