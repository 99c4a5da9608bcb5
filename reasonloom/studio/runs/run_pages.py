"""`/run/{id}`: one run as a waterfall, with its calls, its answer, and a way to fork it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from nicegui import ui

from reasonloom.errors import RunNotFound
from reasonloom.stores import marks
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import made_and_used, run_lineage, runs
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.runs.forked import forked_from
from reasonloom.studio.runs.forks import forking
from reasonloom.studio.runs.memory_links import memory_links
from reasonloom.studio.runs.run_parts import calls_shown
from reasonloom.studio.runs.run_rows import TONES
from reasonloom.studio.runs.waterfall import bars_of, waterfall
from reasonloom.studio.widgets.elements import mark
from reasonloom.studio.widgets.facts import facts
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.live import Live
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import code, moment

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.runs.made_and_used import Touched
    from reasonloom.stores.runs.run_lineage import RunStep
    from reasonloom.stores.runs.runs import RunRow


@dataclass(frozen=True, slots=True)
class WholeRun:
    """A run with all that is kept of it; `origin` is the run that it is a fork of."""

    row: RunRow
    calls: list[dict[str, Any]]
    steps: list[RunStep]
    memories: list[Touched]
    origin: RunRow | None


async def build(visit: Visit) -> None:
    """Draw the run, which follows what is recorded of it."""
    wanted = parse_uuid(visit.id)
    if wanted is None:
        raise RunNotFound(visit.id)
    region = Region()

    async def marked() -> marks.Mark:
        async with visit.desk.begin() as tx:
            return await marks.of_run(tx, wanted)

    async def draw() -> None:
        async with visit.desk.begin() as tx:
            whole = await _read(tx, wanted)
        may_fork = bool(whole.steps) and await visit.desk.may_write()
        with region.anew():
            await _draw(visit, whole, may_fork=may_fork)

    await Live(marked, draw).begin()


async def _read(tx: Transaction, run_id: UUID) -> WholeRun:
    row = await runs.find(tx, run_id)
    if row is None or row.space != tx.space:
        raise RunNotFound(str(run_id))
    origin = parse_uuid((row.fork or {}).get("origin", ""))
    return WholeRun(
        row,
        (await runs.calls_of(tx, [run_id]))[run_id],
        await run_lineage.steps(tx, run_id),
        await made_and_used.of_run(tx, run_id),
        await runs.find(tx, origin) if origin else None,
    )


async def _draw(visit: Visit, whole: WholeRun, *, may_fork: bool) -> None:
    row = whole.row
    heading(f"Run of {row.tool}")
    _facts(whole)
    if bars := bars_of(whole.steps, whole.calls):
        with ui.element("section").classes("studio-card"):
            tag("h2", "What took the time")
            waterfall(bars)
    if whole.origin is not None:
        forked_from(whole.origin, row)
    with ui.element("div").classes("studio-columns"):
        with ui.element("section").classes("studio-card"):
            _values(row)
        with ui.element("section").classes("studio-card"):
            tag("h2", f"Calls of a language model: {len(whole.calls):,}")
            calls_shown(whole.calls)
            memory_links(whole.memories)
            if may_fork:
                await forking(visit, row, whole.steps, whole.calls)


def _facts(whole: WholeRun) -> None:
    row, costs = whole.row, [call["cost_usd"] for call in whole.calls]
    known = [cost for cost in costs if cost is not None]
    tokens = sum(call["tokens_in"] + call["tokens_out"] for call in whole.calls)
    mark(row.status, TONES.get(row.status, "quiet"))
    facts(
        {
            "Graph": f"{row.graph} version {row.graph_version}",
            "Language model": row.llm or "none",
            "Took": None if row.latency_ms is None else f"{row.latency_ms:,.0f} ms",
            "Tokens": f"{tokens:,}",
            "Cost": f"${sum(known):.5f}" if len(known) == len(costs) else "not known of every call",
            "Begun": moment(row.created_at),
            "Client": row.client,
            "Session": ("open", f"/session/{row.session_id}") if row.session_id else None,
        }
    )


def _values(row: RunRow) -> None:
    for title, value in (("Error", row.error), ("Answer", row.output), ("Input", row.input)):
        if value is not None:
            tag("h2", title)
            shown = value.get("answer", value)
            code(json.dumps(shown, ensure_ascii=False, indent=2), title)
            for note in value.get("notes") or []:
                tag("p", f"Note: {note}", "studio-quiet", dir="auto")


PAGE = StudioPage("/run/{id}", "Run", "all", build, "/runs")
