"""Files of items that were written to do harm: refused by place, or kept as the texts they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.loaders.cases import tool_of_cases
from reasonloom.evals.loaders.files import MOST_NAMED, read_rows, table
from tests.evals.core.test_loaders import written
from tests.prompts.test_hostile_folder import REPEATING

TEXTS = (
    "{{ ''.__class__.__mro__ }}", "{% include '/etc/passwd' %}", "=cmd|' /C calc'!A0", *REPEATING,
)  # fmt: skip


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_texts_of_items_are_never_run(tmp_path: Path, suffix: str) -> None:
    lines = [json.dumps({"input": text, "target": text}) for text in TEXTS]
    if suffix == "csv":
        cells = ['"' + text.replace('"', '""') + '"' for text in TEXTS]
        lines = ["input,target", *(f"{cell},{cell}" for cell in cells)]
    suite = table(written(tmp_path, f"t.{suffix}", "\n".join(lines) + "\n"))
    suite.check()
    assert [(item.input, item.target) for item in suite.items] == [(x, x) for x in TEXTS]


@pytest.mark.parametrize(
    "value",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "[{}, NaN]", "9" * 5_000,
     "[" * 100_000 + "]" * 100_000],
    ids=lambda value: value[:12],
)  # fmt: skip
@pytest.mark.parametrize("column", ["id", "input", "target"])
def test_numbers_and_depths_that_no_log_can_hold_are_refused(
    tmp_path: Path, value: str, column: str
) -> None:
    cells = {"id": '"a"', "input": '"b"', "target": '"c"', column: value}
    line = "{" + ", ".join(f'"{name}": {cell}' for name, cell in cells.items()) + "}"
    with pytest.raises(InvalidArgument, match="line 1: is no JSON object"):
        table(written(tmp_path, "t.jsonl", line + "\n"))
    with pytest.raises(InvalidArgument, match="is no JSON"):
        table(written(tmp_path, "t.json", f"[{line}]"))


def test_finite_numbers_are_kept(tmp_path: Path) -> None:
    path = written(
        tmp_path, "t.jsonl", '{"input": [1e300, -0.5, 123456789012345678901], "target": 1}'
    )
    assert table(path).items[0].input == [1e300, -0.5, 123456789012345678901]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_million_columns_are_named_in_part(tmp_path: Path, name: str) -> None:
    columns = [f"c{number}" for number in range(10**6)]
    head = ",".join(columns) + "\n" + "," * (10**6 - 1) + "\n"
    line = json.dumps(dict.fromkeys(columns, 1)) + "\n"
    with pytest.raises(InvalidArgument, match="has no column input") as caught:
        table(written(tmp_path, name, head if name == "t.csv" else line))
    assert caught.value.message.endswith(f"c{MOST_NAMED - 1} and 999,980 more")


def test_a_long_name_of_a_column_is_cut(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="has no column input") as caught:
        table(written(tmp_path, "t.csv", "x" * 10**6 + ",y\na,b\n"))
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("tool", ["x" * 10**5, ["think"], {"a": "b" * 10**5}, 7])
def test_a_tool_that_is_none_is_named_in_short(tmp_path: Path, tool: object) -> None:
    line = json.dumps({"tool": tool, "input": "a", "target": "b"})
    with pytest.raises(UnknownName, match="no tool") as caught:
        tool_of_cases(written(tmp_path, "t.jsonl", line))
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_an_id_that_no_database_stores_is_refused(tmp_path: Path, name: str) -> None:
    line = json.dumps({"id": name, "input": "a", "target": "b"})
    with pytest.raises(InvalidArgument, match="line 1: id and cluster must be text"):
        table(written(tmp_path, "t.jsonl", line)).check()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(InvalidArgument, match="there is no such file"):
        read_rows(tmp_path / "t.csv")
