"""Writes a run as a Markdown page: a drawing of its calls, what went in, what came out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reasonloom.graphs.graph import load_graph
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.envelopes.plain import PLAIN
from reasonloom.server.resources.pages.markdown import in_markdown, quoted
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.stores.runs.runs import DONE
from reasonloom.text.mermaid import in_mermaid

if TYPE_CHECKING:
    from reasonloom.server.envelopes.envelope import Envelope
    from reasonloom.stores.runs.runs import RunRow


MOST_CALLS = 60
"""Calls of a language model on one page, the first."""

LONGEST_VALUE = 6_000


def run_page(run: RunRow, calls: Sequence[dict[str, Any]]) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    parts = [
        f"# Run {run.id}",
        *_facts(run),
        f"```mermaid\n{_chart(run, calls[:MOST_CALLS])}\n```",
        *_calls(calls),
        "## Input",
        *_value(run.input),
    ]
    for title, value in (("Output", run.output), ("Error", run.error)):
        if value is not None:
            parts += [f"## {title}", *_value(value)]
    return "\n\n".join(parts) + "\n"


def _facts(run: RunRow) -> Iterator[str]:
    took = f", {run.latency_ms:,.0f} ms" if run.latency_ms is not None else ""
    yield (
        f"{in_markdown(run.tool)} by the graph {in_markdown(run.graph)} version "
        f"{run.graph_version}: {run.status}{took}, llm {in_markdown(run.llm or 'none')}. "
        f"Begun {run.created_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC."
    )
    if run.session_id:
        yield f"Session: `reasonloom://session/{run.session_id}`"


def _chart(run: RunRow, calls: Sequence[dict[str, Any]]) -> str:
    """Draw the calls in the order in which they were answered."""
    steps = [f'c{place}["{_call_label(call)}"]' for place, call in enumerate(calls, 1)]
    names = ["input", *(f"c{place}" for place in range(1, len(calls) + 1)), "ended"]
    arrows = [f"{one} --> {other}" for one, other in pairwise(names)]
    first = f'input(["{in_mermaid(run.tool)}"])'
    last = f'ended(["{in_mermaid(run.status)}"])'
    return "\n".join(["flowchart TD", first, *steps, last, *arrows])


def _call_label(call: dict[str, Any]) -> str:
    node, prompt = in_mermaid(str(call["node"])), in_mermaid(str(call["prompt"]))
    return f"{node}<br/>{prompt} v{call['prompt_version']}"


def _calls(calls: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not calls:
        return
    yield "## Calls of a language model"
    yield "\n".join(
        f"- {in_markdown(str(call['node']))}: {in_markdown(str(call['prompt']))} version "
        f"{call['prompt_version']}, {in_markdown(str(call['model']))}, "
        f"{call['tokens_in'] + call['tokens_out']:,} tokens"
        f"{' (estimated)' if call['tokens_estimated'] else ''}"
        for call in calls[:MOST_CALLS]
    )
    if len(calls) > MOST_CALLS:
        yield f"*The last {len(calls) - MOST_CALLS:,} calls are left out.*"


def _value(value: dict[str, Any]) -> Iterator[str]:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    yield quoted(text[:LONGEST_VALUE])
    if len(text) > LONGEST_VALUE:
        yield f"*Cut: the first {LONGEST_VALUE:,} of {len(text):,} characters.*"


FORGOTTEN = "what this run answered has been forgotten"


def run_json(run: RunRow, *, offline: bool) -> str:
    """Return a run as a JSON object: its id, tool and status, and its answer or its error.

    `answer` is the structured value of the call's result, but for the call's time in `metadata`.
    Of a run at work there is neither.
    """
    told = {"run_id": str(run.id), "tool": run.tool, "status": run.status}
    return json.dumps({**told, **_outcome(run, offline=offline)}, ensure_ascii=False)


def _outcome(run: RunRow, *, offline: bool) -> dict[str, Any]:
    if run.status != DONE:
        return {"error": run.error} if run.error else {}
    if not run.output or "answer" not in run.output:
        return {"error": {"type": "Conflict", "message": FORGOTTEN}}
    said = _form_of(run.tool).success(run.output["answer"], _response_meta(run, offline=offline))
    return {"answer": said.structured}


def _form_of(tool: str) -> Envelope:
    """Return the form in which a tool answers; a run that no tool began has the plain one."""
    forms = {line.name: each.form for each in (*TOOLSETS, *EXTRA_TOOLSETS) for line in each.tools}
    return forms.get(tool, PLAIN)


def _response_meta(run: RunRow, *, offline: bool) -> ResponseMeta:
    return ResponseMeta(
        notes=list(dict.fromkeys((run.output or {})["notes"])),
        seconds=(run.latency_ms or 0.0) / 1000,
        components=load_graph(run.graph).used(run.input, offline=offline),
        llm=run.llm,
        run_id=str(run.id),
    )
