"""The reasoning bench: its data is as recorded, its programs tell right from wrong, it runs."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.core.system import System
from reasonloom.evals.simulated.reader import SimulatedReader
from reasonloom.evals.simulated.reading import Reader
from reasonloom.evals.simulated.reason_tasks import PACKAGED, Task, load_tasks
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.evals.suites.reasoning.reason.checks import fault_of, run_tests
from reasonloom.evals.suites.reasoning.reason.suite import packaged
from reasonloom.llm.interfaces import Ask
from tests.evals.simulated.simulated_llm import PROMPTS, reply_of

TASKS = {task.id: task for task in load_tasks("dev")}
SURE = Reader(solve=1, guess=0, judge=1, mend=1, curious=1, distract=0)
TASK = TASKS["scattered-01"]


def test_the_files_are_those_recorded() -> None:
    listed = [line.split() for line in (PACKAGED / "SHA256SUMS").read_text().splitlines()]
    assert {name: digest for digest, name in listed} == {
        path.name: sha256(path.read_bytes()).hexdigest() for path in PACKAGED.glob("*.jsonl")
    }
    kinds = Counter(task.kind for task in load_tasks())
    assert set(kinds.values()) == {60}
    assert len(TASKS) == 30 * len(kinds)


@pytest.mark.parametrize("task", [t for t in TASKS.values() if t.kind != "debug"], ids=str)
def test_right_passes_and_wrong_fails(task: Task) -> None:
    assert fault_of(task.check, task.right) == ""
    for wrong in task.wrong:
        assert fault_of(task.check, wrong.text)


@pytest.mark.slow
def test_code_passes_or_fails_its_tests() -> None:
    for task in (task for task in TASKS.values() if task.kind == "debug"):
        assert fault_of(task.check, task.right) == "", task.id
        assert all(fault_of(task.check, wrong.text) for wrong in task.wrong), task.id


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "kept = [0] * 10**9",
        "open('/tmp/reason-bench', 'w')",
        "open('/etc/passwd')",
        "import os; os._exit(0)",
        "raise SystemExit(0)",
        "import socket; socket.socket()",
    ],
)
def test_hostile_code_fails(code: str) -> None:
    assert run_tests(code, "")


def test_wrong_forms_are_refused() -> None:
    assert fault_of(TASK.check, None) == "has no line Answer: ..."
    with pytest.raises(InvalidArgument, match="check: must be one of"):
        fault_of({"type": "judge"}, "Answer: 1")
    with pytest.raises(InvalidArgument, match="half"):
        load_tasks("other")
    with pytest.raises(UnknownName, match="no row"):
        packaged(only=["other"])
    for given in ({"other": "1"}, {"solve": "2"}, {"solve": "nan"}):
        with pytest.raises(InvalidArgument):
            Reader.of(given)


def prompt(*keys: str) -> list[dict[str, str]]:
    return [{"content": each.content} for each in TASK.memories if each.key in keys]


async def test_the_reader_uses_only_facts_of_its_prompt() -> None:
    model, needed = SimulatedReader(SURE), [each.key for each in TASK.needed]
    first: dict[str, Any] = {
        "failed": None,
        "contradicted": None,
        "searched": None,
        "executes": False,
    }
    given = {"content": TASK.question, "history": [], "doubt": "", **first}
    right = await reply_of(model, "linear/continue", memories=prompt(*needed), **given)
    lacking = await reply_of(model, "linear/continue", memories=prompt(*needed[1:]), **given)
    assert fault_of(TASK.check, right["thought"]) == ""
    assert fault_of(TASK.check, lacking["thought"])
    assert lacking["confidence"] < right["confidence"]


async def test_the_reader_asks_for_what_follows_from_what_it_has_read() -> None:
    form = {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"lookup": form, "used": form}}
    storage = next(each for each in TASK.memories if each.key == "a")
    message = HumanMessage(f"[M3, {storage.date}, fact] {storage.content}\n{TASK.question}")
    reply = (await SimulatedReader(SURE).answer(Ask([message], schema))).parsed
    cues = {each.key: each.cue for each in TASK.memories}
    assert reply == {"lookup": [cues["i"], cues["l"]], "used": ["M3"]}


@pytest.mark.parametrize("name", ["tree/judge", "got/judge"])
async def test_a_sure_judge_prefers_the_right_answer(name: str) -> None:
    candidates = [
        {"label": label, "text": text, "content": text, "rests_on": []}
        for label, text in zip("AB", TASK.answers[1::-1], strict=False)
    ]
    memories = prompt(*(each.key for each in TASK.needed))
    known = PROMPTS.get(name).about.variables
    given: dict[str, Any] = {
        "content": TASK.question,
        "problem": TASK.question,
        "others": [],
        "reasons": [],
    }
    variables = {**given, "memories": memories, "candidates": candidates}
    reply = await reply_of(SimulatedReader(SURE), name, **{each: variables[each] for each in known})
    scores = {each["label"]: each.get("score", each.get("validity")) for each in reply["scores"]}
    assert scores["B"] > scores["A"]


async def test_samples_of_a_task_differ_and_come_again() -> None:
    ask = [HumanMessage(TASK.question + "\n".join(each.content for each in TASK.needed))]
    one, other = SimulatedReader(Reader(spread=50)), SimulatedReader(Reader(spread=50))
    texts = [(await one.answer(Ask(ask, sample=n))).text for n in range(20)]
    assert texts == [(await other.answer(Ask(ask, sample=n))).text for n in range(20)]
    assert len(set(texts)) > 1


async def test_the_suite_runs_and_compares(tmp_path: Path) -> None:
    rows = ("direct", "direct_all", "linear", "auto")
    suite = packaged(only=rows, items=1, data=one_kind(tmp_path))
    found = await run_packaged(
        suite, tmp_path / "log.jsonl", system=System(llm=SimulatedReader(SURE))
    )
    assert [row["row"] for row in found["rows_of"] if row["kind"] == "all"] == list(rows)
    solved = {row["row"]: row["solved"] for row in found["rows_of"]}
    assert solved["direct_all"] == 1
    assert all(row["calls"] >= 1 and row["tokens"] > 0 for row in found["rows_of"])


async def test_confidences_are_held_against_what_was_solved(tmp_path: Path) -> None:
    suite = packaged(
        only=("direct", "linear"), items=2, data=one_kind(tmp_path), name="calibration"
    )
    found = await run_packaged(
        suite, tmp_path / "log.jsonl", system=System(llm=SimulatedReader(SURE))
    )
    (row,) = found["rows_of"]
    assert (row["row"], row["n"], row["solved"]) == ("linear", 2, 1)
    for kind in ("stated", "recalibrated"):
        low, high = row[kind]["interval"]
        assert 0 <= low <= row[kind]["ece"] <= high <= 1
    assert row["stated"]["ece"] == pytest.approx(1 - row["confidence"])


def one_kind(folder: Path) -> Path:
    (folder / "scattered.jsonl").write_bytes((PACKAGED / "scattered.jsonl").read_bytes())
    return folder
