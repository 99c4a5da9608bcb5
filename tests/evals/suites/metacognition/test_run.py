"""The eval of the checks on small sets of our own: what it counts is what the tools say."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, LlmRefused
from reasonloom.evals.core.system import Purse
from reasonloom.evals.log import EvalLog
from reasonloom.evals.suites.metacognition.suite import packaged
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.graphs.runs.engine import Engine
from tests.evals.suites.metacognition.small_sets import Row, of_dev, sets, written
from tests.support.calls import call

Result = dict[str, Any]
ITEMS = 9 + 12 + 8 + 2 * 10
"""Of one half: texts with biases, with emotions, problems, and pairs of two tools."""


async def result(folder: Path, rows: dict[str, list[Row]], half: str = "dev") -> Result:
    data = written(folder, rows)
    return await run_packaged(packaged(half, data), folder / "log")


def value(result: Result, part: str, name: str, of: str = "all", half: str = "dev") -> Any:
    figures = result["halves"][half]["figures"]
    (found,) = (f["value"] for f in figures if (f["part"], f["name"], f["of"]) == (part, name, of))
    return found


def outputs_in(folder: Path) -> dict[str, dict[str, float]]:
    return {record.item: record.output for record in EvalLog(folder / "log").records}


async def test_what_is_counted_is_what_the_tools_say(engine: Engine, tmp_path: Path) -> None:
    rows = sets()
    came = await result(tmp_path, rows)
    told = [(row, await says(engine, "detect_bias", row)) for row in of_dev(rows["biases"])]
    named = [(row, one["type"]) for row, answer in told for one in answer["biases"]]
    right = sum(row["bias"] == bias for row, bias in named)
    assert value(came, "biases", "recall") == pytest.approx(right / 8, abs=1e-4)
    assert value(came, "biases", "precision") == (
        pytest.approx(right / len(named), abs=1e-4) if named else None
    )
    felt = [(row, await says(engine, "detect_emotion", row)) for row in of_dev(rows["emotions"])]
    hits = [row["emotion"] == answer["discrete"]["primary"] for row, answer in felt]
    assert sum(hits) >= 3
    assert value(came, "emotions", "top-1") == pytest.approx(fmean(hits), abs=1e-4)
    errors = [abs(row["valence"] - answer["circumplex"]["valence"]) for row, answer in felt]
    assert value(came, "emotions", "valence, mean error") == pytest.approx(fmean(errors), abs=1e-3)
    assert value(came, "frameworks", "top-1") > 0.3
    assert came["llm"] == "offline"
    assert len(outputs_in(tmp_path)) == ITEMS
    assert value(came, "latency", "p50", "evaluate") is not None


async def says(engine: Engine, tool: str, row: Row) -> dict[str, Any]:
    name = "text" if tool == "detect_emotion" else "reasoning"
    return (await call(engine, tool, {name: row["text"]})).answer


async def test_evidence_goes_where_the_tool_takes_it(engine: Engine, tmp_path: Path) -> None:
    rows = {"pairs": sets()["pairs"]}
    await result(tmp_path, rows)
    said = outputs_in(tmp_path)
    pair = next(row for row in rows["pairs"] if "evidence" in row)
    given = {"reasoning": pair["sound"]}
    alone = (await call(engine, "assess_confidence", given)).answer
    with_it = (
        await call(engine, "assess_confidence", {**given, "evidence": pair["evidence"]})
    ).answer
    worth = said[f"assess_confidence/{pair['id']}"]["sound"]
    assert worth == with_it["overallConfidence"] != alone["overallConfidence"]
    context = " ".join(pair["evidence"])
    judged = (await call(engine, "evaluate", {**given, "context": context})).answer
    mean = fmean(judged["quality"].values())
    assert said[f"evaluate/{pair['id']}"]["sound"] == pytest.approx(mean)


async def test_pairs_whose_sides_are_exchanged_are_ranked_the_other_way(tmp_path: Path) -> None:
    pairs = sets()["pairs"]
    turned = [{**row, "sound": row["flawed"], "flawed": row["sound"]} for row in pairs]
    came = await result(tmp_path / "as they are", {"pairs": pairs})
    other = await result(tmp_path / "turned", {"pairs": turned})
    for tool in ("assess_confidence", "evaluate"):
        ranked = value(came, "pairs", tool)
        assert ranked > 0.5
        assert value(other, "pairs", tool) == pytest.approx(1 - ranked)


async def test_halves_are_told_beside_each_other_and_dev_leaves_the_other_alone(
    tmp_path: Path,
) -> None:
    rows = {name: sets()[name] for name in ("biases", "emotions", "frameworks")}
    dev, both = [await result(tmp_path / half, rows, half) for half in ("dev", "all")]
    assert list(dev["halves"]) == ["dev"]
    assert not [item for item in outputs_in(tmp_path / "dev") if "held" in item]
    assert list(both["halves"]) == ["dev", "held"]
    assert judged(both) == judged(dev)
    assert [f["n"] for f in judged(both, "held")] == [f["n"] for f in judged(both)]
    assert both["halves"]["held"] != both["halves"]["dev"]


def judged(result: Result, half: str = "dev") -> list[dict[str, Any]]:
    """Return the figures of emotions and frameworks, which no clock has made."""
    figures = result["halves"][half]["figures"]
    return [f for f in figures if f["part"] in ("emotions", "frameworks")]


async def test_a_run_that_was_cut_short_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    rows = {name: sets()[name] for name in ("emotions", "frameworks")}
    came = await result(tmp_path, rows)
    log = tmp_path / "log"
    whole = log.read_text().splitlines(keepends=True)
    log.write_text("".join(whole[:8]) + whole[8][:20])
    told: list[int] = []
    again = await run_packaged(
        packaged("dev", tmp_path), log, tell=lambda _what, done, _total: told.append(done)
    )
    assert told == list(range(8, 21))
    assert judged(again) == judged(came)
    rows["emotions"][0]["valence"] = 0.7
    with pytest.raises(InvalidArgument, match="another data_sha256"):
        await result(tmp_path, rows)


async def test_the_language_model_is_that_of_the_settings_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = tmp_path / "nothing.jsonl"
    recording.write_text("")
    monkeypatch.setenv("REASONLOOM_LLM", f"replay:{recording}")
    data = written(tmp_path / "data", {"biases": sets()["biases"]})
    with pytest.raises(LlmRefused, match=r"no such question \(pipe metacognition, sample 0"):
        await run_packaged(packaged("dev", data), tmp_path / "strict")
    came = await run_packaged(
        packaged("dev", data), tmp_path / "log", purse=Purse(count_errors=True)
    )
    assert came["llm"].startswith("replay")
    figures = came["halves"]["dev"]["figures"]
    assert [f["goal"] for f in figures if f["part"] == "biases" and "goal" in f]
    assert not [f for f in figures if f["part"] == "latency" and "goal" in f]


async def test_a_set_that_is_bent_and_a_folder_without_one_are_refused(tmp_path: Path) -> None:
    rows = {"biases": sets()["biases"]}
    rows["biases"][0]["span"] = "not there"
    with pytest.raises(InvalidArgument, match=r"biases\.jsonl, line 1: span: must be words"):
        await result(tmp_path, rows)
    with pytest.raises(InvalidArgument, match=r"must be a folder with one of biases\.jsonl"):
        packaged("dev", tmp_path / "no")
    assert not (tmp_path / "log").exists()
