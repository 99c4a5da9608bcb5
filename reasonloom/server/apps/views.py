"""What pages draw beyond a tool's answer, as JSON of a limited size; each cut is stated in it."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import RunNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sessions.drawing import lanes_drawing, steps_of
from reasonloom.nodes.sessions.picture import picture
from reasonloom.nodes.sessions.thought_sources import thought_sources
from reasonloom.nodes.thought_graph.graph import ThoughtGraph, read_graph
from reasonloom.nodes.thought_graph.picture import graph_drawing
from reasonloom.server.apps.requests import ViewGraph, ViewSession, ViewStreams, ViewThought
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow
from reasonloom.stores.sessions import full_sessions
from reasonloom.stores.thought_graph.graph_nodes import NodeRow

Json = dict[str, Any]
MOST_STEPS, MOST_NODES, MOST_CALLS, MOST_INSIGHTS = 200, 300, 10, 60
LONGEST = 4_000
"""Maximum characters of a text."""

STREAM_TOOLS = ("ponder", "think")


async def view_session(engine: Engine, caller: Caller, request: ViewSession) -> Json:
    """Return the newest steps of a session, as `loom-lanes` draws them.

    Raises:
        SessionNotFound: the caller has no such session.
    """
    async with engine.loom.database.begin(caller) as tx:
        drawn = picture(await full_sessions.read_full(tx, request.session_id))
    steps = steps_of(drawn)
    return {
        "session_id": str(drawn.session.id),
        "number": drawn.session.number,
        "mode": drawn.session.mode,
        "total": len(steps),
        "branches": len(drawn.branches),
        "checkpoints": drawn.checkpoints,
        "drawing": lanes_drawing(steps[-MOST_STEPS:], len(drawn.branches)),
    }


async def view_thought(engine: Engine, caller: Caller, request: ViewThought) -> Json:
    """Return a thought with its check, and the calls and memories of its run.

    Raises:
        ThoughtNotFound: the caller has no such thought.
    """
    async with engine.loom.database.begin(caller) as tx:
        found = await thought_sources(tx, request.thought_id)
    row = found.thought
    return {
        "thought_id": str(row.id),
        "position": row.position,
        "mode": row.mode,
        "confidence": row.confidence,
        "llm": row.llm,
        "created_at": row.created_at.isoformat(),
        "input": _cut(row.input),
        "content": _cut(row.content),
        "check": {
            name: row.metadata[name]
            for name in ("check", "score", "votes", "novelty_score")
            if isinstance(row.metadata.get(name), str | int | float)
        },
        "memories": [
            {"id": f"mem-{each.id}", "sector": each.sector, "content": _cut(each.content),
             "made": each.made}
            for each in found.memories
        ],
        "calls": [_call(each) for each in found.calls[:MOST_CALLS]],
        "calls_total": len(found.calls),
    }  # fmt: skip


def _call(call: Mapping[str, Any]) -> Json:
    reply = call["reply"]
    taken = "Taken out, because a memory in it was forgotten for good."
    return {
        "node": call["node"],
        "prompt": f"{call['prompt']} v{call['prompt_version']}",
        "model": f"{call['model']} by {call['llm']}",
        "tokens_in": call["tokens_in"],
        "tokens_out": call["tokens_out"],
        "estimated": call["tokens_estimated"],
        "messages": [
            {"role": each["role"], "content": _cut(each["content"])}
            for each in call["messages"] or ()
        ],
        "reply": taken if "redacted" in reply else _cut(str(reply.get("text") or reply["parsed"])),
    }


async def view_graph(engine: Engine, caller: Caller, request: ViewGraph) -> Json:
    """Return the first nodes of a graph, as `loom-graph` draws them, each with its facts.

    Raises:
        GraphNotFound: the caller has no such graph.
    """
    async with engine.loom.database.begin(caller) as tx:
        graph = await read_graph(tx, request.graph_id)
    return {
        "graph_id": str(graph.row.id),
        "number": graph.row.number,
        "problem": _cut(graph.problem),
        "finalized": graph.row.finalized_at is not None,
        "total": len(graph.nodes),
        "drawing": graph_drawing(graph, MOST_NODES),
        "details": {str(node.id): _details(graph, node) for node in graph.nodes[:MOST_NODES]},
    }


def _details(graph: ThoughtGraph, node: NodeRow) -> Json:
    beaten = graph.by_id[node.replaced_by].number if node.replaced_by else None
    parts = {name: each for name, each in node.parts.items() if isinstance(each, int | float)}
    return {
        "content": _cut(node.content),
        "check": node.check,
        "parts": parts,
        "confidence": node.confidence,
        "parents": sorted(graph.by_id[each].number for each in graph.parents[node.id]),
        "beaten_by": beaten,
    }


async def view_streams(engine: Engine, caller: Caller, request: ViewStreams) -> Json:
    """Return what the streams of a run said, as `loom-streams` draws it, and its answer.

    `quarters` is empty once the saved steps of the run are deleted.

    Raises:
        RunNotFound: the caller has no such run of `ponder` or `think`.
    """
    row, state = await read_streams(engine, caller, parse_uuid(request.run_id))
    brief: Mapping[str, Any] = state.get("brief") or {}
    answer = (row.output or {}).get("answer") or {}
    return {
        "run_id": str(row.id),
        "problem": _cut(str(row.input.get("problem", ""))),
        "drawing": {
            "names": list(brief.get("streams") or ()),
            "rounds": bool(brief.get("retracts")),
            "quarters": [_quarter(each) for each in state.get("said") or ()],
        },
        "insights": _texts(answer.get("insights") or (), "content"),
        "conflicts": _texts(answer.get("conflicts") or (), "description"),
    }


async def read_streams(
    engine: Engine, caller: Caller, run_id: UUID | None
) -> tuple[RunRow, Mapping[str, Any]]:
    """Return a run of `ponder` or `think` in the caller's default space, and its saved state.

    Raises:
        RunNotFound: the caller has no such run.
    """
    async with engine.loom.database.begin(caller) as tx:
        row = await runs.find(tx, run_id) if run_id else None
    if row is None or row.space != "" or row.tool not in STREAM_TOOLS:
        raise RunNotFound(str(run_id), field="run_id")
    return row, await engine.saved_state(caller, row.id)


def _quarter(reply: Mapping[str, Any]) -> Json:
    return {
        **reply,
        "insights": _texts(reply.get("insights") or (), "content"),
        "reactions": list(reply.get("reactions") or ())[:MOST_INSIGHTS],
    }


def _texts(items: Iterable[Any], key: str) -> list[Json]:
    known = [each for each in items if isinstance(each, Mapping)]
    return [{**each, key: _cut(each[key])} for each in known[:MOST_INSIGHTS]]


def _cut(text: str) -> str:
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]}… ({left:,} more characters)"
