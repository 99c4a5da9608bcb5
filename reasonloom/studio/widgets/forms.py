"""Pages of a list, by plain links: each has an address of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from nicegui import ui

from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.studio.page import Visit

SIZE = 50
"""Rows of one page."""

DIGITS = 6


def page_number(visit: Visit) -> int:
    """Return the page that the address asks for, from 1; anything that is none is the first."""
    said = visit.query.get("page", "1")
    fits = said.isascii() and said.isdigit() and len(said) <= DIGITS
    return max(1, int(said)) if fits else 1


def skipped(visit: Visit, size: int = SIZE) -> int:
    """Return how many rows stand before that page."""
    return (page_number(visit) - 1) * size


def paging(visit: Visit, path: str, total: int, size: int = SIZE) -> None:
    """Draw where one is among the pages, with links to those beside it."""
    number, last = page_number(visit), max(1, -(-total // size))
    if last == number == 1:
        return
    with ui.element("nav").classes("studio-pages").props('aria-label="Pages of the list"'):
        if number > 1:
            ui.link("← back", _address(visit, path, number - 1))
        tag("span", f"page {number:,} of {last:,}, {total:,} in all")
        if number < last:
            ui.link("on →", _address(visit, path, number + 1))


def _address(visit: Visit, path: str, number: int) -> str:
    return f"{path}?{urlencode({**visit.query, 'page': number})}"
