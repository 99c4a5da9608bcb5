"""Compares runs with a base run: differences, their uncertainty, and caveats."""

from pathlib import Path
from typing import Any

import numpy as np

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.changes import flips, prompts
from reasonloom.evals.comparison.pairs import FIGURES, Pairs, figure, pair_runs
from reasonloom.evals.comparison.power import ALPHA, least_effect
from reasonloom.evals.comparison.statistics import (
    ClusterSums,
    holm,
    interval,
    interval_without_variance,
    mcnemar_exact,
    mcnemar_mid_p,
    no_difference,
    sign_flip_mid_p,
)
from reasonloom.evals.log import EvalLog

FEW = 10
"""With fewer differing clusters, an interval is rough."""


def compare(
    base: EvalLog | Path, *others: EvalLog | Path, score: str = "", reducer: str = "mean"
) -> dict[str, Any]:
    """Compare runs with a base run, item by item.

    Each comparison has the `difference` of mean scores with its 95 % `interval`, `p` with the name
    of its `test`, `p_holm` corrected for the number of runs, `least_effect` (detectable with 80 %
    power), `mcnemar` for right/wrong scores, `costs`, `flips` with transcripts, and `prompts`
    that differ.

    Args:
        base: the run, or its file, that the others are compared with.
        others: one or more runs.
        score: which score; the first scorer's if empty.
        reducer: mean, mode, pass@K or pass^K over an item's epochs.

    Raises:
        InvalidArgument: nothing to compare, or the runs share no item or score.
    """
    if not others:
        raise InvalidArgument("runs: name two or more to compare", field="runs")
    first, *rest = (open_completed(log) for log in (base, *others))
    score = score or first_score(first)
    compared = [_compared(first, other, score, reducer) for other in rest]
    for each, corrected in zip(compared, holm([each["p"] for each in compared]), strict=True):
        each["p_holm"] = corrected
        each["notes"] += _disagree(each)
    return {"base": first.path.name, "score": score, "reducer": reducer, "compared": compared}


def open_completed(log: EvalLog | Path) -> EvalLog:
    """Open a run; refuses a missing file, one that is not an eval run, and one without results."""
    if isinstance(log, Path):
        if not log.is_file():
            raise InvalidArgument(f"runs: there is no file {log.name}", field="runs")
        why = f"runs: {log.name} is no run of an eval"
        try:
            log = EvalLog(log)
        except (TypeError, ValueError):
            raise InvalidArgument(why, field="runs") from None
    if not log.records:
        raise InvalidArgument(f"runs: {log.path.name} has no results", field="runs")
    return log


def first_score(log: EvalLog) -> str:
    """Return the score that is compared by default."""
    scorers = log.head.get("scorers") or [{}]
    return str(scorers[0].get("scorer") or next(iter(log.records[0].scores)))


def is_lower_better(log: EvalLog, score: str) -> bool:
    """Return whether lower values of a score are better, as for error counts."""
    return bool(_scorer(log, score).get("better") == "lower")


def _scorer(log: EvalLog, score: str) -> dict[str, Any]:
    """Return the scorer behind a score as the run's head describes it; empty if unknown."""
    known = {each.get("scorer"): each for each in log.head.get("scorers") or ()}
    return dict(known.get(score.partition("/")[0]) or {})


def _compared(base: EvalLog, other: EvalLog, score: str, reducer: str) -> dict[str, Any]:
    both = pair_runs(base, other, score, reducer)
    found = both.differences
    lower = is_lower_better(base, score)
    table = None if lower else _mcnemar(both)
    alone = not any(both.clusters)
    test = "McNemar mid-p" if table and alone else "signs of clusters"
    return {
        "run": other.path.name,
        "items": len(both.keys),
        "clusters": found.count,
        "base_score": float(both.scores(both.base).mean()),
        "score": float(both.scores(both.other).mean()),
        "difference": found.mean,
        "interval": _clipped(_interval(found), both, lower=lower),
        "least_effect": least_effect(found.error, found.count) if found.error else None,
        "p": table["mid_p"] if table and alone else sign_flip_mid_p(found),
        "test": test,
        "better": "lower" if lower else "higher",
        "mcnemar": table,
        "costs": {name: _cost(both, name) for name in (*FIGURES, "latency_ms")},
        "flips": flips(both, score, lower=lower),
        "prompts": prompts(base.head, other.head),
        "notes": _notes(both, found, table) + _runs_differ(base, other, score),
    }


