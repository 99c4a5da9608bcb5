"""Sums up an eval of orchestration: each row with its interval and cost, and the differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from reasonloom.evals.log import Record
from reasonloom.evals.suites.reasoning.orchestration.catalog import Orchestration, Row
from reasonloom.evals.suites.reasoning.orchestration.suite import Table, interval, table

COSTS = ("calls", "tokens_in", "tokens_out", "usd")


def summary(suite: Orchestration, rows: Sequence[Row], records: Sequence[Record]) -> dict[str, Any]:
    """Return `rows` and `compared`; a row's `interval` is of 95 %.

    Its ends come of a bootstrap over items (the seeds of an item go together): how it would vary
    with other items of this kind, under the same simulated model.
    """
    tables = {
        row.name: table(record for record in records if record.group == row.name) for row in rows
    }
    return {
        "measure": suite.measure,
        "better": suite.better,
        "summarise": suite.summarise,
        "share": suite.share,
        "counted": list(suite.counted),
        "rows": [_row(suite, row, tables[row.name]) for row in rows if tables[row.name]],
        "compared": [
            _compared(suite, new, base, tables)
            for new, base in suite.compared
            if tables.get(new) and tables.get(base)
        ],
    }


def _row(suite: Orchestration, row: Row, found: Table) -> dict[str, Any]:
    low, high = interval(found, "score", suite.summarise)
    also = [name for name in found.names() if name not in ("score", *COSTS)]
    return {
        "row": row.name,
        "published": row.published,
        "status": row.status,
        "n": found.count(),
        "score": round(found.summed("score", suite.summarise), 4),
        "interval": [round(low, 4), round(high, 4)],
        "seed_sd": round(found.seed_sd("score", suite.summarise), 4),
        **{name: round(found.summed(name, "mean"), 6) for name in (*COSTS, *also)},
    }


def _compared(
    suite: Orchestration, new: str, base: str, tables: dict[str, Table]
) -> dict[str, Any]:
    """Return how far a row is from another, of the same items and seeds.

    Changes are shares of the base, None where the base is 0.
    """
    one, other, how = tables[new], tables[base], suite.summarise
    low, high = interval(one, "score", how, beside=other)
    ends = interval(one, "score", how, beside=other, as_="difference")
    return {
        "row": new,
        "base": base,
        "score_difference": round(one.summed("score", how) - other.summed("score", how), 4),
        "score_difference_interval": [round(end, 4) for end in ends],
        "score_change": _change(one.ratio(other, "score", how)),
        "score_change_interval": [_change(low), _change(high)],
        "usd_change": _change(one.ratio(other, "usd", "mean")),
    }


def _change(ratio: float) -> float | None:
    return round(ratio - 1, 4) if math.isfinite(ratio) else None
