"""Short ways to call tools of graph memory as one of several clients, and to look at chains."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.validation import parse_request
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import LINES
from tests.support.memory.graph import query

ME = Caller("local", client="desk")
EDGES = """SELECT e.source_id, e.target_id FROM edges e JOIN memories m
    ON m.owner = e.owner AND m.id = e.source_id JOIN sessions s
    ON s.owner = m.owner AND s.id = m.session_id
    WHERE e.owner = %s AND e.type = %s AND s.number = %s ORDER BY 1, 2"""
NODES = """SELECT m.id FROM memories m JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
    WHERE m.owner = %s AND s.number = %s ORDER BY 1"""


async def call_as(
    engine: Engine, tool: str, caller: Caller = ME, *, asks_caller: bool = False, **arguments: Any
) -> Outcome:
    """Call a tool as `caller`; return its answer and its notes."""
    line = LINES[tool]
    request = parse_request(line.request, arguments)
    return await engine.call(
        Call(
            tool=tool,
            graph=load_graph(line.graph),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=caller,
            asks_caller=asks_caller,
        )
    )


async def answer(engine: Engine, tool: str, caller: Caller = ME, **arguments: Any) -> Any:
    """Call a tool as `caller`; return its answer."""
    return (await call_as(engine, tool, caller, **arguments)).answer


async def fact(
    engine: Engine, content: str, caller: Caller = ME, event_type: str = "fact", **more: Any
) -> int:
    """Add a node; return its number."""
    arguments = {"event_type": event_type, "content": content, **more}
    return int((await answer(engine, "memory_add", caller, **arguments))["node_id"])


def edges(access: Access, kind: str, session: int, owner: str = "local") -> list[tuple[int, int]]:
    """Return the edges of one type that lead from a session's nodes."""
    return [(row[0], row[1]) for row in query(access, EDGES, owner, kind, session)]


def nodes(access: Access, session: int, owner: str = "local") -> list[int]:
    """Return the numbers of a session's nodes, in their order."""
    return [row[0] for row in query(access, NODES, owner, session)]


def is_one_chain(access: Access, session: int, owner: str = "local") -> bool:
    """Tell whether a session's nodes follow one another in their order, without fork or gap."""
    there = nodes(access, session, owner)
    return edges(access, "temporal_next", session, owner) == list(pairwise(there))
