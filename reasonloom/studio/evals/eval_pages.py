"""`/evals`: the runs of evals with their scores and intervals, and two held against each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.evals.reporting.saved_runs import names, shelved
from reasonloom.studio.eval_folder import eval_folder
from reasonloom.studio.evals.interval import interval
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.elements import mark
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import choice, form
from reasonloom.studio.widgets.forms import paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.live import Live
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.evals.reporting.saved_runs import Shelved

SIZE = 12
EVERY = 1.0
MOST_SCORES = 4
FIRST = "reasonloom eval run grounding"


async def build(visit: Visit) -> None:
    """Draw the runs, which follow what is written to their files."""
    folder = await eval_folder(visit.desk)
    heading("Evals", "Each run of an eval with its scores and their 95 % intervals.")
    _compare(names(folder))
    region = Region()

    async def marked() -> list[tuple[str, float]]:
        return [(name, (folder / name).stat().st_mtime) for name in names(folder)]

    async def draw() -> None:
        known = names(folder)
        start = skipped(visit, SIZE)
        shown = known[start : start + SIZE]
        rows = await asyncio.gather(*(asyncio.to_thread(_summed, folder, each) for each in shown))
        with region.anew():
            _list(visit, rows, len(known))

    await Live(marked, draw, every=EVERY).begin()


def _summed(folder: Path, name: str) -> Shelved:
    return shelved(folder / name)


def _compare(known: Sequence[str]) -> None:
    if len(known) < 2:  # noqa: PLR2004 - a pair
        return
    options = {name: name for name in known[:200]}
    with form("/evals/compare", "Compare two runs", button="Compare"):
        choice("base", "Base", known[1], options)
        choice("other", "Held against it", known[0], options)


def _list(visit: Visit, rows: Sequence[Shelved], total: int) -> None:
    if not total:
        empty("No eval was run yet", "One that needs no language model:", command=FIRST)
        return
    with ui.element("ul").classes("studio-runs"):
        for row in rows:
            with ui.element("li").classes("studio-card"):
                _run(row)
    paging(visit, "/evals", total, SIZE)


def _run(row: Shelved) -> None:
    with ui.element("div").classes("studio-row"):
        ui.link(row.name, f"/eval/{row.name}")
        if row.of:
            busy = row.done < row.of
            mark(f"{row.done:,} of {row.of:,}", "own" if busy else "good")
        tag("span", short_moment(datetime.fromtimestamp(row.changed, UTC)), "studio-quiet")
        if row.usd:
            tag("span", f"${row.usd:.4f}", "studio-quiet")
    if row.of and row.done < row.of:
        bar = tag("progress", "", "", value=row.done, max=row.of)
        bar.props["aria-label"] = f"{row.done} of {row.of} answers"
    for name, score in list(row.scores.items())[:MOST_SCORES]:
        interval(name, score)
    if not row.scores:
        tag("p", "Nothing of it can be summed up here.", "studio-quiet studio-small")


PAGE = StudioPage("/evals", "Evals", "all", build, "/evals", icon="query_stats")
