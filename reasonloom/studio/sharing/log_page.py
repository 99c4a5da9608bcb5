"""`/spaces/log`: who used the visitor's shared spaces, or those of a team that it administers."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from reasonloom.contracts.places import ME, TEAM, Place, parse_place
from reasonloom.nodes.sharing.administration import list_spaces, reading_log
from reasonloom.stores.database import Transaction
from reasonloom.stores.sharing import audit
from reasonloom.stores.sharing.audit import AuditEntry, AuditFilter
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, empty_state, heading, short_moment, table
from reasonloom.studio.widgets.forms import (
    MAX_FIELD,
    PAGE_SIZE,
    choice,
    field,
    form,
    page_offset,
    paging,
)
from reasonloom.text.shortening import shortened

LEAD = "Who read, changed and shared your spaces, or those of a team that you administer."
LONGEST = 80


class LogRow(NamedTuple):
    """One line of the log, as it is exported; `memories` are the ids in the space."""

    at: datetime
    who: str
    did: str
    tool: str
    space: str
    memories: str
    whom: str
    rights: str


@dataclass(frozen=True, slots=True)
class LogQuery:
    """The query in the address: whose log, in which of its spaces ("" is any), by whom."""

    owner: Place
    space: str
    by: str

    @property
    def filter(self) -> AuditFilter:
        """The filter of entries; a space of another owner is ignored."""
        place = parse_place(self.space, "in") if self.space else None
        kept = place.space if place and place.owner == self.owner.owner else None
        return AuditFilter(principal=self.by or None, place=kept)


def log_query(visit: Visit) -> LogQuery:
    """Parse the filters.

    Raises:
        InvalidArgument: the owner or the space has another form than a name of a space.
    """
    owner = parse_place(visit.text("of", MAX_FIELD) or ME, "of").owner
    return LogQuery(Place(owner), visit.text("in", MAX_FIELD), visit.text("by", MAX_FIELD))


@asynccontextmanager
async def opened_log(visit: Visit) -> AsyncIterator[Transaction]:
    """Open a transaction that may read the log in the address; raises as `reading_log`."""
    context, owner = visit.context, log_query(visit).owner
    loom, caller = (await context.engine()).loom, await context.caller()
    async with reading_log(loom, caller.at(owner.owner, owner.space, owner.name())) as tx:
        yield tx


async def log_rows(tx: Transaction, visit: Visit, limit: int, offset: int) -> Sequence[LogRow]:
    """Return the entries that match the address, the newest first."""
    query = log_query(visit)
    found = await audit.page(tx, query.filter, limit=limit, offset=offset)
    return [_log_row(query.owner, each) for each in found]


def _log_row(owner: Place, entry: AuditEntry) -> LogRow:
    ids = " ".join(f"mem-{number}" for number in entry.memories)
    return LogRow(
        entry.at, entry.principal, entry.action, entry.tool,
        Place(owner.owner, entry.space).name(), ids, entry.subject or "", " ".join(entry.rights),
    )  # fmt: skip


async def build(visit: Visit) -> None:
    """Draw the filters and the entries."""
    query = log_query(visit)
    async with opened_log(visit) as tx:
        rows = await log_rows(tx, visit, PAGE_SIZE, page_offset(visit))
        total = await audit.count(tx, query.filter)
    heading("Log of spaces", LEAD)
    await _filters(visit, query)
    if not total:
        empty_state("Nothing in this log", "What you do in your own spaces is not listed.")
        return
    heads = ("at", "who", "did", "with", "space", "memories", "whom", "rights")
    table(f"{total:,} in total, newest first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/spaces/log", total, export="log")


def _row(row: LogRow) -> tuple[Cell | str, ...]:
    return (
        Cell(short_moment(row.at), look="studio-quiet studio-nowrap"),
        row.who, row.did, row.tool, row.space,
        *(shortened(each, LONGEST) or "–" for each in (row.memories, row.whom, row.rights)),
    )  # fmt: skip


async def _filters(visit: Visit, query: LogQuery) -> None:
    loom, caller = (await visit.context.engine()).loom, await visit.context.caller()
    open_ = [each.name for each in await list_spaces(loom, caller) if each.grants is not None]
    places = [parse_place(each, "in") for each in open_]
    roots = [each for each in places if not each.space]
    owners = [each for each in roots if each.owner is None or each.owner.startswith(TEAM)]
    spaces = [each.name() for each in places if each.owner == query.owner.owner]
    with form("/spaces/log", "Filter the log"):
        choice("of", "Log of", query.owner.name(), {each.name(): each.name() for each in owners})
        choice("in", "Space", query.space, {"": "every", **{each: each for each in spaces}})
        field("by", "By", query.by, hint="anna")


SPACE_LOG = StudioPage("/spaces/log", "Log of spaces", "extras", build, "/spaces")
