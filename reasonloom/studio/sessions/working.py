"""What runs at work have had answered so far, before they store anything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.widgets.elements import mark
from reasonloom.studio.widgets.invisible import seen
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.stores.runs.at_work import AnsweredCall

LONGEST = 120


def working(calls: Sequence[AnsweredCall]) -> None:
    """Draw each run at work with the calls that were answered, as they come."""
    for run, group in groupby(calls, lambda call: (call.run_id, call.tool)):
        answered = [call for call in group if call.node is not None]
        with ui.element("section").classes("studio-working").props("role=status"):
            with ui.element("div").classes("studio-row"):
                mark("at work", "own busy")
                ui.link(seen(run[1]), f"/run/{run[0]}")
                tag("span", f"{len(answered):,} answered", "studio-quiet")
            with ui.element("ol").classes("studio-list"):
                for call in answered:
                    said = shortened(call.reply or "", LONGEST)
                    tag("li", f"{call.node}, {call.prompt} v{call.version}: {said}", dir="auto")
