"""The eval core: rankings by hand, logs that resume, and LoCoMo's form on a small talk."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.summary import means_by_group
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.suites.memory.datasets import RETRIEVAL_SUITES, Source, load_locomo
from reasonloom.evals.suites.memory.retrieval import packaged, ranking_scores
from reasonloom.evals.suites.packaged import run_packaged

HEAD = {"eval": "locomo", "data_sha256": "x"}
TALK = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Anna",
        "speaker_b": "Ben",
        "session_2_date_time": "9 May 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I sold my old piano."}],
        "session_1_date_time": "8 May 2023",
        "session_1": [
            {"speaker": "Anna", "dia_id": "D1:1", "text": "I adopted a dog.",
             "blip_caption": "a photo of a brown puppy"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "My sister lives in Lisbon."},
        ],
    },
    "qa": [
        {"question": "Who adopted a dog?", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Ben sell?", "evidence": ["D2:1; D9:9"], "category": 1},
        {"question": "Nobody knows?", "evidence": [], "category": 3},
        {"question": "Where does Anna's sister live?", "evidence": ["D1:2"], "category": 5},
    ],
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([TALK]))
    return path


def record(item: str, value: float, group: str = "g") -> Record:
    return Record(item, 0, group, {"recall@10": value}, 1.0)


def test_scores_are_those_computed_by_hand() -> None:
    found = ranking_scores(["x", "a", "y", "b"], {"a", "b", "c"})
    assert found["recall@5"] == pytest.approx(2 / 3)
    assert found["hit@10"] == 1
    assert found["mrr"] == 0.5
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert found["ndcg@10"] == pytest.approx(gained / best)
    assert set(ranking_scores(["x"], {"a"}).values()) == {0.0}


def test_a_log_is_read_back_and_a_torn_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    log = EvalLog(path)
    log.begin(HEAD)
    log.add(record("a", 1.0))
    with path.open("a") as file:
        file.write('{"item": "b", "epo')
    again = EvalLog(path)
    assert again.done() == {("a", 0)}
    again.begin(HEAD)
    again.add(record("b", 0.5))
    assert EvalLog(path).done() == {("a", 0), ("b", 0)}


def test_a_log_of_other_data_is_not_gone_on_with(tmp_path: Path) -> None:
    EvalLog(tmp_path / "run.jsonl").begin(HEAD)
    with pytest.raises(InvalidArgument, match="another data_sha256"):
        EvalLog(tmp_path / "run.jsonl").begin({**HEAD, "data_sha256": "y"})


def test_the_summary_keeps_groups_apart() -> None:
    records = [record("a", 1.0), record("b", 0.0), record("c", 0.0, "adversarial")]
    told = means_by_group(records, excluded=("adversarial",))
    assert told["overall"] == {"n": 2, "recall@10": 0.5}
    assert told["groups"]["adversarial"] == {"n": 1, "recall@10": 0.0}


def test_the_loader_only_maps(data: Path) -> None:
    ((conversation,), digest) = load_locomo(Source(data))
    assert len(digest) == 64
    first, second, third = conversation.memories
    content = "Anna: I adopted a dog. [shares a photo of a brown puppy]"
    assert first.arguments["content"] == content
    assert (second.id, third.arguments["sessionId"]) == ("D1:2", "session_2")
    assert third.arguments["metadata"] == {"tags": ["Ben"], "context": "9 May 2023"}
    asked = [(question.category, sorted(question.evidence)) for question in conversation.questions]
    assert asked == [("single_hop", ["D1:1"]), ("multi_hop", ["D2:1"]), ("adversarial", ["D1:2"])]


@pytest.mark.parametrize("text", ["", "{}", "[{}]", "[1]", '[{"sample_id": "a"}]', "null"])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InvalidArgument, match="not a LoCoMo file"):
        load_locomo(Source(path))
    with pytest.raises(InvalidArgument, match="no such file"):
        load_locomo(Source(tmp_path / "nowhere.json"))
    with pytest.raises(InvalidArgument, match="name the file"):
        load_locomo(Source())


async def test_a_run_finds_the_evidence_and_resumes(data: Path, tmp_path: Path) -> None:
    told: list[str] = []

    def tell(what: str, done: int, total: int) -> None:
        told.append(what)

    own, log = packaged(RETRIEVAL_SUITES["locomo"], Source(data)), tmp_path / "evals" / "run.jsonl"
    result: dict[str, Any] = await run_packaged(own, log, tell=tell)
    assert result["overall"]["n"] == 2
    assert result["overall"]["recall@10"] == 1.0
    assert told == ["talk-1/0", "talk-1/1", "talk-1/3"]
    told.clear()
    again = await run_packaged(own, log, tell=tell)
    assert again["overall"] == result["overall"]
    assert told == []
