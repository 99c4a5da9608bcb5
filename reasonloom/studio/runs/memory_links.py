"""The memories that a run used and made, as links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.stores.runs.made_and_used import Touched


def memory_links(found: Sequence[Touched]) -> None:
    """Draw both lists; one that is empty is left out."""
    _listed("Memories it used", [each for each in found if not each.made])
    _listed("Memories it made", [each for each in found if each.made])


def _listed(title: str, rows: Sequence[Touched]) -> None:
    if not rows:
        return
    tag("h3", title)
    with ui.element("ul").classes("studio-list"):
        for each in rows:
            with ui.element("li"):
                ui.link(f"mem-{each.id}", f"/memory/{each.id}")
                tag("span", f" {each.sector}: {each.content}", dir="auto")
