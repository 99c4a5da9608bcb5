"""What an import writes beside new memories: how strong they were, and their links."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from sqlalchemy import ARRAY, Uuid, bindparam, select, text

from reasonloom.stores.memory.decay import WORDS_STAY
from reasonloom.stores.sessions import sessions
from reasonloom.stores.tables import Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

HOLD = text("""
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory
""")
KNOWN = text("""
SELECT effect, id FROM memories
WHERE owner = :owner AND space = :space AND effect = ANY(:effects)
""").bindparams(bindparam("effects", type_=ARRAY(Uuid)))
SETTLE = text("""
UPDATE memories m SET strength = coalesce(r.strength, m.strength), trust = r.trust,
    access_count = coalesce(r.access_count, 0),
    last_accessed = coalesce(r.last_accessed, m.last_accessed), decayed_at = r.decayed_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, strength float8, trust float8,
    access_count int, last_accessed timestamptz, decayed_at timestamptz)
WHERE m.owner = :owner AND m.id = r.id
""")
HIDE = text("""
UPDATE memories m SET deleted_at = r.deleted_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, deleted_at timestamptz)
WHERE m.owner = :owner AND m.id = r.id
""")
LINK = text("""
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, created_at)
SELECT :owner, r.source, r.target, r.type, r.weight, r.origin, coalesce(r.created_at, now())
FROM json_to_recordset(CAST(:rows AS json)) AS r (source bigint, target bigint, type text,
    weight float8, origin text, created_at timestamptz)
JOIN memories s ON s.owner = :owner AND s.id = r.source
JOIN memories t ON t.owner = :owner AND t.id = r.target
WHERE r.source <> r.target
ON CONFLICT DO NOTHING
""")


async def hold(tx: Transaction) -> None:
    """Let nobody else store for this owner until the transaction ends."""
    await tx.run(HOLD, {"owner": tx.owner})


async def known(tx: Transaction, effects: Iterable[UUID]) -> dict[UUID, int]:
    """Return the memories of this space that effects have stored already, hidden ones too."""
    values = {"owner": tx.owner, "space": tx.space, "effects": list(effects)}
    return {UUID(str(row.effect)): int(row.id) for row in await tx.all(KNOWN, values)}


async def session_for(
    tx: Transaction, *, name: str | None, known_as: UUID | None, project: str | None
) -> UUID:
    """Return the session of this name, or the one that stands for `known_as`; made where new."""
    if name is not None or known_as is None:
        made = uuid5(UUID(int=0), f"{tx.owner}/{tx.space}/{name}")
        return await sessions.open_session(tx, made, name=name, project=project)
    here = select(Session.id).where(
        Session.owner == tx.owner, Session.space == tx.space, Session.id == known_as
    )
    if await tx.first(here):
        return known_as
    made = uuid5(known_as, f"import/{tx.owner}/{tx.space}")
    return await sessions.open_session(tx, made, project=project)


async def settle(
    tx: Transaction, rows: Sequence[Mapping[str, Any]], hidden: Sequence[Mapping[str, Any]]
) -> None:
    """Give new memories the strength, trust and accesses that they had, and hide some.

    A row is {id, strength, trust, access_count, last_accessed, decayed_at}, None where a new
    memory's own stays; a hidden one {id, deleted_at}. Times are ISO 8601.
    """
    if hidden:
        await tx.run(HIDE, {"owner": tx.owner, "rows": json.dumps(hidden)})
    await tx.run(WORDS_STAY)
    await tx.run(SETTLE, {"owner": tx.owner, "rows": json.dumps(rows)})


async def link(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> int:
    """Make links that are not there; return how many are new.

    A row is {source, target, type, weight, origin, created_at}; what leads to a memory that
    is gone is left out.
    """
    return await tx.run(LINK, {"owner": tx.owner, "rows": json.dumps(rows)})
