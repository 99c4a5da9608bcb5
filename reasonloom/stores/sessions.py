"""Sessions: what groups thoughts and memories, known by uuid, number or an outside name."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.sql import func

from reasonloom.errors import SessionNotFound
from reasonloom.stores.tables import Owner, Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

NEXT_NUMBER = (
    upsert(Owner)
    .values(owner=bindparam("owner"), last_session=1)
    .on_conflict_do_update(
        index_elements=[Owner.owner], set_={"last_session": Owner.last_session + 1}
    )
    .returning(Owner.last_session)
)


async def open_session(
    tx: Transaction,
    session_id: UUID,
    *,
    mode: str | None = None,
    name: str | None = None,
    project: str | None = None,
    client: str | None = None,
) -> UUID:
    """Return the session `session_id`, or the one that already has `name`; made where new."""
    known = await _known(tx, session_id, name)
    if known:
        return known
    row = await tx.first(NEXT_NUMBER, {"owner": tx.owner})
    assert row is not None  # noqa: S101 - RETURNING always gives the row
    # The counter's row is locked from here on, so nobody else makes the same name meanwhile.
    known = await _known(tx, session_id, name)
    if known:
        return known
    await tx.run(
        upsert(Session).values(
            owner=tx.owner,
            id=session_id,
            number=int(row.last_session),
            space=tx.space,
            external_name=name,
            mode=mode,
            project=project,
            client=client,
        )
    )
    return session_id


async def require(tx: Transaction, session_id: str, *, field: str = "session_id") -> UUID:
    """Return the id of an existing session.

    Raises:
        SessionNotFound: this owner has none such, or the text is no uuid.
    """
    try:
        wanted = UUID(session_id)
    except ValueError:
        raise SessionNotFound(session_id, field=field) from None
    known = await _known(tx, wanted, None)
    if known is None:
        raise SessionNotFound(session_id, field=field)
    return known


async def touch(tx: Transaction, session_id: UUID) -> None:
    """Note that the session was written to."""
    await tx.run(
        update(Session)
        .where(Session.owner == tx.owner, Session.id == session_id)
        .values(updated_at=func.now())
    )


async def _known(tx: Transaction, session_id: UUID, name: str | None) -> UUID | None:
    by = Session.id == session_id if name is None else Session.external_name == name
    row = await tx.first(
        select(Session.id).where(Session.owner == tx.owner, Session.space == tx.space, by)
    )
    return row.id if row else None
