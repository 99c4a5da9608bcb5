"""A run exported as Inspect's log: read back by Inspect itself, and served by its viewer."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from reasonloom.errors import Conflict, InvalidArgument, SettingMistake
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Asking
from reasonloom.evals.export.inspect_log import inspect_log, write_inspect_log
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.judge import Judge
from reasonloom.evals.scorers.text import exact
from tests.support.clients.processes import PATIENCE, free_port
from tests.support.evals.suites import Echo, with_prompts

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="Inspect is not installed (extra inspect)"
)

ITEMS = [
    Item("一", "wört été", "WÖRT ÉTÉ", "seasons"),
    Item("b/2", {"question": "куда? 🙂"}, ["a", "КУДА? 🙂"], "ways"),
    Item("c", "which\n\nway", "none"),
]
JUDGED = '{"reason": "It is nearer.", "better": "first"}'


def say(ask: Any) -> str:
    return JUDGED if ask.schema else str(ask.messages[-1].content).upper()


@pytest.fixture
async def log(tmp_path: Path) -> EvalLog:
    """A run of three items in two epochs, with a judge."""
    suite = Suite("ways", ITEMS, (exact(case=True), Judge(votes=2)), Asking("own/answer"))
    ran = await run(
        suite,
        System(llm=Echo(name="echo", say=say)),
        log=tmp_path / "ways.jsonl",
        epochs=2,
        seed=7,
        judge=Echo(name="court", say=say),
        settings=with_prompts(tmp_path / "prompts", "Say it."),
    )
    return ran.log


def read(path: Path) -> Any:
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(path))


@pytest.mark.parametrize("ending", [".eval", ".json"])
def test_all_of_a_run_is_read_back(log: EvalLog, tmp_path: Path, ending: str) -> None:
    to = tmp_path / f"ways{ending}"
    assert write_inspect_log(log, to) == 6
    found = read(to)
    assert (found.status, found.eval.task, found.eval.model) == ("success", "ways", "echo")
    assert (found.eval.dataset.samples, found.eval.config.epochs) == (3, 2)
    assert found.eval.metadata["seed"] == 7
    assert found.eval.metadata["texts"] == log.head["texts"]
    assert found.eval.run_id == log.head["number"]
    samples = {(sample.id, sample.epoch): sample for sample in found.samples}
    assert set(samples) == {(item.id, epoch) for item in ITEMS for epoch in (1, 2)}
    for record in log.records:
        held(samples[record.item, record.epoch + 1], record)


def held(sample: Any, record: Record) -> None:
    """Hold a sample against the record that it is made of."""
    item = next(item for item in ITEMS if item.id == record.item)
    told = {name: score.value for name, score in sample.scores.items()}
    told |= {
        f"{name}/{figure}": value
        for name, score in sample.scores.items()
        for figure, value in (score.metadata or {}).items()
    }
    assert told == record.scores
    assert {n: s.explanation for n, s in sample.scores.items() if s.explanation} == record.said
    assert sample.target == item.target
    assert sample.metadata.get("input", sample.input) == item.input
    assert sample.metadata.get("cluster", "") == item.cluster
    assert sample.metadata["digest"] == item.digest
    assert sample.output.completion == record.output
    (call,) = record.calls
    messages = [(each.role, each.content) for each in sample.messages]
    assert messages == [
        *((each["role"], each["content"]) for each in call["asked"]),
        ("assistant", call["said"]),
    ]
    for model, whose in (("echo", ""), ("court", "judge_")):
        usage = sample.model_usage[model]
        assert usage.input_tokens == record.usage[f"{whose}tokens_in"]
        assert usage.output_tokens == record.usage[f"{whose}tokens_out"]
        assert usage.total_cost == pytest.approx(record.usage[f"{whose}usd"])
    assert sample.role_usage["grader"] == sample.model_usage["court"]
    assert sample.total_time == pytest.approx(record.latency_ms / 1000)


def test_means_and_bills_are_those_of_the_run(log: EvalLog) -> None:
    found = inspect_log(log)
    assert found.results is not None
    scores = {score.name: score for score in found.results.scores}
    assert scores["exact"].metrics["mean"].value == pytest.approx(2 / 3)
    assert scores["exact"].metrics["stderr"].value == pytest.approx(1 / 3)
    assert found.results.completed_samples == found.results.total_samples == 6
    assert found.stats.model_usage["echo"].total_cost == pytest.approx(6 * 0.01)
    assert found.stats.model_usage["court"].total_cost == pytest.approx(6 * 4 * 0.01)


def test_an_error_and_a_run_that_is_not_done_are_told(tmp_path: Path) -> None:
    log = EvalLog(tmp_path / "made.jsonl")
    log.begin({"eval": "made", "items": 2, "epochs": 1})
    log.add(Record("a", 0, "", {"exact": 0.0}, 1.0, input="?", target="!", error="refused: 何"))
    write_inspect_log(log, tmp_path / "made.eval")
    found = read(tmp_path / "made.eval")
    assert (found.status, found.eval.model) == ("cancelled", "none")
    assert (found.results.total_samples, found.results.completed_samples) == (2, 1)
    (sample,) = found.samples
    assert (sample.error.message, sample.model_usage) == ("refused: 何", {})


def test_what_cannot_be_written_is_refused(log: EvalLog, tmp_path: Path) -> None:
    (tmp_path / "there.eval").write_text("mine")
    with pytest.raises(Conflict, match=r"there\.eval is there already; --force writes over it"):
        write_inspect_log(log, tmp_path / "there.eval")
    assert (tmp_path / "there.eval").read_text() == "mine"
    assert write_inspect_log(log, tmp_path / "there.eval", force=True) == 6
    for name, told in (("x.txt", r"must end with \.eval or \.json"), ("no/x.eval", "folder of x")):
        with pytest.raises(InvalidArgument, match=told):
            write_inspect_log(log, tmp_path / name)


def test_without_inspect_it_is_told_what_to_install(
    log: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(SettingMistake, match=r'pip install "reasonloom\[inspect\]"'):
        write_inspect_log(log, tmp_path / "x.eval")


def test_inspects_viewer_serves_it(log: EvalLog, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    write_inspect_log(log, folder / "ways.eval")
    port = free_port()
    arguments = ["view", "start", "--log-dir", str(folder), "--port", str(port), "--host"]
    with (tmp_path / "said").open("wb") as said:
        viewer = subprocess.Popen(
            [sys.executable, "-m", "inspect_ai", *arguments, "127.0.0.1"],
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        base = f"http://127.0.0.1:{port}"
        listed = waited(f"{base}/api/logs", viewer, tmp_path / "said").json()
        (file,) = listed["files"]
        assert file["name"].endswith("ways.eval")
        shown = httpx.get(f"{base}/api/logs/{file['name']}", timeout=PATIENCE).json()
        assert [sample["id"] for sample in shown["samples"]] == ["b/2", "c", "一"] * 2
        assert shown["samples"][2]["messages"][-1]["content"] == "WÖRT ÉTÉ"
        page = httpx.get(base, timeout=PATIENCE)
        assert "<html" in page.text
    finally:
        viewer.terminate()
        viewer.wait(PATIENCE)


def waited(url: str, viewer: subprocess.Popen[bytes], said: Path) -> httpx.Response:
    """Return what is served, once somebody serves it."""
    until = time.monotonic() + 2 * PATIENCE
    while True:
        assert viewer.poll() is None, said.read_text()
        try:
            return httpx.get(url, timeout=PATIENCE)
        except httpx.TransportError:
            assert time.monotonic() < until, said.read_text()
            time.sleep(0.1)
