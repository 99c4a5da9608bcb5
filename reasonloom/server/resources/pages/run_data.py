"""Writes a run as JSON for programs: its answer as the tool gave it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reasonloom.graphs.graph import load_graph
from reasonloom.server.envelopes.envelope import Told
from reasonloom.server.envelopes.plain import PLAIN
from reasonloom.server.toolsets.table import BEYOND, TOOLSETS
from reasonloom.stores.runs.runs import DONE

if TYPE_CHECKING:
    from reasonloom.server.envelopes.envelope import Form
    from reasonloom.stores.runs.runs import RunRow

FORGOTTEN = "what this run answered has been forgotten"


def data(run: RunRow, *, offline: bool) -> str:
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
    said = _form_of(run.tool).success(run.output["answer"], _told(run, offline=offline))
    return {"answer": said.structured}


def _form_of(tool: str) -> Form:
    """Return the form in which a tool answers; a run that no tool began has the plain one."""
    forms = {line.name: each.form for each in (*TOOLSETS, *BEYOND) for line in each.tools}
    return forms.get(tool, PLAIN)


def _told(run: RunRow, *, offline: bool) -> Told:
    return Told(
        notes=list(dict.fromkeys((run.output or {})["notes"])),
        seconds=(run.latency_ms or 0.0) / 1000,
        components=load_graph(run.graph).used(run.input, offline=offline),
        llm=run.llm,
        run_id=str(run.id),
    )
