"""Statements of calculations, units and dates in prose: what is wrong is found, without alarm."""

from __future__ import annotations

import csv
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.nodes.reasoning.verification.faults import MOST_CHARACTERS, check_statements

TABLE = Path(__file__).with_name("statements.tsv")
with TABLE.open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
"""Written before the checks; kind `near` looks like a statement and is none, or is unusual."""

with Path(__file__).with_name("statements-2.tsv").open(encoding="utf-8") as file:
    LATER = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
"""Written after them. Of the first 81 true ones 4 were called false, and of 36 false ones 28 were
found, before the checks were mended by them; of the last 52, all true, none was called false."""

LONGEST_SECONDS = 2.0
"""Far more than the milliseconds that it takes, and far less than what a blow-up takes."""


def verdict_on(text: str) -> str:
    checked = check_statements(text)
    if not checked:
        return "unchecked"
    return "true" if all(each.holds for each in checked) else "false"


@pytest.mark.parametrize(
    "text", [row["statement"] for row in [*ROWS, *LATER] if row["truth"] == "true"]
)
def test_nothing_true_is_called_false(text: str) -> None:
    assert verdict_on(text) != "false"


def test_how_many_are_found() -> None:
    """50 of 50 false ones and 62 of 64 true ones; 47 and 57 with the first version of the code."""
    rows = [row for row in ROWS if row["kind"] != "near"]
    found = Counter((row["truth"], verdict_on(row["statement"])) for row in rows)
    assert found["false", "false"] == 50
    assert found["true", "true"] >= 62
    later = [verdict_on(row["statement"]) for row in LATER if row["truth"] == "false"]
    assert later.count("false") >= 33


@pytest.mark.parametrize(
    ("text", "correct"),
    [
        ("17 * 23 = 381 rows", "17 * 23 = 391"),
        ("3 x 40 minutes = 3 hours", "3 * 40 minutes = 2 hours"),
        ("36 of 240 is 18%", "36 / 240 = 15%"),
        ("2026-03-02 is a Tuesday", "2026-03-02 is a Monday"),
        ("14 days after 2026-03-02 is 2026-03-15", "14 days after 2026-03-02 is 2026-03-16"),
        ("From 09:15 to 10:00 is 55 minutes", "from 09:15 to 10:00 it is 0 h 45 min"),
        ("So **12 + 30 = 44** in all.", "12 + 30 = 42"),
        ("- 12 + 30 = 44", "12 + 30 = 42"),
        ("total = 12 + 30 = 44", "12 + 30 = 42"),
        (r"\(17 \times 23 = 381\)", "17 * 23 = 391"),
    ],
)
def test_what_is_right_is_named(text: str, correct: str) -> None:
    (checked,) = check_statements(text)
    assert (checked.holds, checked.correct) == (False, correct)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9 = 1", "9^9^9 = 387420489", "(" * 150 + "1" + ")" * 150 + " + 1 = 3",
        "9" * 5_000 + " + 1 = 2", "1 / 0 = 5", "1 / (2 - 2) = 5 km", "= = = 3", "1 + + + = 2",
        "99999999 days after 2026-03-02 is 2026-03-03", "1 = 2", "5 5 5 = 5",
        "900000 years after 9 May 2026 is 9 May 2027", "2026-13-45 is a Monday", "$1 + €1 = £3",
        "30 February 2026 is a Monday", "5 apples + 3 pears - x = 9", "2 + 2 = 5 - y",
        "__import__('os').system('true') = 1", "\ue0000\ue001 is a Monday", "x² + 3 = 4 * y",
        "10 - 12 = October to December", "12 of 15 is 3 more than 9", "a + 2 * 3 = 7",
        "The range 3 * 4 = 12-15 pieces", "2 * 3 = 5 or 6", "n! with n = 3 + 1 = 4!",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_not_checked(text: str) -> None:
    assert verdict_on(text) in {"unchecked", "true"}


@pytest.mark.parametrize(
    "part",
    ["9**9**9 = 1. ", "1 + ", "(", "3 x ", "1, 2, ", "sum of 1, ", "5 of 5 of ", "2 km per ",
     "Monday, ", "2026-03-02 ", "1 h ", "12:30 to ", "= 1 ", "a ", "5 a b ", "`", '"', "1."],
)  # fmt: skip
def test_no_text_takes_long(part: str) -> None:
    text = part * (MOST_CHARACTERS // len(part) + 1)
    started = time.perf_counter()
    check_statements(text)
    assert time.perf_counter() - started < LONGEST_SECONDS


@given(st.text(alphabet="0123456789+-*/()., =%xkm$€daysofi:\n^", max_size=200))
def test_no_text_raises(text: str) -> None:
    check_statements(text)


@given(st.integers(0, 9999), st.integers(0, 9999), st.sampled_from("+*-"))
def test_sums_hold_and_their_neighbours_do_not(a: int, b: int, sign: str) -> None:
    value = {"+": a + b, "*": a * b, "-": a - b}[sign]
    assert verdict_on(f"There are {a} {sign} {b} = {value} pieces.") == "true"
    assert verdict_on(f"There are {a} {sign} {b} = {value + 1} pieces.") == "false"
