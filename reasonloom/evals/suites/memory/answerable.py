"""The suite `answerable`: whether `recall` recognises questions that no stored memory answers.

Each recall set has questions with and without an answer; LoCoMo's own questions without an answer
are its category `adversarial`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reasonloom.contracts.memory.recall import ExplainedRecall
from reasonloom.evals.comparison.summary import latency
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Opening
from reasonloom.evals.engine import timed_call
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.figures import rounded, share
from reasonloom.evals.suites.memory.datasets import (
    SEPARATE_CATEGORIES,
    Collection,
    Source,
    load_answerable,
)
from reasonloom.evals.suites.memory.retrieval import OWNER, open_collections
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.retrieval.answerable import BAR

NAME = "answerable"
REFUSABLE = 0.1
"""Share of questions with an answer that the bar of `refused_at_a_tenth` refuses."""

RESAMPLES, SEED, BINS = 1_000, 7, 10
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite over our own sets, and over a folder's LoCoMo files if one is given."""
    collections, digest = load_answerable(Source(data, half))
    suite = Suite(
        NAME,
        _items(collections),
        [Measure("right", _is_right)],
        Opening(partial(open_collections, collections, _ask), "recall"),
        about={"data_sha256": digest, "half": half, "embedder": embedder_model()},
    )
    return Packaged(suite, _report)


def _items(collections: Sequence[Collection]) -> list[Item]:
    """Return the items; the group is the set, the target whether the question has an answer."""
    return [
        Item(
            each.id, each.text, each.category not in SEPARATE_CATEGORIES, one.id,
            one.id.split("/")[0],
        )
        for one in collections
        for each in one.questions
    ]  # fmt: skip


def _is_right(item: Item, output: Mapping[str, Any]) -> bool | None:
    """Return whether the bar decides correctly; None if recall gives no probability."""
    likely = output["answerable"]
    return None if likely is None else (likely >= BAR) == item.target


async def _ask(engine: Engine, space: str, _: Mapping[str, str], item: Item) -> Answer:
    arguments = {"userId": space, "text": item.input, "explain": True}
    found, took = await timed_call(engine, OWNER, "recall", ExplainedRecall, arguments)
    return Answer(_output(found), latency_ms=took)


def _output(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the probability, and its inputs for `training/calibrate_answers.py`."""
    explained = [each["explanation"] for each in found["memories"]]
    return {
        "answerable": found.get("answerable"),
        "readings": [each["reading"] for each in explained if "reading" in each],
    }


def _report(log: EvalLog) -> dict[str, Any]:
    sets: dict[str, list[Record]] = {}
    for record in log.records:
        sets.setdefault(record.group, []).append(record)
    return {
        "bar": BAR,
        "sets": {name: _figures(each) for name, each in sets.items()},
        "latency_ms": latency([record.latency_ms for record in log.records]),
    }


def _figures(records: Sequence[Record]) -> dict[str, Any]:
    """Return a set's figures over the questions for which recall gives `answerable`.

    A set without questions of both kinds has no AUROC, ECE or `refused at a tenth`.
    """
    judged = [record for record in records if record.output["answerable"] is not None]
    has = np.array([bool(record.target) for record in judged], bool)
    likely = np.array([record.output["answerable"] for record in judged], np.float64)
    both = has.any() and not has.all()
    refused = {
        "refused without an answer": (likely < BAR)[~has],
        "refused with an answer": (likely < BAR)[has],
    }
    return {
        "n": [int(has.sum()), int((~has).sum())],
        "left out": len(records) - len(judged),
        "auroc": _estimate(auroc, has, likely) if both else None,
        "refused at a tenth": _estimate(refused_at_a_tenth, has, likely) if both else None,
        "ece": _estimate(calibration_error, has, likely) if both else None,
        **{
            name: rounded(share(NAME, name, each.astype(float).tolist()))
            for name, each in refused.items()
            if each.size
        },
    }


def auroc(has: Bools, likely: Floats) -> float:
    """Return how often a question with an answer outscores one without; ties count half."""
    with_answer, without = likely[has][:, None], likely[~has][None, :]
    return float((with_answer > without).mean() + (with_answer == without).mean() / 2)


def refused_at_a_tenth(has: Bools, likely: Floats) -> float:
    """Return the share of unanswerable questions below the bar that refuses a tenth of the rest."""
    return float((likely[~has] < np.quantile(likely[has], REFUSABLE)).mean())


def calibration_error(has: Bools, likely: Floats) -> float:
    """Return the expected calibration error over ten bins with equal numbers of questions.

    Both kinds of questions have the same total weight, however many there are of each.
    """
    weights = np.where(has, 0.5 / has.sum(), 0.5 / (~has).sum())
    bins = np.array_split(np.argsort(likely, kind="stable"), BINS)
    return float(sum(abs((weights[part] * (has[part] - likely[part])).sum()) for part in bins))


def _estimate(
    figure: Callable[[Bools, Floats], float], has: Bools, likely: Floats
) -> Mapping[str, float]:
    """Return a figure with its 95 % interval (percentile bootstrap, stratified by kind)."""
    chance = np.random.default_rng(SEED)
    kinds = [np.flatnonzero(has), np.flatnonzero(~has)]
    drawn = (
        np.concatenate([chance.choice(kind, kind.size) for kind in kinds]) for _ in range(RESAMPLES)
    )
    low, high = np.percentile([figure(has[ids], likely[ids]) for ids in drawn], [2.5, 97.5])
    return {
        "mean": round(figure(has, likely), 4), "low": round(float(low), 4),
        "high": round(float(high), 4),
    }  # fmt: skip
