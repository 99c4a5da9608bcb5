"""Pairs two runs' scores by item, and reduces epochs to one score per item."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, multimode

import numpy as np

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.statistics import ClusterSums, Floats, cluster_sums
from reasonloom.evals.log import EvalLog, Record

Reducer = Callable[[Sequence[float]], float]
FORM = re.compile(r"(pass[@^])([1-9][0-9]{0,3})")


def mode(scores: Sequence[float]) -> float:
    """Return the most frequent score; the mean of ties."""
    return fmean(multimode(scores))


def pass_at(k: int, scores: Sequence[float]) -> float:
    """Return the unbiased probability that one of `k` epochs is right (Chen et al. 2021, 2.1).

    1 - C(n - c, k) / C(n, k) for c right epochs of n; right is a score of 1.
    """
    n, right = len(scores), _correct_count(scores, k)
    return 1 - math.comb(n - right, k) / math.comb(n, k)


def pass_all(k: int, scores: Sequence[float]) -> float:
    """Return the unbiased probability that all of `k` epochs are right: C(c, k) / C(n, k).

    This is pass^k of tau-bench (Yao et al. 2024).
    """
    return math.comb(_correct_count(scores, k), k) / math.comb(len(scores), k)


def require_reducer(name: str, epochs: int) -> None:
    """Refuse an unknown reducer, or one that needs more epochs, before any model call."""
    reducer(name)([0.0] * epochs)


def reducer(name: str) -> Reducer:
    """Return the reducer with this name: `mean`, `mode`, `pass@3`, `pass^3`."""
    if name == "mean":
        return fmean
    if name == "mode":
        return mode
    match = FORM.fullmatch(name)
    if not match:
        raise InvalidArgument("reducer: must be mean, mode, pass@K or pass^K", field="reducer")
    k, of = int(match[2]), pass_at if match[1] == "pass@" else pass_all
    return lambda scores: of(k, scores)


def _correct_count(scores: Sequence[float], k: int) -> int:
    if len(scores) < k:
        raise InvalidArgument(
            f"reducer: of {len(scores)} epochs no {k} can be drawn; run more", field="reducer"
        )
    return sum(score >= 1 for score in scores)


Key = tuple[str, str]
"""An item's id and digest."""

FIGURES = ("calls", "tokens_in", "tokens_out", "usd")


@dataclass(frozen=True, slots=True)
class Side:
    """One run: records and reduced score by item."""

    records: Mapping[Key, Sequence[Record]]
    scores: Mapping[Key, float]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The items that both runs share.

    `left_out` counts items in only one run, `without` counts shared items that lack the score in a
    run.
    """

    keys: Sequence[Key]
    base: Side
    other: Side
    left_out: int
    without: int = 0

    @property
    def clusters(self) -> list[str]:
        """The cluster of each item."""
        return [self.base.records[key][0].cluster for key in self.keys]

    def of(self, base: Mapping[Key, float], other: Mapping[Key, float]) -> ClusterSums:
        """Return differences of a figure by cluster, other minus base."""
        differences = np.array([other[key] - base[key] for key in self.keys], dtype=np.float64)
        return cluster_sums(differences, self.clusters)

    @property
    def differences(self) -> ClusterSums:
        """Differences of the scores, by cluster."""
        return self.of(self.base.scores, self.other.scores)

    def scores(self, side: Side) -> Floats:
        """Return one run's scores in item order."""
        return np.array([side.scores[key] for key in self.keys], dtype=np.float64)


def pair_runs(base: EvalLog, other: EvalLog, score: str, how: str) -> Pairs:
    """Pair two runs by item; refuses runs without a common item, or without the score."""
    one, two = side(base, score, reducer(how)), side(other, score, reducer(how))
    keys = [key for key in one.scores if key in two.scores]
    if not keys:
        raise InvalidArgument(
            f"{base.path.name} and {other.path.name} have no item in common (the same id, input"
            " and target): run both on the same suite",
            field="runs",
        )
    first, second = ({(each.item, each.of) for each in log.records} for log in (base, other))
    return Pairs(keys, one, two, len(first ^ second), len(first & second) - len(keys))


def side(log: EvalLog, score: str, reduce: Reducer) -> Side:
    """Group the records that have the score by item, independent of the order of completion."""
    records: dict[Key, list[Record]] = {}
    for record in sorted(log.records, key=lambda each: (each.epoch, each.item, each.of)):
        if score in record.scores:
            records.setdefault((record.item, record.of), []).append(record)
    if not records:
        known = ", ".join(dict.fromkeys(name for each in log.records for name in each.scores))
        raise InvalidArgument(
            f"{log.path.name}: has no score {score}; it has {known}", field="score"
        )
    scores = {
        key: reduce([record.scores[score] for record in each]) for key, each in records.items()
    }
    return Side(records, scores)


def figure(side: Side, name: str) -> dict[Key, float]:
    """Return the per-item mean of calls, tokens, usd or latency_ms over epochs."""

    def value(record: Record) -> float:
        return record.latency_ms if name == "latency_ms" else record.usage.get(name, 0.0)

    return {key: fmean(map(value, records)) for key, records in side.records.items()}
