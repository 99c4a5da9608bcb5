"""`/`: counts and the latest runs; and the page for unknown addresses."""

from collections.abc import Callable, Sequence

from nicegui import ui

from reasonloom.stores import overview
from reasonloom.stores.overview import Overview
from reasonloom.stores.runs import run_lists
from reasonloom.stores.runs.run_lists import DailyUsage
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.runs.run_parts import run_rows
from reasonloom.studio.widgets.charts import INK, chart
from reasonloom.studio.widgets.elements import empty_state, heading, tag
from reasonloom.studio.widgets.live import deferred

NEWEST = 12
DAYS = 30
FIRST = 'reasonloom call remember \'{"content": "Anna keeps bees", "sessionId": "first"}\''


async def build_home(visit: Visit) -> None:
    """Draw the counts, each linked to its page, and the newest runs."""
    runs = await visit.context.read(overview.latest_runs, NEWEST)
    heading("Overview", "What is stored, and the latest runs.")
    if not runs:
        empty_state("Nothing yet", "A first memory, a first thought:", command=FIRST)

    async def counted() -> Callable[[], None]:
        found = await visit.context.read(overview.read_overview)
        return lambda: _counts(found)

    deferred(counted, "counting…")
    if runs:
        tag("h2", "Latest runs")
        run_rows(runs)
        tag("h2", f"Language models, last {DAYS} days")

        async def used() -> Callable[[], None]:
            found = await visit.context.read(run_lists.usage, DAYS)
            return lambda: _usage(found)

        deferred(used)


def _counts(found: Overview) -> None:
    with ui.element("div").classes("studio-grid"):
        for number, what, path in (
            (found.sessions, "sessions of reasoning", "/sessions"),
            (found.memories, "memories", "/memory"),
            (found.graphs, "graphs of thoughts", "/graphs"),
            (found.projects, "projects in the history", "/history"),
            (found.models, "mental models", "/models"),
        ):
            with ui.link(target=path).classes("studio-card studio-count"):
                tag("strong", f"{number:,}")
                tag("span", what)


def _usage(found: Sequence[DailyUsage]) -> None:
    if not found:
        tag("p", "No calls.", "studio-quiet")
        return
    tokens, calls = sum(each.tokens for each in found), sum(each.calls for each in found)
    usd = sum(each.usd or 0 for each in found)
    with ui.element("section").classes("studio-card"):
        tag("p", f"{calls:,} calls, {tokens:,} tokens, ${usd:.2f} where prices are known.")
        chart(
            {
                "tooltip": {"trigger": "axis"},
                "legend": {"textStyle": {"color": INK}},
                "xAxis": {"type": "category", "data": [f"{each.day:%d %b}" for each in found]},
                "yAxis": [{"type": "value", "name": "tokens"}, {"type": "value", "name": "$"}],
                "series": [
                    {"name": "tokens", "type": "bar", "data": [each.tokens for each in found]},
                    {
                        "name": "cost, $",
                        "type": "line",
                        "yAxisIndex": 1,
                        "data": [round(each.usd or 0, 6) for each in found],
                    },
                ],
            },
            f"Tokens and cost of language models by day: {tokens:,} tokens, ${usd:.2f}",
            height="16rem",
        )


HOME = StudioPage("/", "Overview", "all", build_home, "/", icon="home")


async def build_not_found(visit: Visit) -> None:
    """Draw the page for unknown addresses."""
    ui.context.client.status_code = 404
    heading("Page not found")
    empty_state("There is no page at this address", "Choose a page in the menu, or go back.")


NOT_FOUND = StudioPage("/{rest:path}", "Page not found", "all", build_not_found, "")
