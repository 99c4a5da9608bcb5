"""States of a Game of 24, and exact verification of answers."""

import ast
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

TARGET = 24
MOST_DIGITS = 12

Number = int | Fraction
"""Exact; whole numbers are always int, which is ten times as fast as Fraction."""

State = tuple[Number, ...]
"""The numbers left, in ascending order, so that equal states are equal tuples."""

_NUMBER = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}(?:/[0-9]{{1,{MOST_DIGITS}}}|\.[0-9]{{1,6}})?\Z")
_KEPT = 1 << 16
_PAIR = 2


class Step(NamedTuple):
    """One step as written, right or wrong, claiming that `left sign right` equals `result`."""

    left: Number
    sign: str
    right: Number
    result: Number

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right} = {self.result}"


@lru_cache(_KEPT)
def parse_number(text: str) -> Number:
    """Parse a number such as `8`, `-2`, `1/3` or `0.5`, else raise ValueError."""
    if not _NUMBER.match(text):
        raise ValueError(f"{text[:20]!r} is no number")
    try:
        return _plain(Fraction(text))
    except ZeroDivisionError:
        raise ValueError(f"{text[:20]!r} is no number") from None


def make_state(numbers: tuple[Number, ...] | list[Number]) -> State:
    """Return the state for numbers in any order."""
    return tuple(sorted(numbers))


def state_text(numbers: State) -> str:
    """Return numbers as written in a question, such as `1/3 4 8`."""
    return " ".join(map(str, numbers))


@lru_cache(_KEPT)
def next_states(numbers: State) -> dict[State, Step]:
    """Return each state one step away with the first step to it; do not modify the result."""
    found: dict[State, Step] = {}
    for i, a in enumerate(numbers):
        for j, b in enumerate(numbers):
            if i == j:
                continue
            rest = [each for k, each in enumerate(numbers) if k not in (i, j)]
            for step in _steps(a, b, both=i < j):
                found.setdefault(make_state([*rest, step.result]), step)
    return found


@lru_cache(_KEPT << 4)
def reachable(numbers: State) -> bool:
    """Return whether all the numbers can still make 24."""
    if len(numbers) == 1:
        return numbers[0] == TARGET
    if len(numbers) == _PAIR:
        return _makes(*numbers)
    return any(map(reachable, next_states(numbers)))


@lru_cache(_KEPT)
def split_by_reachability(numbers: State) -> tuple[tuple[State, ...], tuple[State, ...]]:
    """Return the next states that keep 24 reachable, and the others."""
    kept = tuple(each for each in next_states(numbers) if reachable(each))
    lost = tuple(each for each in next_states(numbers) if not reachable(each))
    return kept, lost


def is_natural(numbers: State) -> bool:
    """Return whether all numbers are integers, none below 0."""
    return all(isinstance(each, int) and each >= 0 for each in numbers)


def _makes(a: Number, b: Number) -> bool:
    """Return whether two numbers make 24; a shortcut for the most frequent call by far."""
    return TARGET in {a + b, a * b, a - b, b - a} or a == TARGET * b != 0 or b == TARGET * a != 0


def _steps(a: Number, b: Number, *, both: bool) -> list[Step]:
    """Return the steps from a and b in this order; `both` adds the commutative ones."""
    steps = [Step(a, "-", b, _plain(a - b))]
    if both:
        steps += [Step(a, "+", b, _plain(a + b)), Step(a, "*", b, _plain(a * b))]
    if b:
        steps.append(Step(a, "/", b, _plain(Fraction(a) / b)))
    return steps


def _plain(value: Number) -> Number:
    return value.numerator if value.denominator == 1 else value


LONGEST = 120
"""Maximum characters of an expression, which also bounds nesting; far more than needed."""

_ALLOWED = re.compile(r"[0-9+\-*/() ]+")
_LOOKALIKES = str.maketrans("×÷\u2212", "*/-")
_BEFORE = re.compile(r"\s*answer\s*:", re.I)
_AFTER = re.compile(rf"=\s*{TARGET}\s*\Z")


def solves(expression: str, numbers: Sequence[int]) -> bool:
    """Return whether `expression` uses each number once and makes 24."""
    return fault(expression, numbers) is None


def fault(expression: str, numbers: Sequence[int]) -> str | None:
    """Return what is wrong with an answer such as `(10 - 4) * 5 - 6`, None if it is right.

    Allowed are integers, `+ - * /`, parentheses and signs, a leading `Answer:`, and a trailing
    `= 24`. Nothing is executed: the text is parsed and its syntax tree evaluated.
    """
    text = _AFTER.sub("", _BEFORE.sub("", expression, count=1)).translate(_LOOKALIKES).strip()
    if len(text) > LONGEST:
        return "is too long"
    if not _ALLOWED.fullmatch(text):
        return "holds more than whole numbers, + - * / and brackets"
    used: list[int] = []
    try:
        value = _value(ast.parse(text, mode="eval").body, used)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "is no expression"
    except ZeroDivisionError:
        return "divides by zero"
    if sorted(used) != sorted(numbers):
        return "does not use each number once"
    return None if value == TARGET else f"makes {value}"


def _value(node: ast.expr, used: list[int]) -> Fraction:
    """Evaluate a parsed expression, appending its numbers to `used`."""
    match node:
        case ast.Constant(value=int(whole)) if not isinstance(whole, bool):
            used.append(whole)
            return Fraction(whole)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, used)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, used)
        case ast.BinOp(left=left, op=sign, right=right):
            return _combined(sign, _value(left, used), _value(right, used))
    raise ValueError("not part of an answer")


def _combined(sign: ast.operator, left: Fraction, right: Fraction) -> Fraction:
    match sign:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
    raise ValueError("not an operation of the game")
