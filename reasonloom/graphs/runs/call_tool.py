"""Calls a tool by name, as a server does, for commands and pages."""

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.engine import Engine


async def call_tool(engine: Engine, caller: Caller, tool: str, request: Request) -> Outcome:
    """Call a tool whose graph has the same name; recorded as a run like any other call.

    Raises:
        ReasonloomError: any deliberate error of the tool.
    """

    arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return await engine.call(Call(tool, load_graph(tool), arguments, caller))
