"""Basins as a table: size, words, coherence, with links to their memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.mental_models.stores_basin_lists import ListedBasin

WORDS = 8


def basin_rows(caption: str, rows: Sequence[ListedBasin]) -> None:
    """Draw basins; each leads to the list of its memories."""
    heads = ("basin", "words", "#memories", "#coherence", "#models", "changed")
    table(caption, heads, map(_row, rows))


def _row(row: ListedBasin) -> tuple[Cell | str, ...]:
    return (
        Cell(shortened(row.name, 60), href=members_link(row)),
        Cell(_words(row), look="studio-roomy"),
        f"{row.members:,}",
        f"{row.coherence:.2f}",
        f"{row.models:,}",
        Cell(short_moment(row.updated_at), look="studio-quiet studio-nowrap"),
    )


def _words(row: ListedBasin) -> str:
    return ", ".join(shortened(word, 30) for word in row.keywords[:WORDS]) or "–"


def members_link(row: ListedBasin) -> str:
    """Return the address of the list of a basin's memories."""
    return f"/memory?{urlencode({'cluster': row.id, 'kinds': 'all'})}"
