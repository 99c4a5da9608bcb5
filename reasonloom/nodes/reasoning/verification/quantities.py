"""Numbers with units as written in prose: `1,250`, `$30 per month`, `1 h 15 min`, `19 %`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

MOST_DIGITS = 15
KIBI = 1024 / 1000
"""Factor per step by which a data unit is larger if counted in powers of 1,024."""

ROUNDED_PLACES = 2
"""Decimals from which a number counts as rounded: 0.67 may be two thirds, but 1.5 is exact."""

IMPRECISE_PERCENTS = frozenset((16, 17, 33, 34, 66, 67, 83))
"""Whole percentages that often represent sixths or thirds."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its dimensions with exponents, its factor to the base unit, and flags.

    `steps` are the powers of 1,000 that may also mean 1,024; `rough` means that conversions are
    usually rounded.
    """

    dimensions: tuple[tuple[str, int], ...]
    factor: float
    steps: int = 0
    rough: bool = False


def _units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}

    def add(
        dimension: str, factor: float, names: str, *, steps: int = 0, rough: bool = False
    ) -> None:
        made = Unit(((dimension, 1),), factor, steps, rough)
        table.update(dict.fromkeys(names.split(), made))

    add("time", 1e-3, "ms millisecond milliseconds")
    add("time", 1, "s sec secs second seconds")
    add("time", 60, "min mins minute minutes")
    add("time", 3_600, "h hr hrs hour hours")
    add("time", 86_400, "day days")
    add("time", 604_800, "week weeks")
    add("month", 1, "month months")
    add("month", 12, "year years")
    add("length", 1e-3, "mm millimetre millimetres millimeter millimeters")
    add("length", 1e-2, "cm centimetre centimetres centimeter centimeters")
    add("length", 1, "m metre metres meter meters")
    add("length", 1e3, "km kilometre kilometres kilometer kilometers")
    add("length", 0.0254, "inch inches", rough=True)
    add("length", 0.3048, "ft foot feet", rough=True)
    add("length", 0.9144, "yd yard yards", rough=True)
    add("length", 1609.344, "mi mile miles", rough=True)
    add("mass", 1e-3, "mg")
    add("mass", 1, "g gram grams")
    add("mass", 1e3, "kg kilogram kilograms")
    add("mass", 1e6, "tonne tonnes")
    add("mass", 453.59237, "lb lbs", rough=True)
    add("mass", 28.349523125, "oz ounce ounces", rough=True)
    add("volume", 1e-3, "ml millilitre millilitres milliliter milliliters")
    add("volume", 1e-2, "cl")
    add("volume", 1, "l litre litres liter liters")
    add("power", 1, "W watt watts")
    add("power", 1e3, "kW")
    add("power", 1e6, "MW")
    add("data", 1, "byte bytes B")
    for step, letter in enumerate("KMGTP", 1):
        names = f"{letter}B {letter.lower()}B" if letter == "K" else f"{letter}B"
        add("data", 1000.0**step, names, steps=step)
        add("data", 1024.0**step, f"{letter}iB")
        add("bits", 1000.0**step, f"{letter}bit")
    for scale, name in ((1, "Wh"), (1e3, "kWh"), (1e6, "MWh")):
        table[name] = Unit((("power", 1), ("time", 1)), scale * 3_600)
    for currency, names in CURRENCIES.items():
        add(currency, 1, names)
    return table


CURRENCIES = {
    "EUR": "€ EUR euro euros", "USD": "$ USD dollar dollars", "GBP": "£ GBP",
    "CHF": "CHF", "JPY": "¥ JPY yen", "SEK": "SEK", "PLN": "PLN",
}  # fmt: skip
UNITS = _units()
MAGNITUDES = {
    "k": 1e3, "thousand": 1e3, "million": 1e6, "M": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9,
}  # fmt: skip

_NAMES = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
QUANTITY = re.compile(
    rf"(?<![\w.,'])(?P<sign>[$€£¥]\s?)?(?P<number>{_NUMBER})(?![\d']|[.,]\d)"
    r"(?P<size>\s(?:thousand|million|billion)\b|k\b|(?<=\d)bn\b|(?<=\d)[Mm]\b(?=\s(?:EUR|USD|GBP|CHF)\b))?"
    rf"(?P<unit>\s?(?:%|percent\b|per\scent\b|(?:{_NAMES})(?![\w²³^])))?"
    r"(?![A-Za-z_\d])"
    rf"(?:(?P<of>\s[a-z]+)?\s?(?:/|\bper\s)\s?(?P<per>{_NAMES})(?![\w²³^]))?"
)
"""A number with its unit; it may have both a preceding currency and a following rate."""

_PERCENT = re.compile(r"\s?(?:%|percent|per cent)$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written, with its units.

    `number` includes the magnitude, which a word or letter may give (`sized`); `step` is the value
    of the last digit; `over` is the unit in the denominator.
    """

    number: float
    step: float
    unit: Unit | None = None
    over: Unit | None = None
    percent: bool = False
    ambiguous: bool = False
    sized: bool = False
    places: int = 0
    noun: str = ""

    @property
    def units(self) -> list[tuple[Unit, int]]:
        """Return the units, each with exponent 1 or, in the denominator, -1."""
        return [(each, power) for each, power in ((self.unit, 1), (self.over, -1)) if each]

    def converts_to(self, other: Quantity) -> bool:
        """Return whether both have the same dimensions in different units."""
        pairs = ((self.unit, other.unit), (self.over, other.over))
        alike = all(
            one.dimensions == another.dimensions if one and another else one is another
            for one, another in pairs
        )
        return alike and self.noun == other.noun and any(one is not two for one, two in pairs)

    @property
    def decimals(self) -> bool:
        """Return whether it has decimals."""
        return self.places > 0

    @property
    def is_length(self) -> bool:
        """Return whether it is a plain length."""
        return bool(self.unit and self.unit.dimensions == (("length", 1),) and not self.over)

    @property
    def is_money(self) -> bool:
        """Return whether it is an amount of money, which is rarely rounded."""
        return bool(self.unit and self.unit.dimensions[0][0] in CURRENCIES)

    @property
    def doubt(self) -> float:
        """Return the relative rounding error that the written number may have."""
        if not self.number:
            return 0.0
        if self.percent and not self.decimals:
            whole = round(self.number * 100)
            return 0.5 / whole if whole in IMPRECISE_PERCENTS else 0.0
        rounded = self.places >= ROUNDED_PLACES and not self.is_money
        return abs(0.5 * self.step / self.number) if rounded else 0.0


