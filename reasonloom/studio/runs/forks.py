"""Forks a run from a step with other prompt versions, and compares the fork with its origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nicegui import ui

from reasonloom.nodes.runs.answer_diff import answer_statements, difference
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.stores.runs.run_lineage import RunStep
from reasonloom.stores.runs.runs import RunRow
from reasonloom.studio.page_context import Visit
from reasonloom.studio.widgets.elements import facts, moment, tag
from reasonloom.studio.widgets.live import action_button


@dataclass
class Choice:
    """The visitor's choices so far."""

    node: str
    versions: dict[str, int] = field(default_factory=dict)


async def fork_form(
    visit: Visit, row: RunRow, steps: Sequence[RunStep], calls: Sequence[Mapping[str, Any]]
) -> None:
    """Draw the choices; the fork is a new run, opened once it completes."""
    nodes = list(dict.fromkeys(name for step in steps for name in step.nodes))
    if not nodes or row.status in ("running", "waiting"):
        return
    prompts = (await visit.context.engine()).loom.prompts
    chosen = Choice(nodes[-2] if len(nodes) > 1 else nodes[-1])
    tag("h2", "Fork it")
    tag("p", "Rerun it from a step; this run stays unchanged.", "studio-quiet")
    ui.select(nodes, label="From the step", value=chosen.node).bind_value(chosen, "node").classes(
        "studio-select"
    )
    used = {call["prompt"]: call["prompt_version"] for call in calls}
    for name, version in used.items():
        _version(chosen, name, version, prompts)

    async def fork() -> None:
        ui.navigate.to(f"/run/{await _fork(visit, row, chosen)}")

    action_button("Fork", fork)


def _version(chosen: Choice, name: str, used: int, prompts: PromptRegistry) -> None:
    versions = prompts.versions(name)
    if used not in versions:
        return
    labels = {version: f"version {version}" for version in versions}
    select = ui.select(labels, label=f"Prompt {name}", value=used)
    select.classes("studio-select")
    select.on_value_change(lambda event: chosen.versions.update({name: event.value}))


async def _fork(visit: Visit, row: RunRow, chosen: Choice) -> str:
    """Run the fork; return its run id."""
    from reasonloom.graphs.runs.fork import Fork  # noqa: PLC0415 - loads the graphs

    caller = await visit.context.writer()
    engine = await visit.context.engine()
    outcome = await engine.fork(
        caller.within(row.space or None), row, Fork(chosen.node, chosen.versions)
    )
    return str(outcome.run_id)


DIFF_CLASSES = {"+": "new", "-": "gone", "@": "place"}
MAX_LINES = 400
"""Lines displayed of a difference."""


def run_comparison(first: RunRow, second: RunRow) -> None:
    """Draw both inputs and answers next to each other, and the difference of the answers."""
    how = second.fork or {}
    with ui.element("section").classes("studio-card"):
        if how.get("origin") == str(first.id):
            versions = how.get("prompts", {}).items()
            prompts = ", ".join(f"{name} v{version}" for name, version in versions)
            tag("h2", f"Forked at {how.get('at')}, with {prompts or 'the same prompts'}")
            titles = ("Origin", "This fork")
        else:
            titles = (first.tool, second.tool)
        with ui.element("div").classes("studio-halves"):
            _half(titles[0], first)
            _half(titles[1], second)
        tag("h3", "Difference")
        _difference(first, second)


def _half(title: str, row: RunRow) -> None:
    with ui.element("div"):
        with tag("h3", ""):
            ui.link(f"{title}: {row.status}", f"/run/{row.id}")
        facts(
            {
                "Started": moment(row.created_at),
                "Language model": row.llm or "none",
                "Took": None if row.latency_ms is None else f"{row.latency_ms:,.0f} ms",
            }
        )
        lines = answer_statements((row.output or {}).get("answer"))
        for line in lines or ["It has no answer."]:
            tag("p", line, "studio-prose", dir="auto")


def _difference(origin: RunRow, fork: RunRow) -> None:
    lines = difference(*((row.output or {}).get("answer") for row in (origin, fork)))
    if not lines:
        tag("p", "None: both answers are the same.", "studio-quiet")
        return
    frame = tag("pre", "", "studio-code", tabindex=0, role="region", aria_label="Difference")
    with frame:
        for line in lines[:MAX_LINES]:
            tag("span", f"{line}\n", f"studio-line {DIFF_CLASSES.get(line[:1], '')}", dir="auto")
    if len(lines) > MAX_LINES:
        tag("p", f"{len(lines) - MAX_LINES:,} more lines are not shown.", "studio-quiet")
