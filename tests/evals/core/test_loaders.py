"""Files that a user has: read as they come, and refused by row and column where they are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.loaders.files import python_file, table
from reasonloom.evals.loaders.published import big_bench_hard, game24, gsm8k, published
from reasonloom.evals.scorers.function import Checker
from reasonloom.evals.scorers.text import Pattern, numeric

OWN = """
from reasonloom.evals import Function, Item, Suite, exact

WAY = Function(lambda item, n: item.input.upper())
SUITE = Suite("own", [Item("a", "été", "ÉTÉ")], (exact(),), WAY)
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_gsm8k_has_the_number_behind_its_mark(tmp_path: Path) -> None:
    lines = [
        {"question": "48 and half of it?", "answer": "48/2 = <<48/2=24>>24\n#### 72"},
        {"question": "À combien?", "answer": "x\n#### 1,200"},
    ]
    path = written(tmp_path, "g.jsonl", "\n".join(map(json.dumps, lines)) + "\n")
    suite = gsm8k(path)
    suite.check()
    assert [(item.id, item.target) for item in suite.items] == [("1", "72"), ("2", "1,200")]
    (scorer,) = suite.scorers
    assert scorer.about()["scorer"] == "numeric"


def test_game24_is_scored_by_what_an_answer_comes_to(tmp_path: Path) -> None:
    path = written(tmp_path, "24.csv", "Rank,Puzzles,AMT\n901,4 5 6 10,8\n902,1 1 4 6,7\n")
    suite = game24(path)
    suite.check()
    (scorer,) = suite.scorers
    assert isinstance(scorer, Checker)
    marks = [
        scorer.check(suite.items[0], said)
        for said in ("Steps\n(10 - 4) * 5 - 6 = 24", {"answer": "(10 - 4) * 5 - 6 = 24"}, "24")
    ]
    assert [mark.score for mark in marks if not isinstance(mark, bool | float)] == [1, 1, 0]
    assert suite.items[1].id == "902"


def test_big_bench_hard_is_scored_by_choice_or_by_its_final_answer(tmp_path: Path) -> None:
    letters = {"examples": [{"input": "Which? (A) x (B) y", "target": "(B)"}]}
    words = {"canary": "x", "examples": [{"input": "Valid?", "target": "invalid"}]}
    one = big_bench_hard(written(tmp_path, "dates.json", json.dumps(letters)))
    two = big_bench_hard(written(tmp_path, "fallacies.json", json.dumps(words)))
    assert [one.name, two.name] == ["dates", "fallacies"]
    assert [suite.scorers[0].about()["scorer"] for suite in (one, two)] == ["choice", "exact"]
    assert two.scorers[0].about()["final"]


def test_a_table_is_read_by_its_mapping(tmp_path: Path) -> None:
    text = '\ufeffnr,frage,kontext,antwort,wer\n7,"Où, dit-il?","été\nhiver",là,Ж\n8,何?,x,y,Ж\n'
    path = written(tmp_path, "t.csv", text)
    columns = {"id": "nr", "input": "frage+kontext", "target": "antwort", "cluster": "wer"}
    suite = table(path, columns)
    suite.check()
    first, second = suite.items
    assert first.input == {"frage": "Où, dit-il?", "kontext": "été\nhiver"}
    assert (first.id, first.target, first.cluster) == ("7", "là", "Ж")
    assert second.input["frage"] == "何?"


def test_a_table_of_json_lines_keeps_what_its_values_are(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "t.jsonl",
        '{"input": {"n": 1}, "target": [2, 3]}\n\n{"input": "x", "target": 0}\n',
    )
    items = table(path, scorers=(numeric(),)).items
    assert [(item.input, item.target) for item in items] == [({"n": 1}, [2, 3]), ("x", 0)]


