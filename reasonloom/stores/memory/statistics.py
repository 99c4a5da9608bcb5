"""Statistics of a space: health figures, summaries, prunable memories, and their writers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.statements import load, values_of

WEAK = 0.1
IMPORTANT = 0.7
"""Memories of at least this importance or salience are never pruned."""

EXCERPT = 120
"""Characters of a content shown in a summary."""

AGES = {"under 1 day": 1, "1 to 7 days": 7, "7 to 30 days": 30, "30 to 180 days": 180}
OLDEST = "over 180 days"
LARGEST = 5

AGE_CASES = " ".join(
    f"WHEN m.created_at > CAST(:at AS timestamptz) - interval '{days} days' THEN '{name}'"
    for name, days in AGES.items()
)
SQL = load(
    __file__,
    weak=WEAK,
    largest=LARGEST,
    important=IMPORTANT,
    age_cases=AGE_CASES,
    oldest=OLDEST,
    excerpt=EXCERPT + 1,
)


@dataclass(frozen=True, slots=True)
class Summary:
    """A memory in brief; `excerpt` is longer than `EXCERPT` if the content was cut."""

    id: int
    excerpt: str
    sector: str
    created_at: datetime
    strength: float
    token_count: int
    importance: float
    access_count: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a space; `lacking` counts memories without vectors of the model in use, by the
    model of the vectors they have, None for those without any."""

    groups: Sequence[Any]
    hidden: int
    sessions: int
    bytes: int
    links: dict[str, int]
    lacking: dict[str | None, int]
    contents: int
    surplus: int
    largest: list[Summary]


@dataclass(frozen=True, slots=True)
class PruneCriteria:
    """The criteria of prunable memories, all of which must hold."""

    strength: float
    before: datetime
    accesses: int
    sector: str | None = None


async def figures(tx: Transaction, *, at: datetime, model: str) -> Figures:
    """Return the figures of the space as of `at`; `model` is that of the embedder in use."""
    totals, twice, groups, links, vectors, large = await together(
        tx.one(SQL.totals),
        tx.one(SQL.duplicates),
        tx.all(SQL.groups, {"at": at}),
        tx.tuples(SQL.links),
        tx.tuples(SQL.vectors, {"model": model}),
        tx.rows(Summary, SQL.large),
    )
    return Figures(
        groups=groups,
        hidden=totals.hidden,
        sessions=totals.sessions,
        bytes=int(totals.bytes),
        links=dict(links),
        lacking=dict(vectors),
        contents=twice.contents,
        surplus=int(twice.surplus),
        largest=large,
    )


async def count(tx: Transaction) -> int:
    """Return the number of memories of the space that are not hidden."""
    return await tx.number(SQL.count)


async def page(tx: Transaction, *, after: int, size: int) -> list[Summary]:
    """Return the next memories by id."""
    return await tx.rows(Summary, SQL.page, {"after": after, "size": size})


async def prunable(
    tx: Transaction, faded: PruneCriteria, *, size: int
) -> tuple[list[Summary], int]:
    """Return the weakest prunable memories, and the number of all prunable ones."""
    rows = await tx.tuples(SQL.prunable, {**values_of(faded), "size": size})
    return [Summary(*summary) for *summary, _ in rows], int(rows[0][-1]) if rows else 0


async def prune(
    tx: Transaction, faded: PruneCriteria, ids: Sequence[int], at: datetime
) -> set[int]:
    """Hide the memories of `ids` that are still prunable; return their ids."""
    return set(await tx.column(SQL.prune, {**values_of(faded), "ids": list(ids), "at": at}))


@dataclass(frozen=True, slots=True)
class WriterFilter:
    """Selects memories: all conditions must hold; `hidden` includes hidden ones.

    `writer` is a principal, a connecting program's name or a tool's.
    """

    writer: str
    since: datetime
    until: datetime | None = None
    tool: str | None = None
    session: str | None = None
    run: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """A memory in brief, with when and by which writer it was stored."""

    id: int
    stored_at: datetime
    tool: str
    writer: str
    excerpt: str


async def written_by(tx: Transaction, written: WriterFilter) -> list[Trace]:
    """Return the selected memories of this space by id."""
    return await tx.rows(Trace, SQL.written_by, values_of(written))


async def derived_from(tx: Transaction, ids: Sequence[int]) -> list[Trace]:
    """Return further memories that were derived from any of `ids`."""
    return await tx.rows(Trace, SQL.derived, {"ids": list(ids)})


async def spaces(tx: Transaction, *, most: int) -> list[str]:
    """Return the owner's spaces in which memories were stored."""
    return await tx.column(SQL.spaces, {"most": most})


async def oldest(tx: Transaction, *, transcripts: bool) -> datetime | None:
    """Return when the oldest memory, or past conversation, was said; None if there is none."""
    moment: datetime | None = (await tx.one(SQL.oldest, {"transcripts": transcripts})).moment
    return moment


async def space_exists(tx: Transaction) -> bool:
    """Return whether a memory was ever stored in this space."""
    return bool((await tx.one(SQL.space_exists)).found)


async def written_in(tx: Transaction, person: str) -> list[int]:
    """Return the ids of all memories in the space that a person wrote, hidden ones included."""
    return await tx.column(SQL.written_in, {"person": person})
