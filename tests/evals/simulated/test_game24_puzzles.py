"""Puzzles: the public file's, the project's own, and files that are others."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.game24.check import (
    LONGEST,
    fault,
    is_natural,
    make_state,
    next_states,
    reachable,
    solves,
)
from reasonloom.evals.simulated.game24.puzzles import (
    Puzzle,
    blind_chance,
    generate_puzzles,
    load_puzzles,
)
from tests.evals.simulated.brute_force_game24 import every, makes_24


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


HEAD = "Rank,Puzzles,AMT (s),Solved rate,1-sigma Mean (s),1-sigma STD (s)\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "24.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_can_be_reached_is_what_brute_force_reaches() -> None:
    fours = [(a, b, c, d) for a in (1, 5) for b in (1, 7) for c in (3, 11) for d in range(1, 14)]
    found = [reachable(make_state(list(four))) for four in fours]
    assert found == [makes_24(four) for four in fours]
    assert len(set(found)) == 2
    # Pairs are asked in short; hold them to what one step leads to.
    for other in (*range(-30, 31), 144, Fraction(1, 4), Fraction(1, 3)):
        pair = make_state([other, 6])
        assert reachable(pair) == any(each == (24,) for each in next_states(pair))
    assert reachable((6, 144))
    assert reachable((Fraction(1, 4), 6))
    assert reachable((-144, -6))
    assert not reachable((0, 0))


def test_a_state_is_natural_if_it_is_whole_and_not_below_0() -> None:
    assert is_natural((0, 4))
    assert not is_natural((-1, 4))
    assert not any(
        is_natural(each) for each, step in next_states((4, 6)).items() if step.sign == "/"
    )


def test_own_puzzles_are_solvable_the_same_for_a_seed_and_ranked() -> None:
    drawn = generate_puzzles(50, seed=3)
    assert drawn == generate_puzzles(50, seed=3) != generate_puzzles(50, seed=4)
    assert all(makes_24(puzzle.numbers) for puzzle in drawn)
    assert len({puzzle.state for puzzle in drawn}) == 50
    assert [puzzle.rank for puzzle in drawn] == list(range(1, 51))
    chances = [blind_chance(puzzle.state) for puzzle in drawn]
    assert chances == sorted(chances, reverse=True)
    for count in (0, 1363):
        with pytest.raises(InvalidArgument, match="count: must be 1 to 1362"):
            generate_puzzles(count)


def test_the_public_file_is_read_by_rank(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "901,10 4 6 5,9,50%,1,1\n902,1 3 4 6,9,50%,1,1\n")
    assert load_puzzles(path, range(901, 903)) == [
        Puzzle(901, (10, 4, 6, 5)),
        Puzzle(902, (1, 3, 4, 6)),
    ]
    assert str(load_puzzles(path, [901])[0]) == "4 5 6 10"
    with pytest.raises(InvalidArgument, match="data: there is no puzzle of rank 903"):
        load_puzzles(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "data: the first line must be Rank,Puzzles"),
        (HEAD, "data: the table has no rows"),
        ("rank,puzzle\n1,4 5 6 10\n", "data: the first line must be Rank,Puzzles"),
        (HEAD + "1,4 5 6\n", "data: row 1: Puzzles must be four whole numbers, such as 4 5 6 10"),
        (HEAD + "1,4 5 6 10\nx,4 5 6 10\n", "data: row 2: Rank must be a whole number"),
        (HEAD + "1\n", "data: row 1: Puzzles must be four"),
        (HEAD + "1,4 5 6 -10\n", "data: row 1: Puzzles must be four"),
        (HEAD + "1,1 1 1 1\n", "data: row 1: 24 cannot be made of Puzzles"),
    ],
)
def test_another_file_is_refused_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said) as caught:
        load_puzzles(written(tmp_path, text))
    assert caught.value.field == "data"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="data: there is no such file"):
        load_puzzles(tmp_path / "none.csv")
