"""Sums up a run: each score with its interval, what was spent, and what must be said beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reasonloom.evals.comparison.pairs import FIGURES, side
from reasonloom.evals.comparison.reducers import reducer
from reasonloom.evals.comparison.report import latency
from reasonloom.evals.comparison.statistics import clustered, interval, no_difference

if TYPE_CHECKING:
    from reasonloom.evals.core.run import Ran
    from reasonloom.evals.log import EvalLog


def summary(ran: Ran, how: str = "mean") -> dict[str, Any]:
    """Return the head without the prompts' texts, scores with 95 % intervals, and the bill.

    Raises:
        InvalidArgument: there is no such reducer, or too few epochs for it.
    """
    log = ran.log
    head = {name: told for name, told in log.head.items() if name != "texts"}
    names = dict.fromkeys(name for record in log.records for name in record.scores)
    return {
        **head,
        "log": log.path.name,
        "done": len(log.records),
        "of": head["items"] * head["epochs"],
        "scores": {name: _score(log, name, how) for name in names if "/" not in name},
        "figures": {name: _mean(log, name) for name in names if "/" in name},
        "usage": {
            name: sum(record.usage.get(name, 0.0) for record in log.records) for name in FIGURES
        },
        "latency_ms": latency([record.latency_ms for record in log.records]),
        "notes": ran.notes(),
    }


def _score(log: EvalLog, name: str, how: str) -> dict[str, Any]:
    told = side(log, name, reducer(how))
    scores = np.array(list(told.scores.values()), dtype=np.float64)
    found = clustered(scores, [told.records[key][0].cluster for key in told.scores])
    reach = no_difference(found.count)
    low, high = interval(found) if found.error else (found.mean - reach, found.mean + reach)
    least, most = min(0.0, *scores), max(1.0, *scores)
    return {
        "mean": found.mean,
        "interval": [max(least, low), min(most, high)],
        "reducer": how,
        "items": len(scores),
    }


def _mean(log: EvalLog, name: str) -> float:
    """Return the mean of a figure that some records have."""
    return float(np.mean([r.scores[name] for r in log.records if name in r.scores]))
