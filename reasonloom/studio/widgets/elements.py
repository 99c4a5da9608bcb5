"""Tables as HTML knows them, which every screen reader can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nicegui import ui

from reasonloom.studio.widgets.invisible import seen
from reasonloom.studio.widgets.tag import tag


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        href: the page that it leads to.
        look: classes, such as `studio-quiet`.
        mark: the tone of a mark: `good`, `warn`, `wrong`, `own` or `quiet`, with `busy` at work.
    """

    text: str
    href: str | None = None
    look: str = ""
    mark: str | None = None


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell | str]]) -> None:
    """Draw a table; heads that begin with `#` are of numbers."""
    looks = ["number" if head.startswith("#") else "" for head in heads]
    wide = ui.element("div").classes("studio-wide")
    wide.props.update({"role": "region", "tabindex": "0", "aria-label": caption})
    with wide, ui.element("table").classes("studio-table"):
        tag("caption", caption)
        with ui.element("thead"), ui.element("tr"):
            for head, look in zip(heads, looks, strict=True):
                tag("th", head.removeprefix("#"), look, scope="col")
        with ui.element("tbody"):
            for row in rows:
                with ui.element("tr"):
                    for cell, look in zip(row, looks, strict=True):
                        _cell(cell if isinstance(cell, Cell) else Cell(cell), look)


def _cell(cell: Cell, look: str) -> None:
    look = f"{look} {cell.look}".strip()
    if cell.href is None and cell.mark is None:
        tag("td", cell.text, look, dir="auto")
        return
    with ui.element("td").classes(look):
        if cell.href is not None:
            ui.link(seen(cell.text), cell.href)
        else:
            mark(cell.text, str(cell.mark))


def mark(text: str, tone: str) -> None:
    """Show a word in a frame: how something stands."""
    tag("span", text, f"studio-mark {tone}")
