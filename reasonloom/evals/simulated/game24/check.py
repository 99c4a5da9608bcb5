"""Proves an answer to a Game of 24: each number used once, and 24 made, in exact arithmetic."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from fractions import Fraction

from reasonloom.evals.simulated.game24.states import TARGET

LONGEST = 120
"""Characters of an expression; four numbers need far fewer, and brackets nest no deeper."""

_ALLOWED = re.compile(r"[0-9+\-*/() ]+")
_LOOKALIKES = str.maketrans("×÷\u2212", "*/-")
_BEFORE = re.compile(r"\s*answer\s*:", re.I)
_AFTER = re.compile(rf"=\s*{TARGET}\s*\Z")


def solves(expression: str, numbers: Sequence[int]) -> bool:
    """Return whether `expression` uses each of the numbers once and makes 24."""
    return fault(expression, numbers) is None


def fault(expression: str, numbers: Sequence[int]) -> str | None:
    """Return what is wrong with an answer such as `(10 - 4) * 5 - 6`, None where nothing is.

    Allowed are whole numbers, `+ - * /`, brackets and signs, the words `Answer:` before and
    `= 24` behind. Nothing is executed: the text is parsed, and the tree is walked.
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
    """Return the value of a parsed expression; adds the numbers it holds to `used`.

    Raises:
        ValueError: it holds what an answer may not.
    """
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
