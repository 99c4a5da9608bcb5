"""Lists of memories that match a filter, newest first, and one memory with all its details."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from reasonloom.errors import MemoryNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import MemoryFields
from reasonloom.stores.statements import columns, load

LONGEST = 280
"""Characters of a content shown in a list."""

FILTERS = {
    "words": "m.words @@ CAST(:words AS tsquery)",
    "letters": "strpos(lower(m.content), lower(:letters)) > 0",
    "number": "m.id = :number",
    "sector": "m.sector = :sector",
    "project": "m.project = :project",
    "tag": "m.tags @> ARRAY[CAST(:tag AS text)]",
    "cluster": """m.id IN (SELECT k.memory_id FROM basin_members k
        WHERE k.owner = :owner AND k.basin = :cluster)""",
}
HIDDEN = {"no": "m.deleted_at IS NULL", "also": "true", "only": "m.deleted_at IS NOT NULL"}
KINDS = {
    "now": "m.source_kind <> 'transcript'",
    "past": "m.source_kind = 'transcript'",
    "all": "true",
}

Hidden = Literal["no", "also", "only"]
Kinds = Literal["now", "past", "all"]


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Selects the memories to list; None sets no condition.

    Attributes:
        words: a `tsquery` from `word_query`.
        letters: a literal substring of the content.
        kinds: `past` are chunks of past conversations, `now` all others.
    """

    words: str | None = None
    letters: str | None = None
    number: int | None = None
    sector: str | None = None
    project: str | None = None
    tag: str | None = None
    cluster: UUID | None = None
    hidden: Hidden = "no"
    kinds: Kinds = "now"

    def where(self) -> str:
        """Return the SQL condition."""
        given = [FILTERS[name] for name in FILTERS if getattr(self, name) is not None]
        here = ["m.owner = :owner", "m.space = :space"]
        return " AND ".join([*here, HIDDEN[self.hidden], KINDS[self.kinds], *given])

    def values(self) -> dict[str, Any]:
        """Return the parameters of the condition."""
        given = {name: getattr(self, name) for name in FILTERS}
        return {name: value for name, value in given.items() if value is not None}


class ListedMemory(NamedTuple):
    """A memory in a list; `strength` is the stored one, 0..1."""

    id: int
    content: str
    sector: str
    source_kind: str
    project: str | None
    strength: float
    created_at: datetime
    hidden: bool
    superseded_by: int | None


@dataclass(frozen=True, slots=True)
class OneMemory(MemoryFields):
    """A memory with everything that its page shows; scores are in 0..1, times timezone-aware.

    `past_session` and `past_project` locate a chunk of a past conversation; `has_thoughts` is
    whether its session has thoughts.
    """

    event_type: str
    project: str | None
    decay_rate: float
    access_count: int
    token_count: int
    decayed_at: datetime | None
    deleted_at: datetime | None
    session_name: str | None
    past_session: str | None
    past_project: str | None
    has_thoughts: bool


JOINED = ("session_name", "past_session", "past_project", "has_thoughts")
SQL = load(__file__, longest=LONGEST, columns=columns(OneMemory, "m", without=JOINED))


async def word_query(tx: Transaction, words: str) -> str | None:
    """Return the `tsquery` that matches all the words in any form; None if all are stop words."""
    row = await tx.first(SQL.word_query, {"words": words})
    return row[0] if row else None


async def page(tx: Transaction, chosen: MemoryFilter, size: int, skip: int) -> list[ListedMemory]:
    """Return the memories that match the filter, newest first."""
    statement = SQL.fill("page", where=chosen.where())
    return await tx.rows(ListedMemory, statement, {**chosen.values(), "size": size, "skip": skip})


async def count(tx: Transaction, chosen: MemoryFilter) -> int:
    """Return the number of memories that match the filter."""
    return await tx.number(SQL.fill("count", where=chosen.where()), chosen.values())


class Membership(NamedTuple):
    """A basin that a memory belongs to, and how strongly, 0..1."""

    basin: UUID
    name: str
    strength: float


async def require(tx: Transaction, memory_id: int) -> OneMemory:
    """Return a memory of the caller's space.

    Raises:
        MemoryNotFound: there is no such memory.
    """
    found = await tx.row(OneMemory, SQL.read_one, {"id": memory_id})
    if found is None:
        raise MemoryNotFound(f"mem-{memory_id}", field="memoryId")
    return found


async def basins_of(tx: Transaction, memory_id: int) -> list[Membership]:
    """Return the basins that a memory belongs to, strongest first."""
    return await tx.rows(Membership, SQL.basins, {"id": memory_id})
