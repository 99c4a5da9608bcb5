"""An eval of orchestration as a suite: every row on every problem is an item, a seed an epoch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from reasonloom.errors import UnknownName
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.scorer import Mark
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Answering, Opening, Parts
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.measure import Measure
from reasonloom.evals.suites.packaged import Packaged
from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Result,
    Row,
)
from reasonloom.evals.suites.reasoning.orchestration.catalog import Item as Problem
from reasonloom.evals.suites.reasoning.orchestration.report import summary


def packaged(
    chosen: Orchestration, choices: Choices, seeds: int = 10, only: Sequence[str] = ()
) -> Packaged:
    """Return the rows on the problems; only those that are named, if any is.

    Raises:
        InvalidArgument: the data is not the eval's.
        UnknownName: a row that does not exist.
    """
    problems, digest = chosen.load(choices)
    rows = _chosen(chosen, choices, only)
    suite = Suite(
        chosen.name,
        [_item(row, problem) for row in rows for problem in problems],
        (Measure("score", _score, lower=chosen.better == "lower"),),
        Opening(partial(opened, {row.name: row for row in rows}), "rows"),
        about={
            "data_sha256": digest,
            "seeds": seeds,
            "rows": [row.name for row in rows],
            "settings": choices.settings,
        },
    )

    def told(log: EvalLog) -> dict[str, Any]:
        return {"items": len(problems), **summary(chosen, rows, log.records)}

    return Packaged(suite, told, seeds)


def _chosen(chosen: Orchestration, choices: Choices, only: Sequence[str]) -> list[Row]:
    rows = list(chosen.rows(choices))
    names = [row.name for row in rows]
    for name in only:
        if name not in names:
            raise UnknownName(
                f"{chosen.name} has no row {name}; it has {', '.join(names)}", field="row"
            )
    return [row for row in rows if not only or row.name in only]


def _item(row: Row, problem: Problem) -> Item:
    """Return a row's item: what all rows make of one problem hangs together."""
    told = f"{row.name}/{problem.id}"
    return Item(told, problem.problem, cluster=problem.id, group=row.name)


@asynccontextmanager
async def opened(rows: dict[str, Row], parts: Parts) -> AsyncIterator[Answering]:
    """Yield what lets a row work; what it needs is opened when its first item comes."""
    held: set[Any] = set()
    async with AsyncExitStack() as stack:

        async def answer(item: Item, epoch: int) -> Answer:
            row = rows[item.group]
            if row.opened not in held:
                held.add(row.opened)
                await stack.enter_async_context(row.opened())
            return _answer(await row.run(Problem(item.cluster, item.input), epoch))

        yield answer


def _answer(result: Result) -> Answer:
    usage = {
        "calls": result.calls,
        "tokens_in": result.tokens_in,
        "tokens_out": result.tokens_out,
        "usd": result.usd,
    }
    return Answer({"score": result.score, **result.also}, usage=usage)


def _score(item: Item, output: dict[str, float]) -> Mark:
    also = {name: value for name, value in output.items() if name != "score"}
    return Mark(output["score"], figures={name: float(value) for name, value in also.items()})
