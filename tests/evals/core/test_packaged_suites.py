"""The project's own suites are runs like all others: listed, compared, resumed and budgeted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reasonloom.cli.evals.kinds import log_summary
from reasonloom.errors import LlmRefused
from reasonloom.evals.comparison.compare import compare, not_worse
from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.suites.graph_memory.grounding.suite import packaged
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices
from reasonloom.evals.suites.reasoning.orchestration.intersection import INTERSECTION_EVAL
from reasonloom.evals.suites.reasoning.orchestration.suite import packaged as rows
from tests.evals.suites.graph_memory.grounding.test_run import written
from tests.support.evals.suites import Echo


def forget(folder: Path, text: str) -> None:
    """Put another memory in a memory's place."""
    path = folder / "memories.jsonl"
    told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in told:
        if row["text"].startswith(text):
            row["text"] = f"Rain fell on {row['id']}."
    path.write_text("".join(json.dumps(row) + "\n" for row in told), encoding="utf-8")


async def test_a_change_of_what_is_grounded_is_seen_claim_by_claim(tmp_path: Path) -> None:
    data, one, two = written(tmp_path), tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    await run_packaged(packaged("dev", data), one)
    forget(data, "The pond")
    await run_packaged(packaged("dev", data), two)
    (found,) = compare(one, two)["compared"]
    assert (found["items"], found["clusters"]) == (8, 1)
    before, after = ({r.item: r.scores for r in EvalLog(log).records} for log in (one, two))
    fell = {item for item in before if before[item]["label"] > after[item]["label"]}
    assert fell == {"w01-c05"}
    (found,) = compare(one, two, score="label")["compared"]
    flips = found["flips"]
    assert [flip["item"] for flip in flips["to_wrong"]] == ["w01-c05"]
    assert found["difference"] == pytest.approx((len(flips["to_right"]) - 1) / 8)
    (shown,) = compare(one, two, score="evidence")["compared"]
    assert shown["items"] == 7
    assert log_summary(one).startswith(
        "8 of 8 results of grounding  half dev  llm offline  right 0."
    )


async def test_items_at_the_same_time_are_answered_as_one_after_the_other(tmp_path: Path) -> None:
    own = packaged("all", written(tmp_path))
    alone, together = [
        await run_packaged(own, tmp_path / f"{number}.jsonl", at_once=number) for number in (1, 6)
    ]
    for half in ("dev", "held"):
        one, two = ({**told["halves"][half], "median_ms": 0} for told in (alone, together))
        one["wrong"], two["wrong"] = (
            sorted(each["wrong"], key=lambda wrong: wrong["claim"]) for each in (one, two)
        )
        assert one == two


async def test_a_run_that_is_not_whole_has_no_figures_and_goes_on(tmp_path: Path) -> None:
    own, log, tape = packaged("dev", written(tmp_path)), tmp_path / "log", tmp_path / "tape.jsonl"
    silent = {"evidence": [], "uncovered": [], "why": "None says it.", "relation": "silent"}
    views = [{"view": view, **silent} for view in ("clerk", "opponent", "reader")]
    llm = Echo(say=lambda ask: json.dumps({"views": views}))
    told = await run_packaged(
        own, log, system=System(llm=llm), purse=Purse(Budget(calls=4), cache=tape)
    )
    assert "halves" not in told
    assert ["stopped: the budget of 4 calls" in note for note in told["notes"]] == [True]
    assert 0 < len(EvalLog(log).records) < 8
    whole = await run_packaged(own, log, system=System(llm=llm), purse=Purse(cache=tape))
    assert (whole["llm"], whole["notes"]) == ("echo", [])
    assert whole["halves"]["dev"]["figures"]
    assert len(llm.asked) == sum(r.usage.get("calls", 0) for r in EvalLog(log).records)
    replayed = System(llm=f"replay:{tape}")
    again = await run_packaged(own, tmp_path / "again", system=replayed)
    assert again["halves"]["dev"]["wrong"] == whole["halves"]["dev"]["wrong"]
    lines = tape.read_text(encoding="utf-8").splitlines(keepends=True)
    tape.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(LlmRefused, match=r"the recording has no such question .* sample 0"):
        await run_packaged(own, tmp_path / "lacking", system=replayed)
    assert 0 < len(EvalLog(tmp_path / "lacking").records) < 8


async def test_errors_are_better_fewer(tmp_path: Path) -> None:
    log, worse = tmp_path / "log.jsonl", tmp_path / "worse.jsonl"
    own = rows(INTERSECTION_EVAL, Choices(items=3), 2, ("linear",))
    told = await run_packaged(own, log)
    assert (told["items"], told["seeds"], told["rows"][0]["n"]) == (3, 2, 6)
    first = EvalLog(log)
    more = EvalLog(worse)
    more.begin(first.head)
    for each in first.records:
        scores = {**each.scores, "score": each.scores["score"] + 1}
        more.add(Record(each.item, each.epoch, each.group, scores, 1.0, of=each.of))
    (found,) = compare(log, worse)["compared"]
    assert (found["better"], found["difference"], found["mcnemar"]) == ("lower", 1.0, None)
    assert not not_worse(found, 0.5)
    (found,) = compare(worse, log)["compared"]
    assert not_worse(found, 0.5)
    assert not found["flips"]["to_wrong"]


def test_what_is_no_run_is_listed_as_such(tmp_path: Path) -> None:
    for number, text in enumerate(('{"a": 1}\n', "[1]\n", "5\n", '{"head": 3}\n')):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(text)
        assert log_summary(path) == "is no run of an eval"
