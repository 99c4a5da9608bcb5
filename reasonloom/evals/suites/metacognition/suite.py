"""The suite `metacognition`: every labelled item through the check that it is for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Answering, Opening, Parts
from reasonloom.evals.engine import throw_away_engine
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.measure import Measure
from reasonloom.evals.suites.metacognition.judged_biases import NONE, TYPES
from reasonloom.evals.suites.metacognition.judged_pairs import rank
from reasonloom.evals.suites.metacognition.labels import EMOTIONS, FRAMEWORKS
from reasonloom.evals.suites.metacognition.questions import RANKED, SELECTION, Question, questions
from reasonloom.evals.suites.metacognition.report import summary
from reasonloom.evals.suites.metacognition.scoring import ranked
from reasonloom.evals.suites.metacognition.sets import Sets, halves
from reasonloom.evals.suites.packaged import Packaged
from reasonloom.llm.classifier.classifier import FOLDER
from reasonloom.llm.embedding.choose import choose_embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.settings import load_settings

NAME = "metacognition"
WEIGHTS = "reader.onnx"
UNSCALED = (
    "Latency is that of whole calls, one after the other, as this machine was just then: it is"
    " not scaled to a floor of the same run."
)


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the questions of a half, of the sets of another's own where `data` is their folder.

    Raises:
        InvalidArgument: another half, or a set that is not of its form.
    """
    sets, digests = halves(half, data)
    asked = {each: list(questions(of_half)) for each, of_half in sets.items()}
    every = [question for of_half in asked.values() for question in of_half]
    suite = Suite(
        NAME,
        [question.item for question in every],
        (Measure("right", lambda item, said: RIGHT[item.group](item.target, said)),),
        Opening(partial(opened, every), "checks", asks=True),
        about={
            "data_sha256": digests,
            "half": half,
            "embedder": choose_embedder(load_settings()).model,
            "classifier_sha256": sha256((files(FOLDER) / WEIGHTS).read_bytes()).hexdigest(),
        },
    )
    return Packaged(suite, partial(_told, sets, asked))


@asynccontextmanager
async def opened(asked: Sequence[Question], parts: Parts) -> AsyncIterator[Answering]:
    """Yield what puts an item to its check."""
    known = {question.item.id: question for question in asked}
    async with throw_away_engine(parts) as engine:

        async def answer(item: Item, epoch: int) -> Answer:
            return await known[item.id].ask(engine)

        yield answer


def _named(bias: str, said: Mapping[str, float]) -> float:
    """Return 1 where exactly the label was told, or nothing where there is none."""
    return float({told for told in TYPES if told in said} == {bias} - {NONE})


def _first(labels: Sequence[str], label: str, said: Mapping[str, float]) -> float:
    return float(ranked(said, labels)[0] == label)


RIGHT: dict[str, Callable[[str, Mapping[str, float]], float]] = {
    "detect_bias": _named,
    "detect_emotion": partial(_first, EMOTIONS),
    SELECTION: partial(_first, FRAMEWORKS),
    **dict.fromkeys(RANKED, lambda _, said: rank(said)),
}
"""By check whether what it said is right; a tie of a pair is half right."""


def _told(
    sets: Mapping[str, Sets], asked: Mapping[str, Sequence[Question]], log: EvalLog
) -> dict[str, Any]:
    offline = log.head["system"]["llm"] == OfflineModel.name
    found = {}
    for half, of_half in asked.items():
        ids = {question.item.id for question in of_half}
        own = [record for record in log.records if record.item in ids]
        found[half] = summary(sets[half], own, offline=offline)
    return {"note": UNSCALED, "halves": found}
