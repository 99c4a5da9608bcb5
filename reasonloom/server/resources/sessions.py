"""`reasonloom://thought/{id}`: one thought as a page with what it follows from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed, titled

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.sessions.sessions import SessionRow


async def read_session(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a session.

    Raises:
        SessionNotFound: this caller has none such.
    """
    from reasonloom.nodes.sessions.picture import picture  # noqa: PLC0415 - tools are listed first
    from reasonloom.server.resources.pages.session_page import session_page  # noqa: PLC0415
    from reasonloom.stores.sessions import full_sessions  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        whole = await full_sessions.read_full(tx, identifier)
    return session_page(picture(whole))


async def newest_sessions(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the sessions that were last written to, newest first."""
    from reasonloom.stores.sessions import sessions  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        rows = await sessions.newest(tx, most)
    return [Listed(str(row.id), _title(row), row.updated_at) for row in rows]


def _title(row: SessionRow) -> str:
    return f"Session {row.number}, {row.mode}" if row.mode else f"Session {row.number}"


SESSION = Kind(
    name="session",
    title="A session of reasoning",
    description="Branches, thoughts and checkpoints of one session, drawn and in words.",
    mime_type="text/markdown",
    toolset="reasoning",
    read=read_session,
    newest=newest_sessions,
)

MOST_BEFORE = 20
"""Thoughts on the way to the one of a page, the last."""


async def read_thought(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a thought.

    Raises:
        ThoughtNotFound: this caller has none such.
    """
    from reasonloom.server.resources.pages.session_page import LONGEST_LABEL, thought_page  # noqa: PLC0415 - tools come first
    from reasonloom.stores.sessions import thoughts  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        row = await thoughts.require(tx, identifier)
        before = await thoughts.line(tx, row.parent_id, most=MOST_BEFORE, longest=4 * LONGEST_LABEL)
    return thought_page(row, before)


async def newest_thoughts(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the thoughts that were stored last, newest first."""
    from reasonloom.stores import overview  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        return titled(await overview.latest_thoughts(tx, most))


THOUGHT = Kind(
    name="thought",
    title="A thought",
    description="What one step of a session concluded, and the line that led to it, drawn.",
    mime_type="text/markdown",
    toolset="reasoning",
    read=read_thought,
    newest=newest_thoughts,
)
