"""Stores labelled worlds as transcripts, calls the tools, and locates turns in their answers."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistoryPredict, HistoryRecall
from reasonloom.errors import InvalidArgument
from reasonloom.evals.engine import timed_call
from reasonloom.evals.suites.history.data import LabelledWorld
from reasonloom.evals.suites.history.records import Turn
from reasonloom.evals.suites.history.transcript import Prose, write_world
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.ingestion.pipeline import ingest

OWNER = "eval"
SEED = 5
"""Seed of the generated noise."""

TURN_MARKS = 80
"""Leading characters of a turn that a piece must contain to count as containing the turn."""


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """The pieces of an answer, each as the ids of the turns that it contains, and diagnostics.

    `reason` is why no chain was found, empty if one was.
    """

    pieces: list[set[str]]
    tokens: int
    reason: str
    latency_ms: float


async def store_world(engine: Engine, world: LabelledWorld, *, noise: bool) -> None:
    """Write a world as transcripts and ingest them; `noise` pads tool results."""
    prose = Prose(np.random.default_rng(SEED)) if noise else None
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as name:
        files = _written(world, Path(name), prose)
        for result in await ingest(engine.loom, Caller(OWNER), files):
            if result.refused is not None:
                raise InvalidArgument(f"{world.id}, {result.name}: {result.refused}", field="data")


def _written(world: LabelledWorld, folder: Path, prose: Prose | None) -> list[tuple[str, Path]]:
    write_world(world, folder, noise=prose)
    return [(path.name, path) for path in sorted(folder.rglob("*.jsonl"))]


async def recall(engine: Engine, question: str, turns: Sequence[Turn]) -> HistoryAnswer:
    """Call `history_recall` without a project."""
    return await _ask(engine, "history_recall", HistoryRecall, {"query": question}, turns)


async def predict(engine: Engine, context: str, turns: Sequence[Turn]) -> HistoryAnswer:
    """Call `history_predict` without a project."""
    return await _ask(engine, "history_predict", HistoryPredict, {"context": context}, turns)


async def _ask(
    engine: Engine, tool: str, contract: type[Request], given: dict[str, Any], turns: Sequence[Turn]
) -> HistoryAnswer:
    answer, took = await timed_call(engine, OWNER, tool, contract, given)
    marks = {turn.id: _bare(turn.text)[:TURN_MARKS] for turn in turns}
    projects = {turn.id: turn.project for turn in turns}
    pieces = [turns_in(chunk, marks, projects) for chunk in answer["chunks"]]
    diagnostics = answer["diagnostics"]
    return HistoryAnswer(
        pieces, answer["tokens"], diagnostics["reason"] if diagnostics else "", took
    )


def turns_in(chunk: dict[str, Any], marks: dict[str, str], projects: dict[str, str]) -> set[str]:
    """Return the ids of the turns of the chunk's project that it contains."""
    content = _bare(chunk["content"])
    return {
        key
        for key, text in marks.items()
        if text in content and Path(projects[key]).name in chunk["project"]
    }


def _bare(text: str) -> str:
    return " ".join(text.replace("\\[", "[").split())
