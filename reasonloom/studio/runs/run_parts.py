"""Parts of run pages: tables of runs, calls of language models, links to memories."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from reasonloom.stores.overview import Latest
from reasonloom.stores.runs.run_lineage import RunMemory
from reasonloom.stores.runs.run_lists import RunFilter
from reasonloom.studio.page_context import Visit
from reasonloom.studio.widgets.elements import Cell, code, facts, short_moment, table, tag
from reasonloom.studio.widgets.forms import MAX_FIELD

TONES = {
    "done": "good",
    "running": "own busy",
    "failed": "wrong",
    "cancelled": "quiet",
    "interrupted": "warn",
    "waiting": "own",
    "abandoned": "quiet",
}


def run_filter(visit: Visit) -> RunFilter:
    """Return the filter in the address."""
    return RunFilter(visit.text("tool"), visit.text("status"), visit.text("q", MAX_FIELD))


def run_rows(runs: Sequence[Latest]) -> None:
    """Draw runs, the newest first."""
    table(
        "Times are UTC.",
        ("tool", "status", "when"),
        [
            (
                Cell(run.kind, href=f"/run/{run.id}"),
                Cell(run.about, mark=TONES.get(run.about, "quiet")),
                Cell(short_moment(run.at), look="studio-quiet"),
            )
            for run in runs
        ],
    )


MAX_CALLS = 40
"""Calls displayed at once; a run may have made hundreds."""


def draw_calls(calls: Sequence[Mapping[str, Any]]) -> None:
    """Draw calls in the order of their replies, each collapsed."""
    for call in calls[:MAX_CALLS]:
        with ui.element("details").classes("studio-fold"):
            tag("summary", f"{call['node']} · {call['prompt']} v{call['prompt_version']}")
            _call(call)
    if len(calls) > MAX_CALLS:
        tag("p", f"{len(calls) - MAX_CALLS:,} more calls are not shown.", "studio-quiet")


def _call(call: Mapping[str, Any]) -> None:
    guess = " (estimated)" if call["tokens_estimated"] else ""
    cost = "unknown" if call["cost_usd"] is None else f"${call['cost_usd']:.5f}"
    facts(
        {
            "Model": f"{call['model']} by {call['llm']}",
            "Prompt": f"{call['prompt']} version {call['prompt_version']}",
            "Tokens": f"{call['tokens_in']:,} in, {call['tokens_out']:,} out{guess}",
            "Cost": cost,
            "Time": f"{call['latency_ms']:,.0f} ms, {call['attempts']} tried",
        }
    )
    _messages(call["messages"])
    tag("h4", "Reply")
    reply = call["reply"]
    if "redacted" in reply:
        tag("p", "Taken out, because a memory in it was forgotten for good.", "studio-quiet")
        return
    text = reply.get("text") or json.dumps(reply.get("parsed"), ensure_ascii=False, indent=2)
    code(text, "Reply of the language model")
    if reply.get("truncated"):
        tag("p", "The model was cut short.", "studio-quiet")


def _messages(messages: Sequence[Mapping[str, str]] | None) -> None:
    if messages is None:
        tag("p", "The question is no longer stored.", "studio-quiet")
        return
    for message in messages:
        tag("h4", f"Rendered prompt, {message['role']}")
        code(message["content"], f"Rendered prompt, {message['role']}")


def memory_links(found: Sequence[RunMemory]) -> None:
    """Draw the memories used and created; an empty list is omitted."""
    _listed("Memories it used", [each for each in found if not each.made])
    _listed("Memories it made", [each for each in found if each.made])


def _listed(title: str, rows: Sequence[RunMemory]) -> None:
    if not rows:
        return
    tag("h3", title)
    with ui.element("ul").classes("studio-list"):
        for each in rows:
            with ui.element("li"):
                ui.link(f"mem-{each.id}", f"/memory/{each.id}")
                tag("span", f" {each.sector}: {each.content}", dir="auto")
