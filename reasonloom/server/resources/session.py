"""`reasonloom://session/{id}`: a session of reasoning as a page with a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.sessions.sessions import SessionRow


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a session.

    Raises:
        SessionNotFound: this caller has none such.
    """
    from reasonloom.nodes.sessions.picture import picture  # noqa: PLC0415 - tools are listed first
    from reasonloom.server.resources.pages.session_page import page  # noqa: PLC0415
    from reasonloom.stores.sessions import full_sessions  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        whole = await full_sessions.whole(tx, identifier)
    return page(picture(whole))


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the sessions that were last written to, newest first."""
    from reasonloom.stores.sessions import sessions  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        rows = await sessions.newest(tx, most)
    return [Listed(str(row.id), _title(row), row.updated_at) for row in rows]


def _title(row: SessionRow) -> str:
    return f"Session {row.number}, {row.mode}" if row.mode else f"Session {row.number}"


KIND = Kind(
    name="session",
    title="A session of reasoning",
    description="Branches, thoughts and checkpoints of one session, drawn and in words.",
    mime_type="text/markdown",
    toolset="reasoning",
    read=read,
    newest=newest,
)
