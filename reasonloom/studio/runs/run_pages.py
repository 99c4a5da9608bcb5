"""`/runs` and `/run/{id}`: the list, and one run with its waterfall, calls and answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from nicegui import ui

from reasonloom.errors import RunNotFound
from reasonloom.stores import overview
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import questions, run_lineage, run_lists, runs
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.run_lineage import RunMemory, RunStep
from reasonloom.stores.runs.run_lists import ListedRun
from reasonloom.stores.runs.runs import RunRow
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.runs.answers import answer_form
from reasonloom.studio.runs.forks import fork_comparison, fork_form
from reasonloom.studio.runs.run_parts import TONES, draw_calls, memory_links
from reasonloom.studio.runs.waterfall import bars_of, waterfall
from reasonloom.studio.widgets.elements import (
    Cell,
    code,
    empty_state,
    facts,
    heading,
    mark,
    moment,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.forms import PAGE_SIZE, choice, form, page_offset, paging
from reasonloom.studio.widgets.live import Live, Region

EVERY = 1.0
FIRST = 'reasonloom call recall \'{"userId": "me", "query": "bees"}\''


async def build_runs(visit: Visit) -> None:
    """Draw the filters and the list, which is updated with new runs."""
    tool, status = visit.query.get("tool", ""), visit.query.get("status", "")
    tools = await visit.context.read(run_lists.tools)
    heading("Runs", "Each call of a tool is a run: what went in, what it asked, what came out.")
    with form("/runs", "Choose runs"):
        choice("tool", "Tool", tool, {"": "every tool", **{name: name for name in tools}})
        choice("status", "Status", status, {"": "any", **{name: name for name in TONES}})
    region = Region()

    async def draw() -> None:
        async with visit.context.begin() as tx:
            total = await run_lists.count(tx, tool, status)
            rows = await run_lists.page(tx, tool, status, PAGE_SIZE, page_offset(visit))
        with region.anew():
            _list(visit, rows, total, chosen=bool(tool or status))

    await Live(partial(visit.context.read, overview.runs_mark), draw, every=EVERY).begin()


def _list(visit: Visit, rows: Sequence[ListedRun], total: int, *, chosen: bool) -> None:
    if not total and chosen:
        empty_state("No such run", "Choose another tool or status.")
        return
    if not total:
        empty_state("No runs yet", "Any call of a tool is one:", command=FIRST)
        return
    heads = ("tool", "status", "llm", "#calls", "#tokens", "#cost", "#ms", "begun")
    table(f"{total:,} in all, the newest first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/runs", total)


def _row(row: ListedRun) -> tuple[Cell | str, ...]:
    return (
        Cell(f"{row.tool}{' (fork)' if row.origin else ''}", href=f"/run/{row.id}"),
        Cell(row.status, mark=TONES.get(row.status, "quiet")),
        row.llm or "–",
        f"{row.calls:,}",
        f"{row.tokens:,}" if row.tokens else "–",
        "–" if row.usd is None else f"${row.usd:.4f}",
        "–" if row.latency_ms is None else f"{row.latency_ms:,.0f}",
        Cell(short_moment(row.created_at), look="studio-quiet"),
    )


RUNS = StudioPage("/runs", "Runs", "all", build_runs, "/runs", icon="route")


@dataclass(frozen=True, slots=True)
class RunDetails:
    """A run with its calls, steps, memories and open questions; `origin` is set for a fork."""

    row: RunRow
    calls: list[dict[str, Any]]
    steps: list[RunStep]
    memories: list[RunMemory]
    questions: list[QuestionRow]
    origin: RunRow | None


async def build_run(visit: Visit) -> None:
    """Draw the run, redrawn as it is recorded."""
    wanted = visit.uuid(RunNotFound)
    region = Region()

    async def draw() -> None:
        whole = await visit.context.read(_read, wanted)
        may_write = bool(whole.steps) and await visit.context.may_write()
        with region.anew():
            await _draw(visit, whole, may_write=may_write)

    await Live(partial(visit.context.read, overview.run_mark, wanted), draw).begin()


async def _read(tx: Transaction, run_id: UUID) -> RunDetails:
    row = await runs.find(tx, run_id)
    if row is None or row.space != tx.space:
        raise RunNotFound(str(run_id))
    origin = parse_uuid((row.fork or {}).get("origin", ""))
    return RunDetails(
        row,
        (await runs.calls_of(tx, [run_id]))[run_id],
        await run_lineage.steps(tx, run_id),
        await run_lineage.memories_of_run(tx, run_id),
        [each for each in await questions.of_run(tx, run_id) if each.status == questions.OPEN],
        await runs.find(tx, origin) if origin else None,
    )


async def _draw(visit: Visit, whole: RunDetails, *, may_write: bool) -> None:
    row = whole.row
    heading(f"Run of {row.tool}")
    _facts(whole)
    if may_write and row.status == runs.WAITING and whole.questions:
        with ui.element("section").classes("studio-card"):
            await answer_form(visit, row, whole.questions)
    if bars := bars_of(whole.steps, whole.calls):
        with ui.element("section").classes("studio-card"):
            tag("h2", "What took the time")
            waterfall(bars)
    if whole.origin is not None:
        fork_comparison(whole.origin, row)
    with ui.element("div").classes("studio-columns"):
        with ui.element("section").classes("studio-card"):
            _values(row)
        with ui.element("section").classes("studio-card"):
            tag("h2", f"Calls of a language model: {len(whole.calls):,}")
            draw_calls(whole.calls)
            memory_links(whole.memories)
            if may_write:
                await fork_form(visit, row, whole.steps, whole.calls)


def _facts(whole: RunDetails) -> None:
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
            content = value.get("answer", value)
            code(json.dumps(content, ensure_ascii=False, indent=2), title)
            for note in value.get("notes") or []:
                tag("p", f"Note: {note}", "studio-quiet", dir="auto")


RUN = StudioPage("/run/{id}", "Run", "all", build_run, "/runs")
