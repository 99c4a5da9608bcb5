"""Calculations are checked by their numbers, within bounds, and never run as code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.text.calculations import LONGEST, evaluate, holds


@pytest.mark.parametrize(
    "calculation",
    [
        "3 * 45 == 135", "58 + 18 + 26 = 102", "102 <= 120", "17 * 2,340 / 100 == 397.80",
        "10 / 3 == 3.33", "0.1 + 0.2 == 0.3", "3 × 4 = 12", "10 ÷ 4 = 2.5", "5 − 7 == -2",
        "2^10 == 1024", "5 ≠ 6", "round(2.675, 2) == 2.68", "sum([1, 2, 3]) == max(6, 2)",
        "1 < 2 <= 2", "30 > 20 and 2 < 1 or 4 == 4", "not 3 > 4", "66 % 60 == 6", "sqrt(81) == 9",
        "sum([100,200,300]) == 600", "max(100,200) == 200", "200 * 15% + 5 == 35", "17% = 0.17",
    ],
)  # fmt: skip
def test_what_holds(calculation: str) -> None:
    assert holds(calculation) is True


@pytest.mark.parametrize(
    "calculation",
    ["3 * 45 == 134", "102 <= 100", "10 / 3 == 3.34", "2.5 == 3", "1 < 2 < 2", "12 * 12 = 1,440"],
)
def test_what_does_not_hold(calculation: str) -> None:
    assert holds(calculation) is False


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "x == 1", "the budget is 100", "3 * 45", "5", "True", "None == None",
        "'a' == 'a'", "len('abc') == 3", "__import__('os').getcwd() == 1", "(1).__class__ == 1",
        "[1, 2] == [1, 2]", "[x for x in (1, 2)] == 1", "lambda: 1 == 1", "1 / 0 == 1",
        "1 if 2 else 3 == 1", "1 in [1]",
        "9**9**9 == 1", "10**10**10 > 1", "2**99999 > 1", "(-8)**0.5 == 1", "1e308 * 10 > 1",
        "min() == 1", "abs(1, 2) == 1", "round(1, 10**9) == 1", "round(1, ndigits=2) == 1",
        "[0] * 10**9 == 1", "sum([[1]]) == 1", "1 ==", "\x00 == 1",
        "(" * 90 + "1" + ")" * 90 + " == 1 +",
        "+" * 399 + "1", "9" * 5_000 + " == 1", "10.0**400 == 1", "0xff @ 3 == 1", "1j == 1j",
        "1 == 1; import os", "(y := 3) == 3", "f'{1}' == 1", "1 is 1", "~1 == -2", "1 << 99999 > 1",
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_is_no_calculation_is_neither(text: str) -> None:
    assert holds(text) is None


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(st.text(alphabet="0123456789+-*/().,=<> %^eabsrounmxi[]", max_size=LONGEST))
def test_no_text_raises(text: str) -> None:
    assert holds(text) in {True, False, None}


@given(st.integers(-9999, 9999), st.integers(-9999, 9999), st.sampled_from("+-*"))
def test_sums_and_products_hold_and_their_neighbours_do_not(a: int, b: int, sign: str) -> None:
    value = {"+": a + b, "-": a - b, "*": a * b}[sign]
    assert holds(f"({a}) {sign} ({b}) == {value}") is True
    assert holds(f"({a}) {sign} ({b}) == {value + 1}") is False


def test_an_expression_of_named_values_is_evaluated() -> None:
    values = {"q0": 3, "q1": 2_400.0}
    assert evaluate("q0 * (q1 - 400) / 2**2", values) == 1_500
    assert evaluate("max(q0, 2)", values) == 3
    for text in ("q2 + 1", "q0 ** q1 ** 9", "q0 == 3", "q0.real", "", "q0 +", "q0" + "+q0" * 200):
        assert evaluate(text, values) is None
