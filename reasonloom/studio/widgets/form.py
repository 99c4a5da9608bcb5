"""Forms that ask by address: what was searched for can be linked to, and works by keyboard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nicegui import ui

from reasonloom.studio.place import BASE
from reasonloom.studio.widgets.tag import tag

LONGEST = 500
"""Characters of a field."""


@contextmanager
def form(path: str, label: str, *, button: str = "Show") -> Iterator[None]:
    """Stand around fields that are sent as what follows the `?` of an address."""
    frame = ui.element("form").classes("studio-form")
    frame.props.update(
        {"method": "get", "role": "search", "action": f"{BASE}{path}", "aria-label": label}
    )
    with frame:
        yield
        tag("button", button, "studio-button", type="submit")


def field(name: str, label: str, value: str, *, search: bool = False, hint: str = "") -> None:
    """Draw a field of text; `search` is the one that the key `/` leads to."""
    with tag("label", label):
        kind = "search" if search else "text"
        drawn = tag("input", name=name, type=kind, placeholder=hint, maxlength=LONGEST)
        # As a property it would be set again by each redraw, over what is being typed.
        drawn.props["^value"] = value


def choice(name: str, label: str, value: str, options: Mapping[str, str]) -> None:
    """Draw a choice among values, each with the words that stand for it."""
    with tag("label", label), ui.element("select").props(f"name={name}"):
        for each, words in options.items():
            chosen = {"selected": True} if each == value else {}
            tag("option", words, value=each, **chosen)
