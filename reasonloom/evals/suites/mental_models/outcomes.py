"""The suite `outcomes`: judges observations against predictions as `resolve_prediction` does.

The judgement uses words alone, without a language model. Embedding similarity is reported too, to
show why the tool does not use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Function
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.figures import DIGITS, Figure, rounded_value, share
from reasonloom.evals.suites.labelled import (
    Labelled,
    LabelledSet,
    Words,
    halves_of,
    load_records,
    of_half,
    require_unique,
)
from reasonloom.evals.suites.mental_models.triggers import Language, report_by_threshold
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.mental_models.resolve import judge_by_words
from reasonloom.nodes.mental_models.situations import read_text, word_list

HERE = Path(__file__).parent
FILE = "outcomes.jsonl"
Kind = Literal["own words", "other words", "negated", "opposite", "unrelated"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RIGHT: Mapping[Kind, str] = {
    "own words": "held", "other words": "held", "negated": "failed", "opposite": "failed",
    "unrelated": "open",
}  # fmt: skip


class Observed(Labelled):
    """A prediction, a later observation, and the resulting outcome."""

    id: Annotated[str, Field(pattern=r"^o\d\d-\d$")]
    language: Language
    prediction: Words
    observation: Words
    kind: Kind
    outcome: Literal["held", "failed", "open"]

    @model_validator(mode="after")
    def _agrees(self) -> Observed:
        if self.outcome != RIGHT[self.kind]:
            raise ValueError(f"outcome: must be {RIGHT[self.kind]} for {self.kind}")
        return self


def load_outcomes(half: str = "dev", folder: Path = HERE) -> LabelledSet[Observed]:
    """Load the observations of a half or of `all`; `folder` may hold a set in the same format."""
    observations, digest = load_records(folder / FILE, Observed)
    require_unique(each.id for each in observations)
    by_prediction: dict[str, list[Observed]] = {}
    for each in observations:
        by_prediction.setdefault(each.prediction, []).append(each)
    for prediction, some in by_prediction.items():
        if len({each.half for each in some}) > 1:
            raise InvalidArgument(f"{prediction!r} is in both halves", field="data")
        if sorted(each.kind for each in some) != sorted(KINDS):
            raise InvalidArgument(f"{prediction!r} has not one of each kind", field="data")
    return LabelledSet(of_half(half, observations), digest)


NAME = "outcomes"
NOTE = (
    "decided: held or not held is told, not left open. right: of the decided; what is decided wrong"
    " falsifies a record, what is left open does not. likeness: a cosine from the threshold that is"
    " best on dev, contrary where one text denies and the other does not."
)
OPEN = "open"
DECIDED: Mapping[bool | None, str] = {True: "held", False: "failed", None: OPEN}
Likely = Mapping[str, tuple[float, bool]]
"""By observation id: cosine similarity to the prediction, and whether both negate or neither."""


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite for a half; `data` is a folder that replaces the packaged one."""
    folder = data or HERE
    sets = {each: load_outcomes(each, folder) for each in halves_of(half)}
    dev = load_outcomes("dev", folder)
    suite = Suite(
        NAME,
        [_item(each) for one in sets.values() for each in one.items],
        (Measure("right", lambda item, output: output == item.target),),
        Function(_judged, "words"),
        about={"data_sha256": dev.sha256, "half": half, "embedder": embedder_model()},
    )
    reported = partial(report_by_threshold, NOTE, _likely, _best, _summary, sets, dev)
    return Packaged(suite, reported)


def _item(each: Observed) -> Item:
    question = {"prediction": each.prediction, "observation": each.observation}
    return Item(each.id, question, each.outcome, cluster=each.id.split("-")[0], group=each.kind)


def _judged(item: Item, epoch: int) -> str:
    return DECIDED[judge_by_words(item.input["prediction"], item.input["observation"]).correct]


async def _likely(one: LabelledSet[Observed], embedder: Embedder) -> Likely:
    found: dict[str, tuple[float, bool]] = {}
    for each in one.items:
        first, second = await embedder.embed([each.prediction, each.observation])
        same = _denials(each.prediction) == _denials(each.observation)
        found[each.id] = float(np.dot(first, second)), same
    return found


def _denials(text: str) -> int:
    denials = word_list("denials")
    return sum(word in denials for word in read_text(text).words) % 2


def _best(one: LabelledSet[Observed], likely: Likely) -> float:
    """Return the cosine threshold that maximises right minus wrong decisions."""

    def gain(least: float) -> int:
        decided = [(each, _by_likeness(likely[each.id], least)) for each in one.items]
        return sum(1 if what == each.outcome else -1 for each, what in decided if what != OPEN)

    steps = sorted(round(cosine, DIGITS) for cosine, _ in likely.values())
    return max(steps, key=lambda least: (gain(least), least))


def _by_likeness(likely: tuple[float, bool], least: float) -> str:
    cosine, same = likely
    return OPEN if cosine < least else DECIDED[same]


def _summary(
    one: LabelledSet[Observed], log: EvalLog, likely: Likely, threshold: float
) -> dict[str, Any]:
    observations = one.items
    answers = {each.item: str(each.output) for each in log.records}
    alone = {each.id: _by_likeness(likely[each.id], threshold) for each in observations}
    figures = [
        each for of, some in _groups(observations) for each in _figures("words", of, some, answers)
    ]
    figures += _figures("likeness", "all", observations, alone)
    return {
        "figures": [asdict(each) | {"value": rounded_value(each)} for each in figures],
        "wrong": [
            {"observation": each.id, "kind": each.kind, "language": each.language}
            for each in observations
            if answers[each.id] not in (OPEN, each.outcome)
        ],
    }


def _figures(
    part: str, of: str, observations: Sequence[Observed], answers: Mapping[str, str]
) -> tuple[Figure, Figure]:
    """Return the share that was decided, and the share of those that is right."""
    decided = [each for each in observations if answers[each.id] != OPEN]
    right = [float(answers[each.id] == each.outcome) for each in decided]
    return (
        share(part, "decided", [float(each in decided) for each in observations], of=of),
        share(part, "right", right, of=of),
    )


def _groups(observations: Sequence[Observed]) -> list[tuple[str, list[Observed]]]:
    names = (*KINDS, *dict.fromkeys(each.language for each in observations))
    return [
        ("all", list(observations)),
        *(
            (of, [each for each in observations if of in (each.kind, each.language)])
            for of in names
        ),
    ]
