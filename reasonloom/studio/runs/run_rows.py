"""Runs as a table of links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.latest import Latest

TONES = {
    "done": "good",
    "running": "own busy",
    "failed": "wrong",
    "cancelled": "quiet",
    "interrupted": "warn",
}


def run_rows(runs: Sequence[Latest]) -> None:
    """Draw runs, the newest first."""
    table(
        "Times are UTC.",
        ("tool", "status", "when"),
        [
            (
                Cell(run.kind, href=f"/run/{run.id}"),
                Cell(run.about, mark=TONES.get(run.about, "quiet")),
                Cell(short_moment(run.at), look="studio-quiet"),
            )
            for run in runs
        ],
    )
