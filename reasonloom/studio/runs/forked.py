"""A fork beside the run that it was forked from: both answers, and how they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.nodes.runs.answer_diff import difference, said
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.stores.runs.runs import RunRow

LOOKS = {"+": "new", "-": "gone", "@": "place"}
MOST = 400
"""Lines of a difference."""


def forked_from(origin: RunRow, fork: RunRow) -> None:
    """Draw both side by side."""
    how = fork.fork or {}
    prompts = ", ".join(f"{name} v{version}" for name, version in how.get("prompts", {}).items())
    with ui.element("section").classes("studio-card"):
        tag("h2", f"Forked at {how.get('at')}, with {prompts or 'the same prompts'}")
        with ui.element("div").classes("studio-halves"):
            _half("Origin", origin)
            _half("This fork", fork)
        tag("h3", "Difference")
        _difference(origin, fork)


def _half(title: str, row: RunRow) -> None:
    with ui.element("div"):
        with tag("h3", ""):
            ui.link(f"{title}: {row.status}", f"/run/{row.id}")
        lines = said((row.output or {}).get("answer"))
        for line in lines or ["It has no answer."]:
            tag("p", line, "studio-prose", dir="auto")


def _difference(origin: RunRow, fork: RunRow) -> None:
    both = [(row.output or {}).get("answer") for row in (origin, fork)]
    lines = difference(*both)
    if not lines:
        tag("p", "None: both say the same.", "studio-quiet")
        return
    frame = tag("pre", "", "studio-code", tabindex=0, role="region", aria_label="Difference")
    with frame:
        for line in lines[:MOST]:
            tag("span", f"{line}\n", f"studio-line {LOOKS.get(line[:1], '')}", dir="auto")
    if len(lines) > MOST:
        tag("p", f"{len(lines) - MOST:,} lines more are not shown.", "studio-quiet")
