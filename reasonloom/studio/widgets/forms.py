"""Search forms and paging of lists by plain links, so that each state has an address."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlencode

from nicegui import ui

from reasonloom.studio.page_context import BASE_PATH, Visit
from reasonloom.studio.widgets.elements import tag

MAX_FIELD = 500
"""Maximum characters of a field."""


@contextmanager
def form(path: str, label: str, *, button: str = "Show") -> Iterator[None]:
    """Draw a form around fields that are sent as the query of an address."""
    frame = ui.element("form").classes("studio-form")
    frame.props.update(
        {"method": "get", "role": "search", "action": f"{BASE_PATH}{path}", "aria-label": label}
    )
    with frame:
        yield
        tag("button", button, "studio-button", type="submit")


def field(name: str, label: str, value: str, *, search: bool = False, hint: str = "") -> None:
    """Draw a text field; with `search`, the key `/` focuses it."""
    with tag("label", label):
        kind = "search" if search else "text"
        drawn = tag("input", name=name, type=kind, placeholder=hint, maxlength=MAX_FIELD)
        # A plain property would be set again on each redraw, overwriting what the user is typing.
        drawn.props["^value"] = value


def choice(name: str, label: str, value: str, options: Mapping[str, str]) -> None:
    """Draw a select element of values with labels."""
    with tag("label", label), ui.element("select").props(f"name={name}"):
        for each, words in options.items():
            chosen = {"selected": True} if each == value else {}
            tag("option", words, value=each, **chosen)


PAGE_SIZE = 50
"""Rows per page."""

DIGITS = 6


def page_number(visit: Visit) -> int:
    """Return the page number in the address, from 1; 1 if it is invalid."""
    number = visit.query.get("page", "1")
    fits = number.isascii() and number.isdigit() and len(number) <= DIGITS
    return max(1, int(number)) if fits else 1


def page_offset(visit: Visit, size: int = PAGE_SIZE) -> int:
    """Return the number of rows before that page."""
    return (page_number(visit) - 1) * size


def paging(visit: Visit, path: str, total: int, size: int = PAGE_SIZE, *, export: str = "") -> None:
    """Draw the page number, with links to the previous and next page and to exports of the list."""
    number, last = page_number(visit), max(1, -(-total // size))
    if export:
        _exports(visit, export)
    if last == number == 1:
        return
    with ui.element("nav").classes("studio-pages").props('aria-label="Pages of the list"'):
        if number > 1:
            ui.link("← Previous", _address(visit, path, number - 1))
        tag("span", f"Page {number:,} of {last:,}, {total:,} in total")
        if number < last:
            ui.link("Next →", _address(visit, path, number + 1))


def _exports(visit: Visit, name: str) -> None:
    query = urlencode({key: value for key, value in visit.query.items() if key != "page"})
    with ui.element("p").classes("studio-pages studio-small"):
        tag("span", "Export")
        for kind in ("csv", "json"):
            ui.link(kind.upper(), f"/export/{name}.{kind}{f'?{query}' if query else ''}")


def _address(visit: Visit, path: str, number: int) -> str:
    return f"{path}?{urlencode({**visit.query, 'page': number})}"
