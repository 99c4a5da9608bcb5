"""Suites from published benchmark files: GSM8K, Game of 24, BIG-Bench Hard."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reasonloom.errors import UnknownName
from reasonloom.evals.core.item import Item, Mark
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import text_of
from reasonloom.evals.loaders.files import Row, read_rows
from reasonloom.evals.scorers.function import Checker
from reasonloom.evals.scorers.text import choice, exact, last_number, numeric
from reasonloom.evals.simulated.game24.check import solves

FOUR = re.compile(r"[0-9]{1,3}(?: +[0-9]{1,3}){3}")
ANSWER = "####"
LETTER = re.compile(r"\(([A-Z])\)")


def gsm8k(path: Path) -> Suite:
    """Return GSM8K's questions (Cobbe et al. 2021); the target is the number after `####`.

    Raises:
        InvalidArgument: a row lacks a question or such a number; the message names the row.
    """
    found = read_rows(path, {"question", "answer"})
    items = [
        Item(str(number), row.cell("question"), _after_marker(row))
        for number, row in enumerate(found, 1)
    ]
    return Suite("gsm8k", items, (numeric(),), where=[row.where for row in found])


def _after_marker(row: Row) -> str:
    _, mark, answer = str(row.cell("answer")).rpartition(ANSWER)
    if not mark or last_number(answer) is None:
        raise row.refuse("answer", f"has no number behind {ANSWER}")
    return answer.strip()


def game24(path: Path) -> Suite:
    """Return the Game of 24 puzzles (`24.csv`; Yao et al. 2023), with their ranks as ids.

    Raises:
        InvalidArgument: a row lacks a rank or four numbers; the message names the row.
    """
    found = read_rows(path, {"Rank", "Puzzles"})
    items = []
    for row in found:
        puzzle = str(row.cell("Puzzles"))
        if not FOUR.fullmatch(puzzle.strip()):
            raise row.refuse("Puzzles", "must be four whole numbers, such as 4 5 6 10")
        items.append(Item(str(row.cell("Rank")), puzzle.strip()))
    scorer = Checker(makes_24, name="makes_24")
    return Suite("game24", items, (scorer,), where=[row.where for row in found])


def makes_24(item: Item, output: Any) -> Mark:
    """Score 1 if one of the last 20 lines makes 24 from the four numbers, each used once."""
    answer = text_of(output.get("answer") if isinstance(output, dict) else output)
    numbers = [*map(int, str(item.input).split())]
    return Mark(float(any(solves(line, numbers) for line in answer.splitlines()[-20:])))


def big_bench_hard(path: Path) -> Suite:
    """Return a BIG-Bench Hard task (Suzgun et al. 2022), named after its file.

    Scores the chosen letter if all targets are letters in parentheses, else the final answer.

    Raises:
        InvalidArgument: an example lacks an input or target; the message names the example.
    """
    found = read_rows(path, {"input", "target"})
    items = [
        Item(str(number), row.cell("input"), str(row.cell("target")))
        for number, row in enumerate(found, 1)
    ]
    letters = all(LETTER.fullmatch(str(item.target).strip()) for item in items)
    scorer = choice() if letters else exact(final=True)
    return Suite(path.stem, items, (scorer,), where=[row.where for row in found])


FORMS: Mapping[str, Callable[[Path], Suite]] = MappingProxyType(
    {"gsm8k": gsm8k, "game24": game24, "bbh": big_bench_hard}
)


def published(form: str, path: Path) -> Suite:
    """Return the suite of a file in a published format."""
    if form not in FORMS:
        raise UnknownName(f"format: must be one of {', '.join(FORMS)}, table", field="format")
    return FORMS[form](path)
