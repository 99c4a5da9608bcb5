"""What stands around one memory: its edges both ways, and the chain of its corrections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.widgets.elements import Cell, mark, table
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.memory.memory_links import Correction, Link

EXCERPT = 110


def edges(title: str, way: str, found: Sequence[Link]) -> None:
    """Draw edges of one direction; `way` says it before the other memory."""
    tag("h3", title)
    if not found:
        tag("p", "None.", "studio-quiet")
        return
    total = found[0].total
    shown = "" if total == len(found) else f" The {len(found):,} heaviest are shown."
    heads = ("type", "#weight", way, "why")
    table(f"{title}: {total:,} in all.{shown}", heads, map(_row, found))


def _row(link: Link) -> tuple[Cell | str, ...]:
    hidden = " (hidden)" if link.hidden else ""
    other = f"mem-{link.other}{hidden}: {shortened(link.content, EXCERPT)}"
    why = link.reason or f"({link.origin})"
    return link.type, f"{link.weight:.3f}", Cell(other, href=f"/memory/{link.other}"), why


def corrections(found: Sequence[Correction], here: int) -> None:
    """Draw a chain of corrections, the oldest first."""
    with ui.element("ol").classes("studio-strip"):
        for number, each in enumerate(found):
            with ui.element("li").classes("studio-card"):
                if number:
                    tag("p", f"corrects: {each.reason or 'no reason given'}", "studio-why")
                with ui.element("p").classes("studio-row"):
                    _name(each, here)
                tag("p", shortened(each.content, EXCERPT), "studio-cell", dir="auto")


def _name(each: Correction, here: int) -> None:
    if each.id == here:
        tag("strong", f"mem-{each.id}, this one")
    else:
        ui.link(f"mem-{each.id}", f"/memory/{each.id}")
    tag("span", short_moment(each.created_at), "studio-quiet studio-small")
    if each.hidden:
        mark("hidden", "wrong")
    elif each.superseded_by is None:
        mark("holds now", "good")
    else:
        mark(f"superseded by mem-{each.superseded_by}", "warn")
