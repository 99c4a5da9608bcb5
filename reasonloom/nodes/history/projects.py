"""Looks up projects and sessions by the names callers give: slugs, and session id prefixes."""

from collections.abc import Sequence
from difflib import get_close_matches

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.nodes.execution import Execution
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunk_lists

MOST_NAMED = 5
NAME_LENGTH = 60
"""Characters of a name shown in an error or a note."""

LEAST = 8
"""Minimum characters of an abbreviated id, as in the reference."""


async def require_project(tx: Transaction, slug: str) -> None:
    """Check that a project exists.

    Raises:
        UnknownName: it does not; the message suggests similar names.
    """
    if not await chunk_lists.is_known(tx, slug):
        raise UnknownName(await unknown_project(tx, slug), field="project")


async def project_notes(execution: Execution, slug: str | None) -> list[str]:
    """Return a note that the project is unknown, if it is, for when nothing was found in it."""
    if slug is None:
        return []
    async with execution.loom.database.begin(execution.caller) as tx:
        known = await chunk_lists.is_known(tx, slug)
        return [] if known else [await unknown_project(tx, slug)]


async def unknown_project(tx: Transaction, slug: str) -> str:
    """Return the message for an unknown project, with suggestions."""
    there = await chunk_lists.slugs(tx)
    unknown = f'project: there is no project "{display_name(slug)}"'
    if not there:
        return f"{unknown}; there are none yet"
    lowered = {name.lower(): name for name in there}
    near = get_close_matches(slug.lower(), list(lowered), n=MOST_NAMED, cutoff=0.5)
    near += [name for name in lowered if slug.lower() in name and name not in near]
    if near:
        return f"{unknown}; did you mean {', '.join(lowered[name] for name in near[:MOST_NAMED])}?"
    more = ", …" if len(there) > MOST_NAMED else ""
    return f"{unknown}; there are {', '.join(there[:MOST_NAMED])}{more}"


async def require_session(tx: Transaction, project: str, start: str, field: str) -> str | None:
    """Return the full id of the project's session that starts with `start`; None if unknown.

    Raises:
        InvalidArgument: the prefix is ambiguous and no id itself.
    """
    found = await chunk_lists.beginning(tx, project, start, MOST_NAMED + 1)
    if len(found) > 1 and found[0] != start:
        some = ", ".join(display_name(each) for each in found[:MOST_NAMED])
        more = ", …" if len(found) > MOST_NAMED else ""
        raise InvalidArgument(
            f'{field}: several sessions begin with "{display_name(start)}": {some}{more}',
            field=field,
        )
    return found[0] if found else None


def display_name(name: str) -> str:
    """Return a name on one line, shortened if it is long."""
    line = " ".join(name.split())
    return line if len(line) <= NAME_LENGTH else f"{line[: NAME_LENGTH - 1]}…"


def abbreviations(sessions: Sequence[str]) -> dict[str, str]:
    """Return a unique prefix of each id, of at least 8 characters.

    An id that is a prefix of another is returned whole: an exact match wins when it is looked up.
    """
    order = sorted(set(sessions))
    short: dict[str, str] = {}
    for place, session in enumerate(order):
        neighbours = [order[n] for n in (place - 1, place + 1) if 0 <= n < len(order)]
        shared = max((_shared(session, other) for other in neighbours), default=0)
        short[session] = session[: max(LEAST, shared + 1)]
    return short


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two ids."""
    for place, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return place
    return min(len(one), len(other))
