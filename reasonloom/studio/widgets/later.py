"""What takes a while is drawn after its page is seen; until then a word stands in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from reasonloom.errors import ReasonloomError
from reasonloom.studio.widgets.invisible import seen
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.tag import tag


def later(load: Callable[[], Awaitable[Callable[[], None]]], word: str = "drawing…") -> None:
    """Call `load` once the page is seen, and draw what it gives; a fault is told in its place."""
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
    """Tell that something which was asked for could not be done."""
    ui.notify(seen(error.message), type="negative", close_button="close")
