"""Sums up the records of a run: means of every score, overall and by group, and latencies."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reasonloom.evals.log import Record


def summary(records: Sequence[Record], *, apart: Sequence[str] = ()) -> dict[str, Any]:
    """Return `overall` (without the groups set `apart`) and `groups`, each of means in 0..1.

    Where an output holds scores `without` signals, `without` tells the overall means without each.
    """
    groups = sorted({record.group for record in records})
    counted = [record for record in records if record.group not in apart]
    ablated = [
        each for each in counted if isinstance(each.output, dict) and "without" in each.output
    ]
    signals = list(ablated[0].output["without"]) if ablated else []
    without = {
        name: _means([replace(each, scores=each.output["without"][name]) for each in ablated])
        for name in signals
    }
    return {
        "overall": _means(counted),
        **({"without": without} if without else {}),
        "groups": {
            group: _means([record for record in records if record.group == group])
            for group in groups
        },
        "latency_ms": latency([record.latency_ms for record in records]),
    }


def _means(records: Sequence[Record]) -> dict[str, float]:
    names = list(records[0].scores) if records else []
    means = {name: statistics.fmean(record.scores[name] for record in records) for name in names}
    return {"n": len(records), **{name: round(mean, 4) for name, mean in means.items()}}


def latency(times: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile of times; nothing where there are not two."""
    if len(times) < 2:  # noqa: PLR2004
        return {}
    cuts = statistics.quantiles(times, n=20, method="inclusive")
    return {"p50": round(statistics.median(times), 2), "p95": round(cuts[-1], 2)}
