"""HTML elements for untrusted text: tags, headings, facts, tables, prose and code."""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from nicegui import context, ui
from nicegui.elements.mixins.text_element import TextElement

STEERING = ("Cf", "Co", "Cs", "Cc")
"""Categories of invisible characters that may change other text: overrides, joiners, ..."""

LINE_CHARACTERS = "\n\t"


def visible(text: str) -> str:
    """Return a text with every invisible character replaced by its code point."""
    if text.isprintable():
        return text
    return "".join(_spelled(c) for c in text)


def _spelled(c: str) -> str:
    hidden = unicodedata.category(c) in STEERING and c not in LINE_CHARACTERS
    return f"⟨U+{ord(c):04X}⟩" if hidden else c


def tag(
    name: str, text: str = "", look: str = "", /, **attributes: str | int | bool
) -> TextElement:
    """Draw `<name>` with a text; `look` is its classes, `aria_label` sets aria-label."""
    element = TextElement(tag=name, text=visible(text))
    if look:
        element.classes(look)
    for attribute, value in attributes.items():
        element.props[attribute.rstrip("_").replace("_", "-")] = value
    return element


def drawing(name: str, data: object, /) -> ui.element:
    """Draw JSON with a custom element, one of those that pages in hosts use too."""
    element = ui.element(name)
    element.props["data"] = json.dumps(data)
    return element


def heading(title: str, lead: str = "") -> None:
    """Set the title of the page; `lead` is a sentence on its content."""
    context.client.title = f"{title} · reasonloom"
    tag("h1", title, "studio-title")
    if lead:
        tag("p", lead, "studio-lead")


def empty_state(title: str, *lines: str, command: str | None = None) -> None:
    """Draw that there is nothing here, and how to change that."""
    with ui.element("section").classes("studio-empty"):
        tag("h2", title)
        for each in lines:
            tag("p", each, "studio-quiet")
        if command:
            tag("pre", command, "studio-command", tabindex=0)


def call_summary(notes: Iterable[str], summary: str, run_id: object) -> None:
    """Draw the notes on a call's answer, and a summary with a link to its run."""
    for note in notes:
        tag("p", note, "studio-note", role="note", dir="auto")
    with ui.element("p").classes("studio-row"):
        tag("span", summary, "studio-quiet")
        ui.link("its run", f"/run/{run_id}")


MAX_TEXT = 20_000
"""Displayed characters of one text."""


def prose(text: str, *, longest: int = MAX_TEXT) -> None:
    """Draw a text with its line breaks; a truncation is stated."""
    tag("div", text[:longest], "studio-prose", dir="auto")
    _cut(text, longest)


def code(text: str, label: str, *, longest: int = MAX_TEXT) -> None:
    """Draw preformatted text in a frame that can be scrolled by keyboard."""
    tag("pre", text[:longest], "studio-code", tabindex=0, role="region", aria_label=label)
    _cut(text, longest)


def _cut(text: str, longest: int) -> None:
    if len(text) > longest:
        lines = f"Cut: the first {longest:,} of {len(text):,} characters."
        tag("p", lines, "studio-quiet studio-small")


def moment(at: datetime) -> str:
    """Return a time in UTC to the second, in readable form."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def short_moment(at: datetime) -> str:
    """Return a time in UTC to the minute."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


Fact = str | tuple[str, str] | None
"""A text, or a text with its link; None is omitted."""


def facts(values: Mapping[str, Fact]) -> None:
    """Draw names and values."""
    with ui.element("dl").classes("studio-facts"):
        for name, value in values.items():
            if value is not None:
                _fact(name, value)


def _fact(name: str, value: str | tuple[str, str]) -> None:
    with ui.element("div"):
        tag("dt", name)
        if isinstance(value, str):
            tag("dd", value, dir="auto")
            return
        with ui.element("dd"):
            ui.link(visible(value[0]), value[1])


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        href: the link.
        look: classes, such as `studio-quiet`.
        mark: the tone of a mark: `good`, `warn`, `wrong`, `own` or `quiet`, with `busy` if active.
        draw: draws the content instead of the text, such as a button.
    """

    text: str
    href: str | None = None
    look: str = ""
    mark: str | None = None
    draw: Callable[[], None] | None = None


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell | str]]) -> None:
    """Draw a table; headings that begin with `#` are for numbers."""
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
                    for cell, head, look in zip(row, heads, looks, strict=True):
                        _cell(cell if isinstance(cell, Cell) else Cell(cell), head, look)


def _cell(cell: Cell, head: str, look: str) -> None:
    nothing = "studio-none" if cell.text == "–" else ""
    look, label = f"{look} {cell.look} {nothing}".strip(), head.removeprefix("#")
    if cell.href is None and cell.mark is None and cell.draw is None:
        with tag("td", "", look, data_label=label):
            tag("span", cell.text, dir="auto")
        return
    with tag("td", "", look, data_label=label):
        if cell.draw is not None:
            cell.draw()
        elif cell.href is not None:
            ui.link(visible(cell.text), cell.href)
        else:
            mark(cell.text, str(cell.mark))


def mark(text: str, tone: str) -> None:
    """Draw a framed status word."""
    tag("span", text, f"studio-mark {tone}")
