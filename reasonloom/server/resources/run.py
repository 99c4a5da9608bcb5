"""`reasonloom://run/{id}`: one execution of a tool as a page with what it asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed
from reasonloom.server.resources.listing import listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.engine import Engine


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a run.

    Raises:
        RunNotFound: this caller has none such.
    """
    from reasonloom.errors import RunNotFound  # noqa: PLC0415 - tools are listed first
    from reasonloom.server.resources.run_page import page  # noqa: PLC0415
    from reasonloom.stores import runs  # noqa: PLC0415
    from reasonloom.stores.identifiers import parse_uuid  # noqa: PLC0415

    wanted = parse_uuid(identifier)
    async with engine.loom.database.begin(caller) as tx:
        row = await runs.find(tx, wanted) if wanted else None
        if row is None or row.space != caller.space:
            raise RunNotFound(identifier)
        calls = await runs.calls_of(tx, [row.id])
    return page(row, calls[row.id])


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the runs that began last, newest first."""
    from reasonloom.stores import latest  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        return listed(await latest.runs(tx, most))


KIND = Kind(
    name="run",
    title="A run of a tool",
    description="What went into one call of a tool, what it asked, what came out, drawn.",
    mime_type="text/markdown",
    toolset="all",
    read=read,
    newest=newest,
)
