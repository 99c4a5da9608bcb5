"""Names of workspaces and labels of files, without characters that nobody sees."""

from __future__ import annotations

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.memory.cleaning import clean

REMOVED = "{field}: {count} hidden characters (direction controls or tags) were removed"


def named(text: str, *, field: str) -> tuple[str, list[str]]:
    """Return a name as it is kept, and what has to be said of it.

    Raises:
        InvalidArgument: nothing visible is left of it.
    """
    name, removed = clean(text)
    if not name.strip():
        raise InvalidArgument(f"{field}: must not be empty", field=field, kind="empty")
    return name.strip(), [REMOVED.format(field=field, count=removed)] if removed else []