def read_quantity(found: re.Match[str]) -> Quantity | None:
    """Read a match of `QUANTITY`; None if it has too many digits or an impossible unit."""
    written = found["number"].replace(",", "")
    if sum(map(str.isdigit, written)) > MOST_DIGITS:
        return None
    name = (found["unit"] or "").strip()
    percent = bool(_PERCENT.match(name)) if name else False
    sign = (found["sign"] or "").strip()
    size = (found["size"] or "").strip()
    if sign and name and not percent and UNITS[name].dimensions != UNITS[sign].dimensions:
        return _money_of_size(found, sign, name)
    scale = MAGNITUDES.get(size, 1.0) * (0.01 if percent else 1.0)
    places = len(written.partition(".")[2])
    unit = UNITS[sign or name] if sign or (name and not percent) else None
    return Quantity(
        number=float(written) * scale,
        step=10.0**-places * scale,
        unit=unit,
        over=UNITS[found["per"]] if found["per"] else None,
        percent=percent,
        ambiguous=bool(re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", written)),
        sized=bool(size),
        places=places,
        noun=(found["of"] or "").strip(),
    )


def _money_of_size(found: re.Match[str], sign: str, name: str) -> Quantity | None:
    """Read an amount such as `$5m`, where `m` is no metre; None for other units after money."""
    if name not in MAGNITUDES:
        return None
    number, scale = float(found["number"].replace(",", "")), MAGNITUDES[name]
    places = len(found["number"].partition(".")[2])
    step = 10.0**-places * scale
    return Quantity(number * scale, step, UNITS[sign], sized=True, places=places)


def factor_of(
    units: Iterable[tuple[Unit, int]], scales: dict[str, float], *, binary: bool
) -> float:
    """Return the factor of units to base units, each base unit scaled by `scales`."""
    return prod(
        (
            each.factor
            * (KIBI**each.steps if binary else 1.0)
            * prod(scales.get(name, 1.0) ** power for name, power in each.dimensions)
        )
        ** exponent
        for each, exponent in units
    )
