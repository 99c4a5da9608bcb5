"""Facts in two columns: what it is, and its value."""

from __future__ import annotations

from collections.abc import Mapping

from nicegui import ui

from reasonloom.studio.widgets.invisible import seen
from reasonloom.studio.widgets.tag import tag

Fact = str | tuple[str, str] | None
"""A value as text, or a text with the address that it leads to; None is left out."""


def facts(values: Mapping[str, Fact]) -> None:
    """Show names and values."""
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
            ui.link(seen(value[0]), value[1])
