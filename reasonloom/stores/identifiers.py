"""Parses the ids that callers send; a malformed one counts as unknown."""

from uuid import UUID


def parse_uuid(text: str) -> UUID | None:
    """Return the UUID in a text, None if it is malformed."""
    try:
        return UUID(text)
    except ValueError:
        return None
