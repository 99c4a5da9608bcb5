"""`/ponder` and `/ponder/{id}`: runs of four streams, their exchanges and conclusions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from reasonloom.errors import RunNotFound
from reasonloom.server.apps.views import read_streams
from reasonloom.stores import overview
from reasonloom.stores.runs import run_lists
from reasonloom.stores.runs.run_lists import ListedPonder
from reasonloom.stores.runs.runs import RunRow
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.runs.run_parts import TONES
from reasonloom.studio.widgets.elements import (
    Cell,
    drawing,
    empty_state,
    facts,
    heading,
    prose,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.forms import PAGE_SIZE, page_offset, paging
from reasonloom.studio.widgets.live import Live, Region
from reasonloom.text.shortening import shortened

FIRST = 'reasonloom call ponder \'{"problem": "Should we move to a new database?"}\''
LONGEST = 120


async def build_list(visit: Visit) -> None:
    """Draw the list."""
    async with visit.context.begin() as tx:
        total = await run_lists.ponder_count(tx)
        rows = await run_lists.ponder_page(tx, PAGE_SIZE, page_offset(visit))
    heading("Ponder", "Four streams think side by side, and answer each other.")
    if not total:
        empty_state("No ponder runs yet", "The tool ponder starts one:", command=FIRST)
        return
    heads = ("problem", "status", "llm", "#insights", "#conflicts", "when")
    table(f"{total:,} in total, newest first. Times are UTC.", heads, map(_list_row, rows))
    paging(visit, "/ponder", total)


def _list_row(row: ListedPonder) -> tuple[Cell | str, ...]:
    return (
        Cell(shortened(row.problem, LONGEST) or "(taken out)", href=f"/ponder/{row.id}"),
        Cell(row.status, mark=TONES.get(row.status, "quiet")),
        row.llm or "–",
        f"{row.insights:,}",
        f"{row.conflicts:,}",
        Cell(short_moment(row.created_at), look="studio-quiet"),
    )


PONDER_RUNS = StudioPage("/ponder", "Ponder", "thought", build_list, "/ponder", icon="view_column")

GONE = "What each stream said is no longer stored; its result is below."


async def build_run(visit: Visit) -> None:
    """Draw the run, redrawn as it is recorded."""
    wanted = visit.uuid(RunNotFound)
    region = Region()

    async def draw() -> None:
        context = visit.context
        row, state = await read_streams(await context.engine(), await context.caller(), wanted)
        with region.anew():
            _draw(row, state)

    await Live(partial(visit.context.read, overview.run_mark, wanted), draw).begin()


def _draw(row: RunRow, state: Mapping[str, Any]) -> None:
    answer = (row.output or {}).get("answer", {})
    heading("Ponder", shortened(str(row.input.get("problem", "")), 240))
    facts(
        {
            "Status": row.status,
            "Language model": row.llm or "none",
            "Quarters or rounds": _text(answer.get("quarters")),
            "Ended because": answer.get("stoppedBecause"),
            "Confidence": _text(answer.get("confidence")),
            "Quality": _text(answer.get("quality")),
            "Run": ("open", f"/run/{row.id}"),
        }
    )
    _conclusion(answer)
    _insights(answer.get("insights") or [])
    _conflicts(answer.get("conflicts") or [])
    _streams(state, answer)


def _text(value: object) -> str | None:
    return None if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _conclusion(answer: Mapping[str, Any]) -> None:
    if not answer.get("conclusion"):
        tag("p", "It has no conclusion yet.", "studio-quiet")
        return
    with ui.element("section").classes("studio-card"):
        tag("h2", "Conclusion")
        prose(str(answer["conclusion"]))


def _insights(found: Sequence[Any]) -> None:
    rows = [each for each in found if isinstance(each, dict)]
    if not rows:
        return
    tag("h2", "Insights, and where each came from")
    table(
        "The most important first: importance times confidence.",
        ("insight", "from", "#important", "#sure"),
        [
            (
                _with_end(each["content"], "withdrawn", each),
                ", ".join(each["sources"]),
                f"{each['importance']:.2f}",
                f"{each['confidence']:.2f}",
            )
            for each in rows
        ],
    )


def _conflicts(found: Sequence[Mapping[str, Any]]) -> None:
    tag("h2", "Conflicts")
    if not found:
        tag("p", "None.", "studio-quiet")
    for each in found:
        with ui.element("section").classes("studio-card studio-conflict"):
            tag("h3", f"{' against '.join(each['sourceStreams'])}, severity {each['severity']:.2f}")
            prose(_with_end(each["description"], "resolved", each))
            with ui.element("ul").classes("studio-list"):
                for evidence in each["evidence"]:
                    tag("li", evidence, dir="auto")


def _with_end(text: str, name: str, values: Mapping[str, Any]) -> str:
    """Return a text with its outcome in the deliberation, if it has one."""
    return f"{text} ({name}: {values[name]})" if values.get(name) else text


def _streams(state: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    tag("h2", "The streams")
    quarters = state.get("said") or []
    if quarters:
        brief = state["brief"]
        names, rounds = brief["streams"], bool(brief.get("retracts"))
        drawing("loom-streams", {"names": names, "quarters": quarters, "rounds": rounds})
        return
    tag("p", GONE, "studio-quiet")
    with ui.element("div").classes("studio-streams"):
        for each in answer.get("streams") or []:
            with ui.element("section").classes(f"studio-stream {each['stream']}"):
                tag("h4", each["stream"])
                prose(each["conclusion"])


PONDER_RUN = StudioPage("/ponder/{id}", "Ponder", "thought", build_run, "/ponder")
