"""`reasonloom://run/{id}`: one execution of a tool as a page with what it asked, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed, titled

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.runs.runs import RunRow


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a run.

    Raises:
        RunNotFound: this caller has none such.
    """
    from reasonloom.server.resources.pages.run_page import run_page  # noqa: PLC0415 - tools come first
    from reasonloom.stores.runs import runs  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        row = await _found(tx, caller, identifier)
        calls = await runs.calls_of(tx, [row.id])
    return run_page(row, calls[row.id])


async def in_json(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return a run as JSON, with its answer where it is done.

    Raises:
        RunNotFound: this caller has none such.
    """
    from reasonloom.server.resources.pages.run_page import run_json  # noqa: PLC0415 - tools come first

    async with engine.loom.database.begin(caller) as tx:
        row = await _found(tx, caller, identifier)
    return run_json(row, offline=engine.loom.llm.offline)


async def _found(tx: Transaction, caller: Caller, identifier: str) -> RunRow:
    from reasonloom.errors import RunNotFound  # noqa: PLC0415 - tools are listed first
    from reasonloom.stores.identifiers import parse_uuid  # noqa: PLC0415
    from reasonloom.stores.runs import runs  # noqa: PLC0415

    wanted = parse_uuid(identifier)
    row = await runs.find(tx, wanted) if wanted else None
    if row is None or row.space != caller.space:
        raise RunNotFound(identifier)
    return row


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the runs that began last, newest first."""
    from reasonloom.stores import overview  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        return titled(await overview.latest_runs(tx, most))


RUN = Kind(
    name="run",
    title="A run of a tool",
    description="What went into a call of a tool, what it asked, and what came out, as JSON too.",
    mime_type="text/markdown",
    toolset="all",
    read=read,
    newest=newest,
    in_json=in_json,
)
