"""What stands where there is nothing: why, and what to type next."""

from __future__ import annotations

from nicegui import ui

from reasonloom.studio.widgets.tag import tag


def empty(title: str, *said: str, command: str | None = None) -> None:
    """Say that there is nothing here, and what would change it."""
    with ui.element("section").classes("studio-empty"):
        tag("h2", title)
        for each in said:
            tag("p", each, "studio-quiet")
        if command:
            tag("pre", command, "studio-command", tabindex=0)
