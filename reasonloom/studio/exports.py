"""`/export/NAME.csv` and `.json`: a whole list with the filters of its page, to download."""

import csv
import io
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from reasonloom.errors import ReasonloomError
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import memory_lists
from reasonloom.stores.mental_models import basin_lists
from reasonloom.stores.runs import run_lists
from reasonloom.stores.sessions import sessions
from reasonloom.stores.thought_graph import thought_graphs
from reasonloom.studio.auth.guard import VISITOR
from reasonloom.studio.memory.filters import filters_of, query_of
from reasonloom.studio.page_context import PageContext, Visit
from reasonloom.studio.runs.run_parts import run_filter
from reasonloom.studio.sharing.log_page import log_rows, opened_log

MOST = 50_000
"""Rows of an export; the newest, if there are more."""

EXPORT = "/export/{name}.{kind}"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet evaluate a cell."""


def _reading(visit: Visit) -> AbstractAsyncContextManager[Transaction]:
    return visit.context.begin()


def _searching(visit: Visit) -> AbstractAsyncContextManager[Transaction]:
    return visit.context.begin(searching=True)


class Export(NamedTuple):
    """A list: whose data it is, what reads its rows (named tuples), and in which transaction."""

    toolset: str
    read: Callable[[Transaction, Visit], Awaitable[Sequence[Any]]]
    begin: Callable[[Visit], AbstractAsyncContextManager[Transaction]] = _reading


async def _memories(tx: Transaction, visit: Visit) -> Sequence[Any]:
    return await memory_lists.page(tx, await filters_of(tx, query_of(visit)), MOST, 0)


async def _sessions(tx: Transaction, visit: Visit) -> Sequence[Any]:
    return await sessions.page(tx, visit.text("q"), MOST, 0, empty=bool(visit.text("empty")))


async def _runs(tx: Transaction, visit: Visit) -> Sequence[Any]:
    return await run_lists.page(tx, run_filter(visit), MOST, 0)


async def _graphs(tx: Transaction, visit: Visit) -> Sequence[Any]:
    return await thought_graphs.page(tx, MOST, 0)


async def _basins(tx: Transaction, visit: Visit) -> Sequence[Any]:
    return await basin_lists.page(tx, MOST, 0, without_model=False)


async def _log(tx: Transaction, visit: Visit) -> Sequence[Any]:
    return await log_rows(tx, visit, MOST, 0)


EXPORTS: Mapping[str, Export] = {
    "memories": Export("thought", _memories, _searching),
    "sessions": Export("reasoning", _sessions),
    "runs": Export("all", _runs),
    "graphs": Export("reasoning", _graphs),
    "basins": Export("mental_models", _basins),
    "log": Export("extras", _log, opened_log),
}


class Exports:
    """Serves the lists."""

    def __init__(self, lifespan: EngineLifespan) -> None:
        self._lifespan = lifespan

    async def answer(self, request: Request) -> Response:
        """Return the list named in the address, or the reason why there is none."""
        name, kind = request.path_params["name"], request.path_params["kind"]
        export = EXPORTS.get(name)
        if export is None or kind not in ("csv", "json"):
            known = ", ".join(EXPORTS)
            return PlainTextResponse(
                f"unknown list; one of {known} as csv or json", status_code=404
            )
        context = PageContext(self._lifespan, request.scope[VISITOR], export.toolset)
        visit = Visit(context, request.path_params, request.query_params)
        try:
            async with export.begin(visit) as tx:
                rows = [row._asdict() for row in await export.read(tx, visit)]
        except ReasonloomError as error:
            return PlainTextResponse(error.message, status_code=403)
        text = as_csv(rows) if kind == "csv" else json.dumps(rows, default=str, ensure_ascii=False)
        media = "text/csv; charset=utf-8" if kind == "csv" else "application/json"
        disposition = f'attachment; filename="{name}.{kind}"'
        return Response(text, media_type=media, headers={"content-disposition": disposition})


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; a text that a spreadsheet would evaluate gets an apostrophe."""
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
