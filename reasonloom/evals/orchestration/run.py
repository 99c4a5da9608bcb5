"""Runs an eval of orchestration: every row on every item with every seed, resumable."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import UnknownName
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.orchestration.report import summary
from reasonloom.evals.orchestration.row import Choices, Item, Orchestration, Result, Row

Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: the eval, what was chosen of it, its log, how many seeds, which rows."""

    suite: Orchestration
    choices: Choices
    log: Path
    seeds: int = 10
    only: Sequence[str] = ()


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result.

    Raises:
        InvalidArgument: the data is not the eval's, or the log belongs to another run.
        UnknownName: a row that does not exist.
    """
    suite, log = plan.suite, EvalLog(plan.log)
    items, digest = suite.load(plan.choices)
    rows = _chosen(suite, plan)
    head = {
        "eval": suite.name,
        "data_sha256": digest,
        "items": len(items),
        "seeds": plan.seeds,
        "rows": [row.name for row in rows],
        "settings": plan.choices.settings,
    }
    log.begin(head)
    for row in rows:
        await _work(row, items, plan.seeds, log, tell)
    return {**head, "log": plan.log.name, **summary(suite, rows, log.records)}


async def _work(row: Row, items: Sequence[Item], seeds: int, log: EvalLog, tell: Tell) -> None:
    """Add what is left of a row to the log; a row of which nothing is left is not opened."""
    done = log.done()
    left = [
        (seed, place, item)
        for seed in range(seeds)
        for place, item in enumerate(items, 1)
        if (_key(row, item), seed) not in done
    ]
    if not left:
        return
    async with row.opened():
        for seed, place, item in left:
            log.add(await _one(row, item, seed))
            tell(row.name, seed * len(items) + place, seeds * len(items))
            await asyncio.sleep(0)


def _chosen(suite: Orchestration, plan: Plan) -> list[Row]:
    rows = list(suite.rows(plan.choices))
    names = [row.name for row in rows]
    for name in plan.only:
        if name not in names:
            raise UnknownName(
                f"{suite.name} has no row {name}; it has {', '.join(names)}", field="row"
            )
    return [row for row in rows if not plan.only or row.name in plan.only]


def _key(row: Row, item: Item) -> str:
    return f"{row.name}/{item.id}"


async def _one(row: Row, item: Item, seed: int) -> Record:
    started = time.perf_counter()
    result = await row.run(item, seed)
    return Record(
        item=_key(row, item),
        epoch=seed,
        group=row.name,
        scores=_scores(result),
        latency_ms=round((time.perf_counter() - started) * 1000, 3),
    )


def _scores(result: Result) -> dict[str, float]:
    return {
        "score": result.score,
        "calls": result.calls,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
        "usd": result.usd,
        **result.also,
    }
