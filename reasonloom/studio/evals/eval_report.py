"""`/eval/{name}` and `/evals/compare`: the report of one run or two, as `eval report` has it."""

from __future__ import annotations

from urllib.parse import urlencode

from nicegui import ui

from reasonloom.evals.reporting.saved_runs import path_in
from reasonloom.studio.eval_folder import eval_folder
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.place import BASE
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.live import Live
from reasonloom.studio.widgets.region import Region

REPORT = "/eval-report"
EVERY = 2.0


async def build(visit: Visit) -> None:
    """Draw one run's report, anew when more of it is done."""
    heading(visit.parts["name"], "Scores, the items that went wrong, and what each was asked.")
    await _framed(visit, [visit.parts["name"]])


async def build_comparison(visit: Visit) -> None:
    """Draw how one run differs from another."""
    base, other = visit.query.get("base", ""), visit.query.get("other", "")
    heading("Two runs", "What flipped, with both transcripts; how the prompts differ; how sure.")
    if base == other:
        empty("These are one run", "Choose two that differ.")
        return
    await _framed(visit, [base, other])


async def _framed(visit: Visit, runs: list[str]) -> None:
    folder = await eval_folder(visit.desk)
    paths = [path_in(folder, run) for run in runs]
    region = Region()

    async def marked() -> list[float]:
        return [path.stat().st_mtime for path in paths]

    async def draw() -> None:
        with region.anew():
            frame = ui.element("iframe").classes("studio-report")
            frame.props["title"] = f"Report of {' and '.join(runs)}"
            frame.props["sandbox"] = "allow-scripts allow-popups"
            frame.props["src"] = f"{BASE}{REPORT}?{urlencode({'run': runs}, doseq=True)}"

    await Live(marked, draw, every=EVERY).begin()


PAGE = StudioPage("/eval/{name}", "Eval", "all", build, "/evals")
COMPARISON = StudioPage("/evals/compare", "Two runs", "all", build_comparison, "/evals")
