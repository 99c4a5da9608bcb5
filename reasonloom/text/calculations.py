"""Checks calculations written as comparisons, such as `3 * 45 == 135`.

They are parsed to a syntax tree of numbers and never executed as code. Size, depth and intermediate
results are bounded, so that no text takes more than a few milliseconds.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import pairwise
from math import floor, isclose, isfinite, sqrt
from types import MappingProxyType
from typing import Any

LONGEST = 400
"""Maximum length of a calculation in characters."""

MOST_NODES, MOST_PLACES = 200, 15
MOST_BITS = 4_096
"""Maximum bits of an integer, intermediate results included."""

SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        "\N{MULTIPLICATION SIGN}": "*",
        "·": "*",
        "÷": "/",
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "^": "**",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
    }
)
"""Alternative spellings of operators, with their Python form."""

_EQUALS = re.compile(r"(?<![=<>!])=(?!=)")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_PERCENT = re.compile(r"(\d)\s*%(?=\s*(?:[-+*/)=<>!,]|$))")
_DECIMALS = re.compile(r"[\d_]*\.(\d+)")

Number = int | float
NO_NAMES: Mapping[str, Number] = MappingProxyType({})


class _Unreadable(Exception):
    """The text is not a calculation, or exceeds the bounds."""


UNREADABLE = (
    _Unreadable, SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError,
)  # fmt: skip


def holds(calculation: str) -> bool | None:
    """Return whether a calculation is true, None if it cannot be checked.

    A plain number with decimals equals every value that rounds to it: `10 / 3 == 3.33` is true.
    """
    text = calculation.strip()
    if len(text) > LONGEST:
        return None
    for written, meant in SPELLINGS.items():
        text = text.replace(written, meant)
    text = _EQUALS.sub("==", _PERCENT.sub(r"\1/100", text))
    if "(" not in text and "[" not in text:  # within brackets, commas separate arguments and items
        text = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)
    try:
        return _truth(_parsed(text), text)
    except UNREADABLE:
        return None


def evaluate(expression: str, values: Mapping[str, Number]) -> Number | None:
    """Return the value of an expression of numbers and named `values`, within the same bounds.

    None if the expression is not of that form or its value is not a number.
    """
    if len(expression) > LONGEST:
        return None
    try:
        return _value(_parsed(expression.strip()), values)
    except UNREADABLE:
        return None


def _parsed(text: str) -> ast.expr:
    tree = ast.parse(text, mode="eval").body
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise _Unreadable
    return tree


def _truth(node: ast.expr, text: str) -> bool:
    """Return whether a comparison, or a combination by `and`, `or` and `not`, is true."""
    if isinstance(node, ast.BoolOp):
        values = [_truth(each, text) for each in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(node.operand, text)
    if not isinstance(node, ast.Compare):
        raise _Unreadable
    sides = [node.left, *node.comparators]
    return all(
        _compares(relation, one, other, text)
        for relation, (one, other) in zip(node.ops, pairwise(sides), strict=True)
    )


def _compares(relation: ast.cmpop, one: ast.expr, other: ast.expr, text: str) -> bool:
    left, right = _value(one), _value(other)
    if isinstance(relation, ast.Eq | ast.NotEq):
        places = [_places(each, text) for each in (one, other)]
        loose = max((0.5 * 10**-count for count in places if count), default=0.0)
        same = isclose(left, right, rel_tol=1e-9, abs_tol=loose + 1e-9)
        return same == isinstance(relation, ast.Eq)
    if type(relation) not in _ORDERS:
        raise _Unreadable
    return _ORDERS[type(relation)](left, right)


def _places(node: ast.expr, text: str) -> int:
    """Return the number of decimals a number literal is written with, 0 for anything else."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    written = ast.get_source_segment(text, node) if isinstance(node, ast.Constant) else None
    found = _DECIMALS.fullmatch(written or "")
    return len(found[1]) if found else 0


def _value(node: ast.expr, names: Mapping[str, Number] = NO_NAMES) -> Number:
    if isinstance(node, ast.Name) and node.id in names:
        return _bounded(names[node.id])
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _bounded(node.value)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left, names), _value(node.right, names)
        return _bounded(_OPERATIONS[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function:
            return _bounded(function(*(_argument(each, names) for each in node.args)))
    raise _Unreadable


def _argument(node: ast.expr, names: Mapping[str, Number]) -> Any:
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(each, names) for each in node.elts]
    return _value(node, names)


def _bounded(value: Any) -> Number:
    if type(value) is int and value.bit_length() <= MOST_BITS:
        return value
    if type(value) is float and isfinite(value):
        return value
    raise _Unreadable


def _power(base: Number, exponent: Number) -> Number:
    if type(base) is int and base.bit_length() * abs(exponent) > MOST_BITS:
        raise _Unreadable
    made: Any = base**exponent
    return _bounded(made)


def _rounded(value: Number, places: int = 0) -> Number:
    """Round half up, as is customary, instead of half to even."""
    if not isinstance(places, int) or abs(places) > MOST_PLACES:
        raise _Unreadable
    scale = 10**places
    return _bounded(float(floor(Decimal(str(value)) * scale + Decimal("0.5"))) / scale)


_ORDERS: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_SIGNS: dict[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
_OPERATIONS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: _power,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs, "round": _rounded, "min": min, "max": max, "sum": sum, "sqrt": sqrt,
    "floor": floor, "int": int,
}  # fmt: skip
