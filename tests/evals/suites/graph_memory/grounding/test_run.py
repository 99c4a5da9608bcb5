"""The eval of grounding on a small set of our own: what it counts is what the tool says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.log import EvalLog
from reasonloom.evals.suites.graph_memory.grounding.data import KINDS, VERDICTS
from reasonloom.evals.suites.graph_memory.grounding.suite import packaged
from reasonloom.evals.suites.packaged import run_packaged

Row = dict[str, Any]
OLD, NEW = "The gate closes at six.", "The gate closes at seven."
TEXTS = {
    "true": ("The heron nests on the island.", True),
    "paraphrased": ("A long-legged bird breeds out there.", True),
    "partly": ("The heron nests on the island and eats frogs.", True),
    "negated": ("The heron does not nest on the island.", True),
    "number": ("The pond is 90 metres wide.", True),
    "swapped": ("The island nests on the heron.", True),
    "unrelated": ("Trains run on rails.", False),
    "superseded": (OLD, True),
}
EVIDENCE = {"number": "m02", "superseded": "m04"}


def written(folder: Path) -> Path:
    """Write one world for each half."""
    memories: list[Row] = []
    claims: list[Row] = []
    for world, half in (("w01", "dev"), ("w02", "held")):
        mark = f" ({world})"
        told = ("The heron nests on the island.", "The pond is 40 metres wide.", OLD, NEW)
        for n, text in enumerate(told, 1):
            memories.append(
                {
                    "id": f"{world}-m{n:02}", "world": world, "half": half, "language": "en",
                    "text": text[:-1] + mark + ".", "type": "fact",
                    "supersedes": f"{world}-m03" if n == 4 else None,
                }
            )  # fmt: skip
        for n, kind in enumerate(KINDS, 1):
            text, decided = TEXTS[kind]
            claims.append(
                {
                    "id": f"{world}-c{n:02}", "world": world, "half": half, "language": "en",
                    "text": text[:-1] + mark + ".", "kind": kind, "verdict": VERDICTS[kind],
                    "contradicted": VERDICTS[kind] == "ungrounded" and decided,
                    "evidence": [f"{world}-{EVIDENCE.get(kind, 'm01')}"] if decided else [],
                    "uncovered": "eats frogs" if kind == "partly" else None,
                }
            )  # fmt: skip
    for name, rows in (("memories", memories), ("claims", claims)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


async def test_what_is_counted_is_what_the_tool_says(tmp_path: Path) -> None:
    own, log = packaged("dev", written(tmp_path)), tmp_path / "log"
    result = await run_packaged(own, log)
    assert list(result["halves"]) == ["dev"]
    found = result["halves"]["dev"]
    records = EvalLog(log).records
    assert len(records) == len(KINDS)
    right = {record.group: record.scores["right"] for record in records}
    assert right["true"] == right["negated"] == right["number"] == right["superseded"] == 1
    assert right["paraphrased"] == 0
    overall = next(each for each in found["figures"] if each["name"] == "right verdicts")
    assert overall["value"] == pytest.approx(sum(right.values()) / len(KINDS), abs=1e-4)
    assert overall["overlap"] is not None
    assert {each["kind"] for each in found["wrong"]} == {k for k, hit in right.items() if not hit}
    assert found["goals"]["negated or swapped called verified"]["value"] == 0
    again = await run_packaged(own, log)
    assert again["halves"] == result["halves"]


async def test_a_resumed_log_of_another_half_is_refused(tmp_path: Path) -> None:
    data = written(tmp_path)
    await run_packaged(packaged("dev", data), tmp_path / "log")
    with pytest.raises(InvalidArgument, match="had another half, items_sha256"):
        await run_packaged(packaged("held", data), tmp_path / "log")


def test_another_half_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="half: must be one of dev, held, all"):
        packaged("half")
