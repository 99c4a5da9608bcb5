"""Compares two figures: do they say the same, or another value of the same?"""

import math

from reasonloom.nodes.graph_memory.grounding.figures import Value

HALF_A_DAY = 720


def same_value(claimed: Value, held: Value) -> bool:
    """Tell whether two figures are the same; a date may be given more exactly by `held`."""
    kinds = {claimed.kind, held.kind}
    if kinds == {"time", "number"}:
        return _same_hour(claimed, held)
    if kinds == {"date", "number"}:
        return _year_of(claimed) == _year_of(held) is not None
    if len(kinds) > 1:
        return kinds == {"code", "number"} and _written_alike(claimed, held)
    if claimed.kind == "date":
        pairs = zip(_parts(claimed), _parts(held), strict=True)
        return all(mine is None or mine == other for mine, other in pairs)
    if claimed.kind == "time":
        gap = _number(claimed) - _number(held)
        return gap == 0 if claimed.unit and held.unit else gap % HALF_A_DAY == 0
    return claimed.amount == held.amount and (claimed.kind == "weekday" or same_unit(claimed, held))


def same_unit(claimed: Value, held: Value) -> bool:
    """Tell whether two numbers may count the same: one of them may leave open what."""
    return not claimed.unit or not held.unit or claimed.unit == held.unit


def rivals(claimed: Value, held: Value) -> bool:
    """Tell whether two figures that differ stand for one thing: of a kind, and of a unit.

    Bare numbers and ordinals may be names, as in `invoice 17`, and are none.
    """
    if claimed.kind != held.kind or claimed.kind == "ordinal" or same_value(claimed, held):
        return False
    if claimed.kind == "number":
        return bool(claimed.unit) and claimed.unit == held.unit
    if claimed.kind == "date":
        pairs = zip(_parts(claimed), _parts(held), strict=True)
        return any(None not in pair and pair[0] != pair[1] for pair in pairs)
    return True


def _same_hour(one: Value, other: Value) -> bool:
    time, number = (one, other) if one.kind == "time" else (other, one)
    return not number.unit and (_number(time) - 60 * _number(number)) % HALF_A_DAY == 0


def _written_alike(one: Value, other: Value) -> bool:
    """Tell whether a plain number is what a version says: 2.1 and version 2.1, but not 2.10."""
    code, number = (one, other) if one.kind == "code" else (other, one)
    return code.amount == f"{_number(number):g}"


def _year_of(value: Value) -> int | None:
    if value.kind == "date":
        return _parts(value)[0]
    number = _number(value)
    return int(number) if not value.unit and math.isfinite(number) else None


def _parts(value: Value) -> tuple[int | None, ...]:
    return value.amount if isinstance(value.amount, tuple) else ()


def _number(value: Value) -> float:
    return float(value.amount) if isinstance(value.amount, (int, float)) else -1.0
