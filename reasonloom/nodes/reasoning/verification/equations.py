"""Check equations in prose, such as `3 x 40 minutes = 2 hours`.

An equation may have several readings: units may be counts (`3 days x 8 hours = 24 hours`), a
kilobyte may have 1,024 bytes, and `+ 10 %` may be relative to the preceding value. An equation is
reported as false only if it holds in none of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import isclose, sqrt

from reasonloom.nodes.reasoning.verification.quantities import Quantity, factor_of
from reasonloom.nodes.reasoning.verification.rewording import with_signs
from reasonloom.nodes.reasoning.verification.tokens import Token, equation_rows
from reasonloom.text.calculations import evaluate

MOST_UNITS = 6
_SCALES = {
    name: sqrt(prime)
    for name, prime in zip(
        ("time", "month", "length", "mass", "volume", "power", "data", "bits",
         "EUR", "USD", "GBP", "CHF", "JPY", "SEK", "PLN"),
        (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47), strict=True,
    )
}  # fmt: skip
"""Alternative sizes of the base units: an equation that also holds with these is dimensionally
consistent."""

_NUMBER = re.compile(r"^\D*[\d.,]*\d(?:k\b|bn\b|\s(?:thousand|million|billion)\b)?")

ABOUT, FAR, ROUGH = 0.05, 0.25, 0.02


def check_equations(sentence: str) -> Iterator[tuple[bool | None, str]]:
    """Yield, for each equation, whether it holds (None if unchecked) and the correct equation."""
    for run in equation_rows(with_signs(sentence)):
        yield from _check_run(run)


def _check_run(run: Sequence[Token]) -> Iterator[tuple[bool | None, str]]:
    plain = run[-1].kind == "end"
    tokens = run[:-1] if plain else run
    sides: list[list[Token]] = [[]]
    relations: list[Token] = []
    for token in tokens:
        if token.kind == "relation":
            relations.append(token)
            sides.append([])
        else:
            sides[-1].append(token)
    balanced = [_balanced(each) for each in sides]
    for relation, (left, right) in zip(relations, pairwise(balanced), strict=True):
        if left and right and _is_statement(left, right, relation, plain=plain):
            yield _check_pair(left, right, about=relation.about)


def _balanced(side: list[Token]) -> list[Token]:
    """Strip brackets around the whole equation from a side; return [] if others are unbalanced."""
    depth = sum((each.kind == "open") - (each.kind == "close") for each in side)
    while side and depth > 0 and side[0].kind == "open":
        side, depth = side[1:], depth - 1
    while side and depth < 0 and side[-1].kind == "close":
        side, depth = side[:-1], depth + 1
    return [] if depth else side


def _is_statement(left: list[Token], right: list[Token], relation: Token, *, plain: bool) -> bool:
    """Return whether two sides state a calculation rather than something else with numbers."""
    operators = [each for each in (*left, *right) if each.kind == "operator"]
    worded = relation.text == "is"
    aside = left[0].kind == "open" and not any(each.kind == "operator" for each in left)
    if aside or (worded and operators and len(left) == 1):
        return False  # a parenthesis as in `with the shop (2 h) that gives 5 + 2 = 7 h`
    if not operators:
        one, other = left[0].quantity, right[0].quantity
        if one is None or other is None or not one.converts_to(other):
            return False
        return not worded or (plain and not one.is_length)  # `1 cm is 1 km` is a map scale
    if worded and any(each.tight and each.text in "-/" for each in operators):
        return False
    if len(left) > 1 and any(each.tight and each.text == "-" for each in right):
        return False  # a range, as in `3 * 4 = 12-15`
    hours = any(each.quantity and each.quantity.unit for each in right)
    return not (hours and any(each.tight and each.text == "-" for each in operators))


def _check_pair(left: list[Token], right: list[Token], *, about: bool) -> tuple[bool | None, str]:
    if len(right) > 1 and len(left) == 1:
        left, right = right, left
    verdict, value = _Equation(left, right, about).verdict()
    if verdict is False and _holds_after_dash(left, right, about=about):
        verdict = None
    if not value:
        return verdict, ""
    unit = _NUMBER.sub("", right[0].text) if len(right) == 1 else ""
    return verdict, f"{' '.join(each.text for each in left)} = {value}{unit}"


def _holds_after_dash(left: list[Token], right: list[Token], *, about: bool) -> bool:
    """Return whether the equation holds if a dash is punctuation: `in 2024 - 3 x 4 = 12`."""
    for place, each in enumerate(left):
        if each.kind == "operator" and each.text == "-" and not each.tight:
            rest = _balanced(left[place + 1 :])
            if len(rest) > 1 and _Equation(rest, right, about).verdict()[0]:
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Equation:
    left: list[Token]
    right: list[Token]
    about: bool

    def verdict(self) -> tuple[bool | None, str]:
        """Return whether it holds in any reading, and the right value in the unit of that side."""
        quantities = [each.quantity for each in (*self.left, *self.right) if each.quantity]
        count = sum(each.kind == "value" for each in self.left)
        droppable = [
            (place, power)
            for place, each in enumerate(quantities)
            for unit, power in each.units
            if place < count or power < 0
        ]
        if len(droppable) > MOST_UNITS:
            return None, ""
        for dropped in range(len(droppable) + 1):
            found = [
                verdict
                for chosen in combinations(droppable, dropped)
                if (verdict := self._read(_without(quantities, chosen), count)) is not None
            ]
            if best := _kindest(found):
                unsure = best[0] is False and self._converts_itself(quantities, count)
                return (None, "") if unsure else _unless_ambiguous(best, quantities)
        sided = [
            any(each.unit for each in part) for part in (quantities[:count], quantities[count:])
        ]
        if all(sided):
            return None, ""
        bare = self._read(_bare(quantities), count)
        return _unless_ambiguous(bare, quantities) if bare else (None, "")

    def _converts_itself(self, quantities: list[Quantity], count: int) -> bool:
        """Return whether it holds numerically, with one of the numbers converting the units.

        As in `7 days * 24 = 168 hours`.
        """
        plain = self._read(_bare(quantities), count)
        if plain is None or not plain[0]:
            return False
        factors = [factor_of(each.units, {}, binary=False) for each in quantities if each.units]
        numbers = [each.number for each in quantities if not each.units]
        ratios = [one / other for one in factors for other in factors]
        return any(isclose(number, ratio) for number in numbers for ratio in ratios if ratio > 1)

    def _read(self, quantities: list[Quantity], count: int) -> tuple[bool | None, str] | None:
        """Return the verdict for one choice of units; None if the dimensions differ."""
        verdicts = []
        for binary in (False, True):
            for of_before in (False, True):
                ratios = []
                for scales in ({}, _SCALES):
                    values = [
                        each.number * factor_of(each.units, scales, binary=binary)
                        for each in quantities
                    ]
                    one = _result(self.left, values[:count], of_before=of_before)
                    other = _result(self.right, values[count:], of_before=of_before)
                    if one is None or other is None:
                        return (None, "")
                    ratios.append((one, other))
                (one, other), (first, second) = ratios
                if not isclose(one * second, first * other, rel_tol=1e-9):
                    continue
                unit = factor_of(quantities[count].units, {}, binary=binary)
                verdicts.append(self._compare(one / unit, other / unit, quantities, count))
        return _kindest(verdicts)

    def _compare(
        self, value: float, stated: float, quantities: list[Quantity], count: int
    ) -> tuple[bool | None, str]:
        single = len(self.right) == 1
        target = quantities[count]
        step = target.step if single else 0.0
        doubt = sum(each.doubt for each in quantities[:count])
        units = [unit for each in quantities for unit, _ in each.units]
        if any(each.rough for each in units):
            doubt += ROUGH
        percent = target.percent and single
        written = f"{value * 100:.6g}" if percent else f"{value:.10g}"
        return _close(
            value, stated, step, doubt, about=self.about, exact=not target.decimals
        ), written


def _kindest(verdicts: Sequence[tuple[bool | None, str]]) -> tuple[bool | None, str] | None:
    """Return the most favourable verdict of the readings, or None if there is none."""
    return max(verdicts, key=lambda each: (each[0] is True, each[0] is None), default=None)


def _bare(quantities: list[Quantity]) -> list[Quantity]:
    """Return the quantities without units."""
    return [replace(each, unit=None, over=None) for each in quantities]


def _without(quantities: list[Quantity], dropped: Sequence[tuple[int, int]]) -> list[Quantity]:
    """Return the quantities with some of their units removed."""
    return [
        replace(
            each,
            unit=None if (place, 1) in dropped else each.unit,
            over=None if (place, -1) in dropped else each.over,
        )
        for place, each in enumerate(quantities)
    ]


def _unless_ambiguous(
    verdict: tuple[bool | None, str], quantities: list[Quantity]
) -> tuple[bool | None, str]:
    """Return the verdict, but replace "false" by "unchecked" if a number is ambiguous.

    `1.500` may mean 1,500 or one and a half, and `310 + 260 = 570 thousand` means thousands
    throughout.
    """
    sizes = {each.sized for each in quantities if not each.percent}
    ambiguous = len(sizes) > 1 or any(each.ambiguous for each in quantities)
    return (None, "") if verdict[0] is False and ambiguous else verdict


def _result(side: list[Token], values: list[float], *, of_before: bool) -> float | None:
    """Evaluate a side; with `of_before`, `+ 10 %` is relative to what precedes it."""
    names = {f"q{place}": value for place, value in enumerate(values)}
    text, place, depth = "", 0, 0
    for number, token in enumerate(side):
        if token.kind == "value":
            text += f"q{place}"
            place += 1
            continue
        depth += (token.kind == "open") - (token.kind == "close")
        if of_before and depth == 0 and token.text in ("+", "-") and _adds_percent(side, number):
            text = f"({text})*(1{token.text}q{place})"
            place += 1
            rest = _result_text(side[number + 2 :], place)
            return evaluate(text + rest, names)
        text += token.text
    return evaluate(text, names)


def _result_text(side: Sequence[Token], place: int) -> str:
    text = ""
    for token in side:
        text += f"q{place}" if token.kind == "value" else token.text
        place += token.kind == "value"
    return text


def _adds_percent(side: list[Token], number: int) -> bool:
    """Return whether a percentage, and no further factor, follows the operator."""
    following = side[number + 1 : number + 3]
    quantity = following[0].quantity if following else None
    alone = len(following) < 2 or following[1].text in ("+", "-")  # noqa: PLR2004
    return bool(number and quantity and quantity.percent and alone)


def _close(
    value: float, stated: float, step: float, doubt: float, *, about: bool, exact: bool
) -> bool | None:
    """Return whether a value matches the stated one to its precision; None if only nearly."""
    off = abs(value - stated)
    if isclose(value, stated, rel_tol=1e-9, abs_tol=1e-9):
        return True
    if about:
        return True if off <= ABOUT * abs(value) else None if off <= FAR * abs(value) else False
    if not exact and off <= step / 2 * (1 + 1e-6):
        return True
    return None if off < step * (1 - 1e-9) or off <= doubt * abs(value) else False
