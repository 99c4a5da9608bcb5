"""Reads the ids that callers send; an ill-formed one counts as unknown."""

from uuid import UUID


def parse_uuid(text: str) -> UUID | None:
    """Return the uuid that a text names, None where it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None
