"""A file of cases keeps whole lines, whoever adds to it at once, and names its tool."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reasonloom.errors import DuplicateName, InvalidArgument, UnknownName
from reasonloom.evals.loaders.cases import Case, append_case, tool_of_cases


def case(number: int, name: str = "") -> Case:
    return Case(name or f"c{number}", "think", {"problem": f"où {number}?"}, "ici")


def test_many_at_once_lose_no_line_and_one_question_is_added_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cases.jsonl"

    def added(number: int) -> bool:
        try:
            append_case(path, case(number % 12, f"c{number}"))
        except DuplicateName:
            return False
        return True

    with ThreadPoolExecutor(12) as pool:
        told = list(pool.map(added, range(24)))
    assert sum(told) == 12
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {each["input"]["problem"] for each in found} == {f"où {n}?" for n in range(12)}
    tool = tool_of_cases(path)
    assert tool is not None
    assert tool.name == "think"


@pytest.mark.parametrize(
    ("lines", "error", "told"),
    [
        (['{"tool": "think"}', '{"tool": "ponder"}'], InvalidArgument, "line 2: tool: must be"),
        (['{"tool": "think"}', "{}"], InvalidArgument, "line 2: tool: is not there"),
        (['{"tool": "thnk"}'], UnknownName, "an eval knows no tool thnk"),
        (["no"], InvalidArgument, "line 1: is no JSON object"),
    ],
)
def test_a_file_that_names_no_one_tool_is_refused(
    tmp_path: Path, lines: list[str], error: type[Exception], told: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(error, match=told):
        tool_of_cases(path)


def test_a_table_that_names_no_tool_is_none_of_cases(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text('{"input": "?", "target": "!"}\n')
    assert tool_of_cases(path) is None
    assert tool_of_cases(tmp_path / "table.csv") is None
    with pytest.raises(InvalidArgument, match=r"suite: table\.csv: must be a file named"):
        append_case(tmp_path / "table.csv", case(1))
