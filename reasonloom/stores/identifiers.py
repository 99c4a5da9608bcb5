"""Parses the ids that callers send; a malformed one counts as unknown."""

import re
from collections.abc import Callable
from typing import Literal, TypeVar
from uuid import UUID

from sqlalchemy import TextClause

from reasonloom.errors import InvalidArgument, NotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

T = TypeVar("T")
Identified = Literal["runs", "sessions", "thought_graphs"]
"""Tables whose rows people name by the beginning of an id."""

BEGINNING = re.compile("[0-9a-f]{4,31}")
MOST_NAMED = 5
SQL = load(__file__, most_named=MOST_NAMED)


async def complete_id(tx: Transaction, table: Identified, text: str, *, field: str) -> str:
    """Return the id of the owner's row that begins with `text`, at least four digits of it.

    Any other text is returned as it is.

    Raises:
        InvalidArgument: several ids begin with it.
    """
    digits = text.replace("-", "").lower()
    if not BEGINNING.fullmatch(digits):
        return text
    values = {"low": UUID(digits.ljust(32, "0")), "high": UUID(digits.ljust(32, "f"))}
    found = await tx.column(SQL.fill("between", table=table), values)
    if len(found) > 1:
        listed = ", ".join(map(str, found))
        raise InvalidArgument(f"{field}: several ids begin with {text}: {listed}", field=field)
    return str(found[0]) if found else text


def parse_uuid(text: str) -> UUID | None:
    """Return the UUID in a text, None if it is malformed."""
    try:
        return UUID(text)
    except ValueError:
        return None


async def require_row(
    tx: Transaction,
    kind: Callable[..., T],
    statement: TextClause,
    row_id: str,
    *,
    missing: type[NotFound],
    field: str,
) -> T:
    """Return the row that a statement finds by `id`, as a `kind`.

    Raises:
        NotFound: as `missing`: there is no such row, or the text is not a uuid.
    """
    wanted = parse_uuid(row_id)
    row = await tx.row(kind, statement, {"id": wanted}) if wanted else None
    if row is None:
        raise missing(row_id, field=field)
    return row
