"""Turns what was written last into a listing, for the kinds that are named by their text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Listed

if TYPE_CHECKING:
    from reasonloom.stores.latest import Latest

LONGEST_TITLE = 60


def listed(rows: Iterable[Latest]) -> list[Listed]:
    """Return rows as they are listed, each titled by its kind and the beginning of its text."""
    return [Listed(row.id, f"{row.kind}: {_beginning(row.about)}", row.at) for row in rows]


def _beginning(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"{line[:LONGEST_TITLE]}…" if len(line) > LONGEST_TITLE else line
