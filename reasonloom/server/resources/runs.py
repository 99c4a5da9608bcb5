"""`reasonloom://run/{id}`: one run of a tool as a Markdown page with its calls, and as JSON."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import pairwise
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.errors import RunNotFound
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.providers.caller import CALLER
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.questions import check_of, needs_answers
from reasonloom.server.resources.kind import Listed, titled
from reasonloom.server.resources.markdown import in_markdown, quoted_start
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.stores import overview
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import questions, runs
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.runs import DONE, WAITING, RunRow
from reasonloom.text.mermaid import in_mermaid

MAX_CALLS = 60
"""Maximum language model calls on one page, the first ones."""

MAX_VALUE = 6_000
FORGOTTEN = "what this run answered has been forgotten"


async def newest_run(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the most recently started runs, newest first."""
    async with engine.loom.database.begin(caller) as tx:
        return titled(await overview.latest_runs(tx, limit))


async def read_run(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a run.

    Raises:
        RunNotFound: the caller has no such run.
    """
    async with engine.loom.database.begin(caller) as tx:
        row = await _require(tx, caller, identifier)
        calls = await runs.calls_of(tx, [row.id])
        known = await questions.of_run(tx, row.id)
    return _page(row, calls[row.id], [each for each in known if each.status == questions.OPEN])


async def run_json(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return a run as a JSON object: its id, tool and status, and its answer or error.

    `answer` is the structured value of the call's full result, except for the call's time in
    `metadata`. A waiting run has its open questions instead; a run in progress has neither.

    Raises:
        RunNotFound: the caller has no such run.
    """
    async with engine.loom.database.begin(caller) as tx:
        row = await _require(tx, caller, identifier)
        judged = questions.is_self_judged(await questions.of_run(tx, row.id))
    head = {"run_id": str(row.id), "tool": row.tool, "status": row.status}
    if row.status == WAITING:
        round_ = await engine.open_round(caller, row)
        asking = needs_answers(row.id, round_, engine.loom.settings.output_tokens).wire()
        return json.dumps({**head, **asking, "status": WAITING}, ensure_ascii=False)
    offline = engine.loom.llm.offline and row.llm != CALLER
    outcome = _outcome(row, offline=offline, check=check_of(judged))
    return json.dumps({**head, **outcome}, ensure_ascii=False)


async def _require(tx: Transaction, caller: Caller, identifier: str) -> RunRow:
    wanted = parse_uuid(identifier)
    row = await runs.find(tx, wanted) if wanted else None
    if row is None or row.space != caller.space:
        raise RunNotFound(identifier)
    return row


def _page(run: RunRow, calls: Sequence[dict[str, Any]], opened: Sequence[QuestionRow]) -> str:
    """Return the page; user texts are escaped, and omissions are stated."""
    parts = [
        f"# Run {run.id}",
        *_facts(run),
        f"```mermaid\n{_chart(run, calls[:MAX_CALLS])}\n```",
        *_calls(calls),
        *_questions(opened),
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
    """Return the chart of the calls in the order in which they were answered."""
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
        for call in calls[:MAX_CALLS]
    )
    if len(calls) > MAX_CALLS:
        yield f"*The last {len(calls) - MAX_CALLS:,} calls are left out.*"


def _questions(opened: Sequence[QuestionRow]) -> Iterator[str]:
    if opened:
        yield "## Questions that wait for an answer"
    for each in opened:
        blind = ", to be judged blind" if each.blind else ""
        yield f"### {each.id}: {in_markdown(each.role)}{blind}"
        for text in filter(None, (each.system_text, each.user_text)):
            yield from quoted_start(text, MAX_VALUE)


def _value(value: dict[str, Any]) -> Iterator[str]:
    return quoted_start(json.dumps(value, ensure_ascii=False, indent=2), MAX_VALUE)


def _outcome(run: RunRow, *, offline: bool, check: str | None) -> dict[str, Any]:
    if run.status != DONE:
        return {"error": run.error} if run.error else {}
    if not run.output or "answer" not in run.output:
        return {"error": {"type": "Conflict", "message": FORGOTTEN}}
    response = _envelope_of(run.tool).success(
        run.output["answer"], _response_meta(run, offline=offline, check=check)
    )
    return {"answer": response.structured}


def _envelope_of(tool: str) -> Envelope:
    """Return the envelope of a tool; a run not started by a tool has the plain one."""
    envelopes = {
        line.name: each.envelope for each in (*TOOLSETS, *EXTRA_TOOLSETS) for line in each.tools
    }
    return envelopes.get(tool, PLAIN)


def _response_meta(run: RunRow, *, offline: bool, check: str | None) -> ResponseMeta:
    return ResponseMeta(
        notes=list(dict.fromkeys((run.output or {})["notes"])),
        seconds=(run.latency_ms or 0.0) / 1000,
        components=load_graph(run.graph).used(run.input, offline=offline),
        llm=run.llm,
        run_id=str(run.id),
        check=check,
    )
