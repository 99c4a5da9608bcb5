"""`/runs` and `/run/{id}`: the list, and one run with its waterfall, calls and answer."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from nicegui import ui

from reasonloom.errors import RunNotFound
from reasonloom.server.catalogue.selection import ANSWERS
from reasonloom.server.envelopes.prose import Prose
from reasonloom.server.envelopes.shape import shape_of
from reasonloom.stores import overview
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import questions, run_lineage, run_lists, runs
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.run_lineage import RunMemory, RunStep
from reasonloom.stores.runs.run_lists import ListedRun, RunFilter, RunTotal
from reasonloom.stores.runs.runs import RunRow
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.runs.answers import answer_form
from reasonloom.studio.runs.forks import fork_form, run_comparison
from reasonloom.studio.runs.run_parts import TONES, draw_calls, memory_links, run_filter
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
from reasonloom.studio.widgets.forms import PAGE_SIZE, choice, field, form, page_offset, paging
from reasonloom.studio.widgets.live import Live, Region
from reasonloom.text.shortening import shortened

EVERY = 1.0
EXCERPT = 70
FIRST = 'reasonloom call recall \'{"userId": "me", "query": "bees"}\''


async def build_runs(visit: Visit) -> None:
    """Draw the filters and the list, which is updated with new runs."""
    chosen = run_filter(visit)
    totals = await visit.context.read(run_lists.totals)
    heading("Runs", "Each call of a tool is a run, with its input, its model calls and its answer.")
    with form("/runs", "Filter runs"):
        field("q", "Words of the input", chosen.words, search=True)
        choice("tool", "Tool", chosen.tool, _options("every tool", totals, "tool"))
        choice("status", "Status", chosen.status, _options("any status", totals, "status"))
    region = Region()

    async def draw() -> None:
        async with visit.context.begin() as tx:
            total = await run_lists.count(tx, chosen)
            rows = await run_lists.page(tx, chosen, PAGE_SIZE, page_offset(visit))
        with region.anew():
            _list(visit, rows, total, filtered=any(chosen))

    await Live(partial(visit.context.read, overview.runs_mark), draw, every=EVERY).begin()


def _options(every: str, totals: Sequence[RunTotal], field_name: str) -> dict[str, str]:
    """Return the values of a filter with the number of runs of each."""
    counts: Counter[str] = Counter()
    for each in totals:
        counts[getattr(each, field_name)] += each.runs
    named = {name: f"{name} ({count:,})" for name, count in sorted(counts.items())}
    return {"": f"{every} ({counts.total():,})", **named}


def _list(visit: Visit, rows: Sequence[ListedRun], total: int, *, filtered: bool) -> None:
    if not total and filtered:
        empty_state("No run matches", "Choose another tool or status, or fewer words.")
        return
    if not total:
        empty_state("No runs yet", "Call a tool:", command=FIRST)
        return
    heads = ("tool", "input", "status", "llm", "#calls", "#tokens", "#cost", "#ms", "started")
    table(f"{total:,} runs, newest first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/runs", total, export="runs")


def _row(row: ListedRun) -> tuple[Cell | str, ...]:
    return (
        Cell(f"{row.tool}{' (fork)' if row.origin else ''}", href=f"/run/{row.id}"),
        Cell(shortened(row.subject, EXCERPT) or "–", look="studio-roomy"),
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
    row = await _one(tx, str(run_id))
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
            tag("h2", "Timeline")
            waterfall(bars)
    if whole.origin is not None:
        run_comparison(whole.origin, row)
    with ui.element("div").classes("studio-columns"):
        with ui.element("section").classes("studio-card"):
            _values(row)
        with ui.element("section").classes("studio-card"):
            tag("h2", f"Calls of a language model: {len(whole.calls):,}")
            draw_calls(whole.calls)
            memory_links(whole.memories)
            if may_write:
                await fork_form(visit, row, whole.steps, whole.calls)
    await _compare_form(visit, row)


def _facts(whole: RunDetails) -> None:
    row, costs = whole.row, [call["cost_usd"] for call in whole.calls]
    known = [cost for cost in costs if cost is not None]
    tokens = sum(call["tokens_in"] + call["tokens_out"] for call in whole.calls)
    mark(row.status, TONES.get(row.status, "quiet"))
    facts(
        {
            "Graph": f"{row.graph} version {row.graph_version}",
            "Language model": row.llm or "none",
            "Took": _took(row),
            "Tokens": f"{tokens:,}",
            "Cost": f"${sum(known):.5f}" if len(known) == len(costs) else "unknown for some calls",
            "Started": moment(row.created_at),
            "Client": row.client,
            "Session": ("open", f"/session/{row.session_id}") if row.session_id else None,
        }
    )


MOST_ANSWER = 4_000
"""Characters of an answer's text; its JSON has all of it."""

MOSTLY_WORK = 1.1
"""Ratio of the time from start to end to that of the work, up to which only the latter is given."""


def _took(row: RunRow) -> str | None:
    """Return how long a run worked, and how long it lasted if it also waited."""
    if row.latency_ms is None:
        return None
    work = f"{row.latency_ms:,.0f} ms"
    if row.finished_at is None:
        return work
    lasted = (row.finished_at - row.created_at) / timedelta(milliseconds=1)
    waited = lasted > MOSTLY_WORK * row.latency_ms + 1
    return f"{lasted:,.0f} ms, of which {work} at work" if waited else work


def _values(row: RunRow) -> None:
    for title, value in (("Error", row.error), ("Answer", row.output), ("Input", row.input)):
        if value is not None:
            tag("h2", title)
            content = value.get("answer", value)
            model = ANSWERS.get(row.tool) if title == "Answer" and "answer" in value else None
            if model is not None:
                text = Prose(ANSWERS).write(shape_of(model), content)
                tag("p", text[:MOST_ANSWER], "studio-answer", dir="auto")
                tag("h3", "As JSON")
            code(json.dumps(content, ensure_ascii=False, indent=2), title)
            for note in value.get("notes") or []:
                tag("p", f"Note: {note}", "studio-quiet", dir="auto")


MOST_OTHERS = 100


async def _compare_form(visit: Visit, row: RunRow) -> None:
    """Draw a choice of other runs of the same tool."""
    others = await visit.context.read(run_lists.page, RunFilter(tool=row.tool), MOST_OTHERS, 0)
    names = {
        str(each.id): f"{short_moment(each.created_at)} {shortened(each.subject, 60)}"
        for each in others
        if each.id != row.id
    }
    if names:
        with form("/runs/compare", "Compare with another run", button="Compare"):
            tag("input", name="a", type="hidden", value=str(row.id))
            choice("b", "Compare with", next(iter(names)), names)


async def build_run_comparison(visit: Visit) -> None:
    """Draw two runs next to each other, and how their answers differ."""
    heading("Compare runs")
    run_comparison(*[await visit.context.read(_one, visit.text(name)) for name in ("a", "b")])


async def _one(tx: Transaction, given: str) -> RunRow:
    wanted = parse_uuid(given)
    row = await runs.find(tx, wanted) if wanted else None
    if row is None or row.space != tx.space:
        raise RunNotFound(given)
    return row


RUN_COMPARISON = StudioPage("/runs/compare", "Compare runs", "all", build_run_comparison, "/runs")
RUN = StudioPage("/run/{id}", "Run", "all", build_run, "/runs")
