"""A button that asks first: what it does happens after a second press, in a dialog."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from reasonloom.errors import ReasonloomError
from reasonloom.studio.widgets.later import notify
from reasonloom.studio.widgets.tag import tag


def confirm(
    label: str,
    title: str,
    said: str,
    do: Callable[[], Awaitable[None]],
    *,
    danger: bool = False,
) -> None:
    """Draw the button; `said` tells before it is done what it will change."""
    with ui.dialog() as dialog, ui.element("div").classes("studio-card studio-dialog"):
        tag("h2", title)
        tag("p", said)
        with ui.element("div").classes("studio-row"):
            keep = tag("button", "Cancel", "studio-button", type="button", autofocus=True)
            look = "studio-button danger" if danger else "studio-button first"
            sure = tag("button", label.rstrip("…"), look, type="button")
    dialog.props["aria-label"] = title
    keep.on("click", dialog.close)

    async def done() -> None:
        dialog.close()
        try:
            await do()
        except ReasonloomError as error:
            notify(error)

    sure.on("click", done)
    button = tag("button", label, f"studio-button{' danger' if danger else ''}", type="button")
    button.on("click", dialog.open)
