"""Every set of recall in one run: which questions are in it, and how the sets are reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reasonloom.cli.evals.memory_tables import draw_all_sets
from reasonloom.errors import InvalidArgument
from reasonloom.evals.log import Record
from reasonloom.evals.suites.memory.datasets import OWN_SETS, Source, load_all, load_locomo
from reasonloom.evals.suites.memory.retrieval import COMPARED_SCORES, sets_side_by_side


def talk(name: str) -> dict[str, Any]:
    turn = {"speaker": "Ben", "dia_id": "D1:1", "text": "I sold my old piano."}
    return {
        "sample_id": name,
        "conversation": {"session_1": [turn]},
        "qa": [
            {"question": "What did Ben sell?", "evidence": ["D1:1"], "category": 4},
            {"question": "What did Anna sell?", "evidence": ["D1:1"], "category": 5},
        ],
    }


def write(folder: Path, file: str, *names: str) -> None:
    (folder / f"{file}.json").write_text(json.dumps([talk(name) for name in names]))


def test_a_set_is_each_file_and_each_of_our_own(tmp_path: Path) -> None:
    write(tmp_path, "first", "a", "b")
    write(tmp_path, "second", "a", "c", "d")
    collections, digest = load_all(Source(tmp_path))
    asked = [question for one in collections for question in one.questions]
    assert [one.id for one in collections] == [
        "first/a", "first/b", "second/a", "second/c", "second/d", *(f"{n}/{n}" for n in OWN_SETS)
    ]  # fmt: skip
    assert {each.category for each in asked} == {"first", "second", *OWN_SETS}
    assert all(each.evidence for each in asked)
    assert len({each.id for each in asked}) == len(asked) == 5 + 228 + 180 + 190
    held, other = load_all(Source(tmp_path, "held"))
    assert [one.id for one in held][:3] == ["first/b", "second/c", "second/d"]
    assert digest != other


@pytest.mark.parametrize("folder", ["empty", "nowhere"])
def test_a_folder_without_sets_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidArgument, match="name a folder of LoCoMo files"):
        load_all(Source(tmp_path / folder))


def test_one_conversation_has_no_halves(tmp_path: Path) -> None:
    write(tmp_path, "first", "a")
    with pytest.raises(InvalidArgument, match="one conversation only"):
        load_locomo(Source(tmp_path / "first.json", "dev"))
    with pytest.raises(InvalidArgument, match="must be one of dev, held, all"):
        load_locomo(Source(tmp_path / "first.json", "both"))


def record(number: int, group: str, value: float, without: float | None) -> Record:
    scores = dict.fromkeys(COMPARED_SCORES, value)
    ablated = {"cosine": dict.fromkeys(COMPARED_SCORES, without)} if without is not None else None
    output = {"ranked": [], **({"without": ablated} if ablated else {})}
    return Record(f"{group}/{number}", 0, group, scores, 1.0, output=output)


def test_sets_are_reported_with_what_each_signal_adds(capsys: pytest.CaptureFixture[str]) -> None:
    one = [record(n, "one", n % 2, 0.0) for n in range(40)]
    two = [record(40, "two", 0.0, None), *(record(n, "two", 1.0, 1.0) for n in range(3))]
    sets = sets_side_by_side([*one, *two])
    assert (sets["one"]["n"], sets["two"]["n"]) == (40, 4)
    gain = sets["one"]["signals"]["cosine"]
    assert gain["mean"] == sets["one"]["scores"]["recall@10"]["mean"] == 0.5
    assert 0.3 < gain["low"] < 0.5 < gain["high"] < 0.7
    assert sets["two"]["signals"]["cosine"]["mean"] == 0
    draw_all_sets({"eval": "retrieval-all", "embedder": "encoder", "sets": sets})
    shown = capsys.readouterr().out
    assert "one, n 40" in shown
    assert "gain of cosine" in shown
    assert "+0.500" in shown