def _interval(found: ClusterSums) -> tuple[float, float]:
    """Return the 95 % interval, widened to the zero-difference bound if few clusters differ.

    Resampling two items that became right can never draw one that became wrong, so the interval
    would be overconfident.
    """
    if not found.error:
        return interval_without_variance(found)
    low, high = interval(found)
    if np.count_nonzero(found.sums) >= FEW:
        return low, high
    reach = no_difference(found.count)
    return min(low, found.mean - reach), max(high, found.mean + reach)


def _clipped(ends: tuple[float, float], both: Pairs, *, lower: bool) -> list[float]:
    """Return the ends within what shares can differ by; those of counts unchanged."""
    scores = np.concatenate([both.scores(both.base), both.scores(both.other)])
    if lower or scores.min() < 0 or scores.max() > 1:
        return list(ends)
    return [min(max(end, -1.0), 1.0) for end in ends]


def _mcnemar(both: Pairs) -> dict[str, Any] | None:
    """Return McNemar's table and p values, None unless scores are right/wrong."""
    one, two = both.scores(both.base), both.scores(both.other)
    if not np.isin(np.concatenate([one, two]), (0.0, 1.0)).all():
        return None
    to_right, to_wrong = int(((one == 0) & (two == 1)).sum()), int(((one == 1) & (two == 0)).sum())
    return {
        "to_right": to_right,
        "to_wrong": to_wrong,
        "both_right": int(((one == 1) & (two == 1)).sum()),
        "both_wrong": int(((one == 0) & (two == 0)).sum()),
        "exact": mcnemar_exact(to_right, to_wrong),
        "mid_p": mcnemar_mid_p(to_right, to_wrong),
    }


def _cost(both: Pairs, name: str) -> dict[str, Any]:
    one, two = figure(both.base, name), figure(both.other, name)
    found = both.of(one, two)
    base = sum(one[key] for key in both.keys) / len(both.keys)
    return {
        "base": base,
        "run": sum(two[key] for key in both.keys) / len(both.keys),
        "difference": found.mean,
        "interval": list(interval(found)),
        "change": found.mean / base if base else None,
    }


def _notes(both: Pairs, found: ClusterSums, table: dict[str, Any] | None) -> list[str]:
    """Return caveats about the compared items."""
    notes = []
    differing = int(np.count_nonzero(found.sums))
    if both.left_out:
        notes.append(f"{both.left_out} items are in one of the runs only and left out")
    if both.without:
        notes.append(f"{both.without} items lack the score in one of the runs or both: left out")
    if not differing:
        notes.append("no item differs: the interval is what so many items leave possible")
    elif not found.error:
        notes.append("all differ by the same: the interval is what so many items leave possible")
    elif differing < FEW:
        notes.append(f"only {differing} clusters or items differ: the interval is rough")
    if table and any(both.clusters):
        notes.append("items hang together in clusters, which McNemar's test does not know")
    return notes


def _disagree(found: dict[str, Any]) -> list[str]:
    """Return a warning if the interval and the test disagree."""
    low, high = found["interval"]
    excludes_zero = low > 0 or high < 0
    if excludes_zero == (found["p_holm"] <= ALPHA):
        return []
    which = "excludes 0" if excludes_zero else "contains 0"
    return [f"the interval {which}, but the test does not agree: no difference is shown for sure"]


def _runs_differ(base: EvalLog, other: EvalLog, score: str) -> list[str]:
    """Return caveats about the runs: missing results, and settings in which they differ."""
    notes = []
    for log in (base, other):
        wanted = log.head.get("items", 0) * log.head.get("epochs", 1)
        if isinstance(wanted, int) and 0 < len(log.records) < wanted:
            notes.append(f"{log.path.name} is not done: {len(log.records)} of {wanted}")
        if errors := sum(bool(record.error) for record in log.records):
            notes.append(f"{log.path.name}: {errors} errors count as wrong")
    for what in ("seed", "epochs", "judge"):
        if base.head.get(what) != other.head.get(what):
            notes.append(f"the runs differ in {what}")
    if _scorer(base, score) != _scorer(other, score):
        notes.append(
            f"the runs differ in how {score} is scored: the difference may be the scorer's"
        )
    return notes


def not_worse(compared: dict[str, Any], margin: float) -> bool:
    """Return whether a run is surely not worse than the base by `margin` or more.

    True if the lower end of the 95 % interval lies above minus `margin`; for scores where lower is
    better, if the upper end lies below `margin`.
    """
    low, high = compared["interval"]
    return bool(high < margin if compared["better"] == "lower" else low > -margin)
