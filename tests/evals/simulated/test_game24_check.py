"""The checker of the Game of 24 against brute force and against what is no answer."""

from __future__ import annotations

import pytest

from reasonloom.evals.simulated.game24.check import LONGEST, fault, solves
from tests.evals.simulated.brute_force_game24 import every


@pytest.mark.parametrize("numbers", [(4, 5, 6, 10), (3, 3, 8, 8), (0, 1, 1, 24), (1, 1, 1, 1)])
def test_it_agrees_with_brute_force_on_every_expression(numbers: tuple[int, ...]) -> None:
    found = {written: value for value, written in every(numbers)}
    right = {written for written in found if solves(written, numbers)}
    assert right == {written for written, value in found.items() if value == 24}
    assert len(found) > 300


def test_brackets_that_are_not_needed_and_words_around_it_are_no_fault() -> None:
    for answer in ("(10-4)*5-6 = 24", "Answer: 5 * (10 - 4) - 6 = 24", " -6+5×(10−4) "):
        assert fault(answer, (4, 5, 6, 10)) is None
    assert solves("8 / (3 - 8 / 3)", (8, 8, 3, 3))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("5 * (10 - 4) - 5 = 24", "does not use each number once"),
        ("5 * (10 - 4)", "does not use each number once"),
        ("5 * (10 - 4) - 6 + 5 - 5", "does not use each number once"),
        ("24", "does not use each number once"),
        ("5 + 10 + 4 + 6 = 24", "makes 25"),
        ("5 * (10 - 4) - 6 = 25", "holds more than whole numbers, + - * / and brackets"),
        ("5 * (10 - 4 - 6", "is no expression"),
        ("", "holds more than whole numbers, + - * / and brackets"),
        ("= 24", "holds more than whole numbers, + - * / and brackets"),
        ("   ", "holds more than whole numbers, + - * / and brackets"),
        ("4 ** 5 ** 6 ** 10", "is no expression"),
        ("10 // 4 + 5 + 6", "is no expression"),
        ("4 5 6 10", "is no expression"),
        ("4(5)(6)(10)", "is no expression"),
        ("()", "is no expression"),
        ("(4, 5)", "holds more than whole numbers, + - * / and brackets"),
        ("4 + 5 + 6 + 1_0", "holds more than whole numbers, + - * / and brackets"),
        ("4 + 5 + 6 + 0xA", "holds more than whole numbers, + - * / and brackets"),
        ("4.0 + 5 + 6 + 10", "holds more than whole numbers, + - * / and brackets"),
        ("True + 4", "holds more than whole numbers, + - * / and brackets"),
        ("__import__('os').system('true')", "holds more than whole numbers, + - * / and brackets"),
        ("5\n+ 4", "holds more than whole numbers, + - * / and brackets"),
        ("٤ + 5 + 6 + 10", "holds more than whole numbers, + - * / and brackets"),
        ("4 / (5 + 6 - 10 - 1 + 0)", "divides by zero"),
        ("10 / (5 - 5)", "divides by zero"),
        ("04 + 5 + 6 + 10", "is no expression"),
        ("(" * 60 + ")" * 60, "is no expression"),
        ("-" * LONGEST, "is no expression"),
        ("(" * 100_000, "is too long"),
        ("9" * LONGEST, "does not use each number once"),
    ],
)
def test_what_is_no_answer_is_refused_with_a_reason(answer: str, said: str) -> None:
    assert fault(answer, (4, 5, 6, 10)) == said
    assert not solves(answer, (4, 5, 6, 10))
