"""Regions that are drawn later or redrawn, and confirmation dialogs."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from nicegui import ui

from reasonloom.errors import ReasonloomError
from reasonloom.studio.widgets.elements import tag, visible

DETAIL = "(event) => emit(event.detail)"
"""Passes on the detail of an event of an element that draws."""


class Region:
    """A container that can be redrawn, created in the current place of the page."""

    def __init__(self, look: str = "studio-stack") -> None:
        self._box = ui.element("div").classes(look)

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Clear the region, and draw into it."""
        self._box.clear()
        with self._box:
            yield


def deferred(load: Callable[[], Awaitable[Callable[[], None]]], word: str = "drawing…") -> None:
    """Call `load` once the page is displayed, and draw its result, or the error instead."""
    region = Region()
    with region.anew():
        tag("p", word, "studio-quiet studio-waiting", role="status")

    async def run() -> None:
        try:
            draw = await load()
        except ReasonloomError as error:
            with region.anew():
                tag("p", f"This could not be shown: {error.message}", "studio-away", role="alert")
            return
        with region.anew():
            draw()

    ui.timer(0, run, once=True)


def notify(error: ReasonloomError) -> None:
    """Show an error as a notification."""
    ui.notify(visible(error.message), type="negative", close_button="close")


log = logging.getLogger(__name__)
POLL_SECONDS = 0.1
"""Seconds between polls: a step must be visible within 300 ms of its commit."""

M = TypeVar("M")


class Live(Generic[M]):
    """Polls `mark` while the page is open, and calls `draw` when it changes.

    Nothing is polled while no browser is connected. A failed poll is reported above the region,
    which retains its content, and is retried.
    """

    def __init__(
        self,
        mark: Callable[[], Awaitable[M]],
        draw: Callable[[], Awaitable[None]],
        *,
        every: float = POLL_SECONDS,
    ) -> None:
        self._mark = mark
        self._draw = draw
        self._last_mark: M | None = None
        self._status = ui.label().classes("studio-away").props("role=status")
        self._status.visible = False
        self._timer = ui.timer(every, self._poll, immediate=False)

    async def begin(self) -> None:
        """Draw for the first time, while the page is built.

        Raises:
            ReasonloomError: the data cannot be read; the frame displays the error.
        """
        self._last_mark = await self._mark()
        await self._draw()

    async def _poll(self) -> None:
        if not self._status.client.has_socket_connection:
            return
        try:
            mark = await self._mark()
            if mark != self._last_mark:
                await self._draw()
                self._last_mark = mark
        except ReasonloomError as error:
            self._status.text = f"Not up to date: {error.message}"
            self._status.visible = True
        else:
            self._status.visible = False


def action_button(label: str, do: Callable[[], Awaitable[str | None]]) -> None:
    """Draw a button, disabled while `do` runs, and above it the problem that `do` returns."""
    problem = tag("p", "", "studio-away", role="alert")
    button = tag("button", label, "studio-button first", type="button")

    async def pressed() -> None:
        button.props["disabled"] = True
        problem.text = ""
        try:
            if found := await do():
                problem.text = found
        except ReasonloomError as error:
            problem.text = error.message
        finally:
            button.props["disabled"] = False

    button.on("click", pressed)


def text_dialog(
    label: str, title: str, text: str, do: Callable[[str], Awaitable[None]], *, hint: str = ""
) -> None:
    """Draw a button; its dialog has a text to change, and `do` gets what was entered."""
    with ui.dialog() as dialog, ui.element("div").classes("studio-card studio-dialog"):
        tag("h2", title)
        if hint:
            tag("p", hint, "studio-quiet")
        entered = ui.textarea(value=text).props(f'autogrow outlined aria-label="{title}"')
        entered.classes("studio-select")
        problem = tag("p", "", "studio-away", role="alert")
        with ui.element("div").classes("studio-row"):
            cancel = tag("button", "Cancel", "studio-button", type="button")
            save = tag("button", "Save", "studio-button first", type="button")
    dialog.props["aria-label"] = title
    cancel.on("click", dialog.close)

    async def done() -> None:
        try:
            await do(str(entered.value or ""))
        except ReasonloomError as error:
            problem.text = visible(error.message)
        else:
            dialog.close()

    save.on("click", done)
    tag("button", label, "studio-button", type="button").on("click", dialog.open)


def confirm(
    label: str, title: str, warning: str, do: Callable[[], Awaitable[None]], *, danger: bool = False
) -> ui.element:
    """Draw and return the button; the dialog states in `warning` what will change."""
    with ui.dialog() as dialog, ui.element("div").classes("studio-card studio-dialog"):
        tag("h2", title)
        tag("p", warning)
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
    return button
