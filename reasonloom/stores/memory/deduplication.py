"""Deduplication: storing the same content again strengthens the existing memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.decay import ACCESSED
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.statements import load

WINDOW = timedelta(hours=24)
"""The maximum age of a memory that a new one is merged into."""

SQL = load(__file__, accessed=ACCESSED)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The existing memory as it is now."""

    id: int
    strength: float
    salience: float


async def find_duplicate(
    tx: Transaction, memory: NewMemory, *, session: str | None = None
) -> int | None:
    """Return the memory with the same content as `memory`; None if there is none.

    Contents are the same if equal except for white space and Unicode composition, in the same
    space, session, event type and source kind, and at most `WINDOW` old. The session is
    `memory.session_id`, or the one named `session`, and must exist in this transaction. Until the
    transaction ends nobody else stores for this owner, so of two concurrent calls the second finds
    the first one's memory.
    """
    values = {
        "session_id": memory.session_id,
        "name": session,
        "event_type": memory.event_type,
        "source_kind": memory.source_kind,
        "content": memory.content,
        "since": memory.created_at - WINDOW,
    }
    found = await tx.first(SQL.find, values)
    return None if found is None else found.id


async def strengthen(
    tx: Transaction, duplicate: int, memory: NewMemory, *, keywords: Sequence[str] = ()
) -> Duplicate:
    """Strengthen the memory that has the same content as `memory`.

    This counts an access, sets the new confidence and the larger importance, adds missing tags and
    `keywords`, and sets category, context and other metadata if it has none. Its vectors stay.
    """
    changes = {
        "id": duplicate,
        "at": memory.created_at,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "salience": memory.salience,
        "keywords": list(keywords),
        "tags": list(memory.tags),
        "category": memory.category,
        "context": memory.context,
        "other_metadata": dict(memory.other_metadata),
    }
    row = await tx.one(SQL.strengthen, changes)
    return Duplicate(row.id, row.strength, row.salience)
