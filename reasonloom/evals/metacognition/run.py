"""Runs the eval of the checks: every labelled item through the tool it is for, resumable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.metacognition.asking import OWNER, Question, questions
from reasonloom.evals.metacognition.report import summary
from reasonloom.evals.metacognition.sets import halves
from reasonloom.graphs.engine import Engine
from reasonloom.llm.choose import chosen
from reasonloom.llm.classifier.classifier import FOLDER
from reasonloom.settings import load_settings

NAME = "metacognition"
WEIGHTS = "reader.onnx"
UNSCALED = (
    "Latency is that of whole calls, one after the other, as this machine was just then: it is"
    " not scaled to a floor of the same run."
)

Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: its log, which half, and a folder with sets of another's own."""

    log: Path
    half: str = "dev"
    data: Path | None = None


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result, half by half.

    The language model is that of the settings, without one the checks work alone.

    Raises:
        InvalidArgument: another half, a set that is not of its form, or the log belongs to
            another run.
    """
    sets, digests = halves(plan.half, plan.data)
    asked = {half: list(questions(of_half)) for half, of_half in sets.items()}
    log = EvalLog(plan.log)
    async with (
        throw_away_database(user=OWNER, llm=chosen(load_settings())) as (settings, access),
        open_engine(settings, access=access, recover=False) as engine,
    ):
        head = {
            "eval": NAME,
            "data_sha256": digests,
            "half": plan.half,
            "questions": sum(map(len, asked.values())),
            "llm": engine.loom.llm.name,
            "embedder": engine.loom.embedder.model,
            "classifier_sha256": sha256((files(FOLDER) / WEIGHTS).read_bytes()).hexdigest(),
        }
        log.begin(head)
        for half, of_half in asked.items():
            await _ask(engine, half, of_half, log, tell)
        offline = engine.loom.llm.offline
    found = {
        half: summary(sets[half], _records(log, asked[half]), offline=offline) for half in asked
    }
    return {**head, "log": plan.log.name, "note": UNSCALED, "halves": found}


async def _ask(
    engine: Engine, half: str, asked: Sequence[Question], log: EvalLog, tell: Tell
) -> None:
    """Add what is left of a half to the log, one question after the other."""
    done = log.done()
    for number, question in enumerate(asked):
        if (question.key, 0) in done:
            continue
        tell(f"{half}: {question.check}", number, len(asked))
        scores, took = await question.ask(engine)
        log.add(Record(question.key, 0, question.check, scores, round(took, 3)))


def _records(log: EvalLog, asked: Sequence[Question]) -> list[Record]:
    keys = {question.key for question in asked}
    return [record for record in log.records if record.item in keys]
