"""Reckons the sums that a text spells out, such as 17*23: what can be computed is not guessed."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

SUM = re.compile(r"(?<![\w.])\(*\d[\d.]*(?:\s*[-+*/×÷]\s*\(*\d[\d.]*\)*)+(?![\w])")
DATE = re.compile(r"\d+([-/])\d+\1\d+")
SIGNS = str.maketrans({"×": "*", "÷": "/"})
LONGEST = 80
"""Characters of a sum that is reckoned."""

PLACES = 6
_DO: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
    }
)


def sums_in(text: str) -> list[str]:
    """Return the sums in a text with their results, such as `17*23 = 391`; dates are none."""
    found = dict.fromkeys(each[0].strip() for each in SUM.finditer(text))
    results = [(each, _result(each)) for each in found if len(each) <= LONGEST]
    return [f"{each} = {result}" for each, result in results if result]


def _result(text: str) -> str:
    if DATE.search(text):
        return ""
    try:
        value = _value(ast.parse(text.translate(SIGNS), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return ""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.{PLACES}f}".rstrip("0")


def _value(node: ast.expr) -> Fraction:
    """Return the value of a sum.

    Raises:
        ValueError: it is no sum of plain numbers.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Fraction(str(node.value))
    if isinstance(node, ast.BinOp) and (do := _DO.get(type(node.op))):
        return do(_value(node.left), _value(node.right))
    raise ValueError("no sum")
