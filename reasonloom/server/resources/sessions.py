"""`reasonloom://thought/{id}`: one thought as a page with what it follows from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed
from reasonloom.server.resources.listing import listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

MOST_BEFORE = 20
"""Thoughts on the way to the one of a page, the last."""


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a thought.

    Raises:
        ThoughtNotFound: this caller has none such.
    """
    from reasonloom.server.resources.pages.thought_page import LONGEST_LABEL, page  # noqa: PLC0415 - tools come first
    from reasonloom.stores.sessions import thoughts  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        row = await thoughts.require(tx, identifier)
        before = await thoughts.line(tx, row.parent_id, most=MOST_BEFORE, longest=4 * LONGEST_LABEL)
    return page(row, before)


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the thoughts that were stored last, newest first."""
    from reasonloom.stores import latest  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        return listed(await latest.thoughts(tx, most))


KIND = Kind(
    name="thought",
    title="A thought",
    description="What one step of a session concluded, and the line that led to it, drawn.",
    mime_type="text/markdown",
    toolset="reasoning",
    read=read,
    newest=newest,
)
