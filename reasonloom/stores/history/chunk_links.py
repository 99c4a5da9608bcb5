"""Links between chunks: the facts they are inferred from, their edges, and graph walks."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load, values_of

SQL = load(__file__)


@dataclass(frozen=True)
class Facts:
    """The facts of a chunk; `started_at` is None if its transcript has no times."""

    id: int
    project: str
    session: str
    agent: str | None
    at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    files: list[str]
    errors: list[str]
    names: list[str]
    content: str

    @cached_property
    def folded(self) -> str:
        """The content in folded case, computed once for all comparisons."""
        return self.content.casefold()


@dataclass(frozen=True, slots=True)
class Ended:
    """A session's last chunk, and when it ended."""

    session: str
    id: int
    ended: datetime


@dataclass(frozen=True, slots=True)
class NewEdge:
    """An edge to store; `weight` is 0..1."""

    source: int
    target: int
    type: str
    weight: float
    origin: str
    reason: str


async def facts(tx: Transaction, ids: Sequence[int]) -> list[Facts]:
    """Return the chunks of `ids` that exist and are not hidden, in chronological order."""
    return await tx.rows(Facts, SQL.by_id, {"ids": list(ids)})


async def sessions_before(
    tx: Transaction, chunk: Facts, *, most: int, read: int = 200
) -> list[Ended]:
    """Return the last chunks of the sessions before a chunk in its project, latest first."""
    values = {
        "project": chunk.project,
        "session": chunk.session,
        "at": chunk.at,
        "read": read,
        "most": most,
    }
    return await tx.rows(Ended, SQL.before, values)


async def first_of(tx: Transaction, project: str, sessions: Sequence[str]) -> set[int]:
    """Return the first chunk of the main conversation of each session."""
    values = {"project": project, "sessions": list(sessions)}
    return set(await tx.column(SQL.first, values))


async def replace(tx: Transaction, ids: Sequence[int], edges: Sequence[NewEdge]) -> None:
    """Replace the edges of cause and continuation of the chunks `ids`."""
    await tx.run(SQL.clear, {"ids": list(ids)})
    if edges:
        await tx.run(SQL.add, {"rows": json.dumps([values_of(edge) for edge in edges])})


async def reasons_between(tx: Transaction, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return the reason why each earlier chunk leads to the later one; "" if no edge joins them."""
    values = {"earlier": [earlier for earlier, _ in pairs], "later": [later for _, later in pairs]}
    rows = await tx.all(SQL.between, values)
    reasons = {int(row.place): str(row.reason or row.origin) for row in rows}
    return [reasons.get(place, "") for place in range(1, len(pairs) + 1)]


ORIGINS = ("sequence", "brief", "debrief", "continuation", "cause")


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """A stored edge between two chunks; `weight` is 0..1."""

    source: int
    target: int
    type: str
    weight: float
    origin: str
    reason: str | None

    @property
    def earlier(self) -> int:
        """The chunk that leads to the other: the target of a `caused_by` edge, else the source."""
        return self.target if self.type == "caused_by" else self.source

    @property
    def later(self) -> int:
        """The chunk that follows."""
        return self.source if self.type == "caused_by" else self.target


@dataclass(frozen=True, slots=True)
class WalkChunk:
    """A chunk of a walk; `started_at` is None if its transcript has no times.

    `form` is the format of its transcript.
    """

    id: int
    project: str
    session: str
    agent: str | None
    started_at: datetime | None
    at: datetime
    first_turn: int
    ordinal: int
    tokens: int
    content: str
    form: str = ""

    @property
    def place(self) -> tuple[datetime, int, int, int]:
        """Its sort key in chronological order."""
        return self.at, self.first_turn, self.ordinal, self.id


async def edges(tx: Transaction, ids: Collection[int], *, fan: int) -> list[WalkEdge]:
    """Return the `fan` heaviest edges from each chunk, and as many to it."""
    values = {"ids": list(ids), "origins": list(ORIGINS), "fan": fan}
    return await tx.rows(WalkEdge, SQL.edges, values)


async def chunks(tx: Transaction, ids: Sequence[int]) -> dict[int, WalkChunk]:
    """Return the chunks of `ids` that exist and are not hidden."""
    if not ids:
        return {}
    rows = await tx.tuples(SQL.chunks, {"ids": list(ids)})
    return {row[0]: WalkChunk(*row) for row in rows}
