"""`/evals`, `/eval/{name}`, `/evals/compare`: eval runs with scores, reports, comparisons."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from reasonloom.evals.comparison.summary import is_simulated
from reasonloom.evals.reporting.report import MOMENT
from reasonloom.evals.reporting.saved_runs import SavedRun, path_in, run_names, saved_run
from reasonloom.studio.page_context import BASE_PATH, StudioPage, Visit, eval_folder
from reasonloom.studio.widgets.elements import empty_state, heading, mark, short_moment, tag
from reasonloom.studio.widgets.forms import choice, form, page_offset, paging
from reasonloom.studio.widgets.live import Live, Region


def interval(name: str, score: Mapping[str, Any]) -> None:
    """Draw one score; a score whose interval leaves 0 to 1 is drawn as text only."""
    low, high = score["interval"]
    mean = score["mean"]
    words = f"{mean:.3f} ({low:.3f} to {high:.3f}), n = {score['items']:,}"
    with tag("div", "", "studio-score"):
        tag("span", name, "studio-score-name")
        if low >= 0 and high <= 1:
            with tag("span", "", "studio-axis", aria_hidden="true"):
                wide = max(100 * (high - low), 0.6)
                tag("span", "", "studio-reach").style(f"left:{100 * low:.2f}%;width:{wide:.2f}%")
                tag("span", "", "studio-mean").style(f"left:{100 * mean:.2f}%")
        tag("span", words, "studio-number studio-small")


SIZE = 12
EVERY = 1.0
MOST_SCORES = 4
OTHERS = ("other", "other2", "other3")
"""Names of the runs in a comparison's address, next to the base."""

FIRST = "reasonloom eval run grounding"


async def build_evals(visit: Visit) -> None:
    """Draw the runs, redrawn as their files change."""
    folder = await eval_folder(visit.context)
    heading("Evals", "Each run of an eval with its scores and their 95 % intervals.")
    _compare(run_names(folder))
    region = Region()

    async def marked() -> list[tuple[str, float]]:
        return [(name, (folder / name).stat().st_mtime) for name in run_names(folder)]

    async def draw() -> None:
        known = run_names(folder)
        start = page_offset(visit, SIZE)
        page_names = known[start : start + SIZE]
        rows = await asyncio.gather(
            *(asyncio.to_thread(saved_run, folder / each) for each in page_names)
        )
        with region.anew():
            _list(visit, rows, len(known))

    await Live(marked, draw, every=EVERY).begin()


def _compare(known: Sequence[str]) -> None:
    if len(known) < 2:  # noqa: PLR2004 - a pair
        return
    options = {name: name for name in known[:200]}
    more = {"": "none", **options}
    base, other = _last_pair(known)
    with form("/evals/compare", "Compare runs", button="Compare"):
        choice("base", "Base", base, options)
        choice("other", "Compare with", other, options)
        for name, label in zip(OTHERS[1:], ("and", "and also"), strict=True):
            choice(name, label, "", more)


def _last_pair(known: Sequence[str]) -> tuple[str, str]:
    """Return the two newest runs of one eval, the older first; the two newest if there are none."""
    seen: dict[str, str] = {}
    for name in known:
        suite = MOMENT.sub("", name)
        if suite in seen:
            return name, seen[suite]
        seen[suite] = name
    return known[1], known[0]


def _list(visit: Visit, rows: Sequence[SavedRun], total: int) -> None:
    if not total:
        empty_state("No evals yet", "One that needs no language model:", command=FIRST)
        return
    with ui.element("ul").classes("studio-runs"):
        for row in rows:
            with ui.element("li").classes("studio-card"):
                _run(row)
    paging(visit, "/evals", total, SIZE)


def _run(row: SavedRun) -> None:
    with ui.element("div").classes("studio-row"):
        ui.link(row.name, f"/eval/{row.name}")
        tag("span", row.system, dir="auto")
        if row.of:
            busy = row.done < row.of
            mark(f"{row.done:,} of {row.of:,}", "own" if busy else "good")
        tag("span", short_moment(datetime.fromtimestamp(row.changed, UTC)), "studio-quiet")
        if row.usd:
            simulated = " simulated" if is_simulated(row.system) else ""
            tag("span", f"${row.usd:.4f}{simulated}", "studio-quiet")
    if row.of and row.done < row.of:
        bar = tag("progress", "", "", value=row.done, max=row.of)
        bar.props["aria-label"] = f"{row.done} of {row.of} answers"
    for name, score in list(row.scores.items())[:MOST_SCORES]:
        interval(name, score)
    if not row.scores:
        tag("p", "There is no summary of this run.", "studio-quiet studio-small")


EVALS = StudioPage("/evals", "Evals", "all", build_evals, "/evals", icon="query_stats")

REPORT = "/eval-report"
REPORT_POLL_SECONDS = 2.0


async def build_report(visit: Visit) -> None:
    """Draw one run's report, redrawn as the run progresses."""
    heading(visit.parts["name"], "Scores, the items that went wrong, and what each was asked.")
    await _framed(visit, [visit.parts["name"]])


async def build_comparison(visit: Visit) -> None:
    """Draw how one run differs from another."""
    base, *others = (visit.query.get(name, "") for name in ("base", *OTHERS))
    chosen = [base, *dict.fromkeys(each for each in others if each and each != base)]
    heading(
        "Runs compared", "Cases and versions; what flipped; how the prompts differ; how sure it is."
    )
    if len(chosen) == 1:
        empty_state("These are the same run", "Choose two that differ.")
        return
    await _framed(visit, chosen)


async def _framed(visit: Visit, runs: list[str]) -> None:
    folder = await eval_folder(visit.context)
    paths = [path_in(folder, run) for run in runs]
    region = Region()

    async def marked() -> list[float]:
        return [path.stat().st_mtime for path in paths]

    async def draw() -> None:
        with region.anew():
            frame = ui.element("iframe").classes("studio-report")
            frame.props["title"] = f"Report of {' and '.join(runs)}"
            frame.props["sandbox"] = "allow-scripts allow-popups"
            frame.props["src"] = f"{BASE_PATH}{REPORT}?{urlencode({'run': runs}, doseq=True)}"

    await Live(marked, draw, every=REPORT_POLL_SECONDS).begin()


EVAL_REPORT = StudioPage("/eval/{name}", "Eval", "all", build_report, "/evals")
EVAL_COMPARISON = StudioPage("/evals/compare", "Runs compared", "all", build_comparison, "/evals")
