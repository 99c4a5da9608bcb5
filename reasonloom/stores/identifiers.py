"""Parses the ids that callers send; a malformed one counts as unknown."""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from sqlalchemy import TextClause

from reasonloom.errors import NotFound
from reasonloom.stores.database import Transaction

T = TypeVar("T")


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
