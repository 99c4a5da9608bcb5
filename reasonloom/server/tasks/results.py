"""The MCP result of a stored run: what its call answered, or would have answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reasonloom.server.base_tool import call_result, kept_notes
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.questions import check_of

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from reasonloom.errors import ReasonloomError
    from reasonloom.graphs.runs.call import Outcome
    from reasonloom.server.catalogue.served import ServedTool
    from reasonloom.settings import Settings
    from reasonloom.stores.runs.runs import RunRow


def answered_result(
    served: ServedTool | None, run: RunRow, outcome: Outcome, seconds: float, settings: Settings
) -> CallToolResult:
    """Return the result of a run with an answer, in the form of the tool that began it."""
    from reasonloom.graphs.graph import load_graph  # noqa: PLC0415 - heavy

    meta = ResponseMeta(
        notes=outcome.notes,
        seconds=seconds,
        components=load_graph(run.graph).used(run.input, offline=run.llm is None),
        llm=run.llm,
        run_id=str(outcome.run_id),
        check=check_of(outcome.self_judged),
    )
    if served is None:
        return call_result(PLAIN.success(outcome.answer, meta), failed=False)
    answer = served.line.answered(outcome.answer, run.tool, outcome.run_id)
    kept = kept_notes(served.line, outcome.answer, settings)
    meta = replace(meta, notes=[*meta.notes, *kept])
    return call_result(served.envelope.success(answer, meta), failed=False)


def failed_result(served: ServedTool, error: ReasonloomError, seconds: float) -> CallToolResult:
    """Return the result of a run that ended with an error."""
    meta = ResponseMeta(seconds=seconds, tool=served.name)
    return call_result(served.envelope.failure(error, meta), failed=True)