def test_0_and_false_are_something(tmp_path: Path) -> None:
    rows = "".join(f'{{"id": {n}, "input": "x", "cluster": {n}}}\n' for n in range(3))
    scorers = (Pattern("x"),)
    items = table(written(tmp_path, "t.jsonl", rows), scorers=scorers).items
    assert [(item.id, item.cluster) for item in items] == [("0", "0"), ("1", "1"), ("2", "2")]
    told = table(written(tmp_path, "u.jsonl", '{"input": "x", "target": false}\n'), scorers=scorers)
    assert told.items[0].target is False


RIGHT = '{"question": "x", "answer": "#### 1"}'
WRONG: list[tuple[Callable[[Path], Suite], str, str, str]] = [
    (gsm8k, "a.jsonl", '{"question": "x", "answer": "none"}\n', "line 1: answer: has no number"),
    (gsm8k, "a.jsonl", f'{RIGHT}\n{{"answer": "#### 1"}}\n', "line 2: question: is not there"),
    (gsm8k, "a.jsonl", '{"q": "x"}\n', "has no column answer; it has q"),
    (gsm8k, "a.jsonl", '{"question"\n', "line 1: is no JSON object"),
    (gsm8k, "a.jsonl", "", "has no rows"),
    (gsm8k, "a.txt", "x", "must be a file of the kind"),
    (game24, "a.csv", "Rank,Puzzle\n1,1 2 3 4\n", "has no column Puzzles; it has Rank, Puzzle"),
    (game24, "a.csv", "Rank,Puzzles\n1,1 2 3\n", "row 1: Puzzles: must be four"),
    (game24, "a.csv", "Rank,Puzzles\n1,1 2 3 4\n2\n", "row 2: must have 2 cells"),
    (game24, "a.csv", "Rank,Puzzles,Rank\n1,2,3\n", "must name each column once"),
    (big_bench_hard, "a.json", '{"examples": 1}', "must be a list of objects"),
    (big_bench_hard, "a.json", '[{"input": "x", "target": " "}]', "example 1: target: is empty"),
    (big_bench_hard, "a.json", "{", "is no JSON"),
    (table, "a.csv", "input,target\nx,\n", "row 1: target: is empty"),
    (table, "a.csv", "input,target\nx,y\n,y\n", "row 2: input: is empty"),
    (table, "a.csv", "question,target\nx,y\n", "has no column input; it has question, target"),
    (lambda path: table(path, {"goal": "x"}), "a.csv", "input\nx\n", "goal: must be one of"),
    (python_file, "a.py", "SUITE = 1", r"must define SUITE = Suite"),
    (python_file, "a.py", "\nx = 1 / 0", r"cannot be run: ZeroDivisionError: .*\(line 2\)"),
    (python_file, "a.py", "def", "cannot be run: SyntaxError"),
]  # fmt: skip


@pytest.mark.parametrize(("load", "name", "text", "said"), WRONG)
def test_a_file_that_is_wrong_is_refused_by_row_and_column(
    tmp_path: Path, load: Callable[[Path], Suite], name: str, text: str, said: str
) -> None:
    with pytest.raises(InvalidArgument, match=said) as refused:
        load(written(tmp_path, name, text))
    assert str(tmp_path) not in refused.value.message


def test_what_is_not_there_or_not_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"a\.csv: there is no such file"):
        table(tmp_path / "a.csv")
    with pytest.raises(InvalidArgument, match=r"a\.py: there is no such file"):
        python_file(tmp_path / "a.py")
    (tmp_path / "b.csv").write_bytes(b"input,target\n\xff,x\n")
    with pytest.raises(InvalidArgument, match=r"b\.csv: is not UTF-8"):
        table(tmp_path / "b.csv")
    with pytest.raises(UnknownName, match="format: must be one of gsm8k, game24, bbh"):
        published("gsm9k", tmp_path / "a")


def test_a_suite_of_ones_own_is_a_python_file(tmp_path: Path) -> None:
    suite = python_file(written(tmp_path, "own.py", OWN))
    assert (suite.name, suite.items[0].target) == ("own", "ÉTÉ")
