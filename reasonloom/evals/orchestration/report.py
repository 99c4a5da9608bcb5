"""Sums up an eval of orchestration: each row with its interval and cost, and the differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reasonloom.evals.log import Record
from reasonloom.evals.orchestration.intervals import Table, interval, table
from reasonloom.evals.orchestration.row import Orchestration, Row

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
    """Return how far a row is from another, of the same items and seeds, as shares of the base."""
    one, other = tables[new], tables[base]
    score, usd = (
        one.ratio(other, name, how) for name, how in (("score", suite.summarise), ("usd", "mean"))
    )
    low, high = interval(one, "score", suite.summarise, beside=other)
    return {
        "row": new,
        "base": base,
        "score_change": round(score - 1, 4),
        "score_change_interval": [round(low - 1, 4), round(high - 1, 4)],
        "usd_change": round(usd - 1, 4),
    }
