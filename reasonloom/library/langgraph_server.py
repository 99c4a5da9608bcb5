"""Graphs for LangGraph's servers, one per mode; `langgraph.json` refers to them.

Each has one node, which runs the mode as a recorded run. A conversation goes in as `messages`,
other arguments of the tool as `arguments`; out come a message and the whole `answer`. A text among
the `arguments` takes precedence over the last message. The owner is the server's authenticated
user, or `REASONLOOM_USER` if the server authenticates nobody.
"""

# Annotations are evaluated at once: some servers import this file under a name that is not kept.

import asyncio
from contextlib import ExitStack
from functools import cache
from typing import Any

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime, ServerInfo

from reasonloom.library.modes import Mode, message_of
from reasonloom.library.sync import open_thread
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.library.tool_table import MODES, TOOLS, input_name

_opened = ExitStack()


class ServedState(MessagesState, total=False):
    """The state of a served graph."""

    arguments: dict[str, Any]
    answer: dict[str, Any]


def served(name: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph that runs a mode, or another tool with one text."""

    async def run(state: ServedState, runtime: Runtime[None]) -> dict[str, Any]:
        update = await run_tool(name, state, runtime.server_info)
        return {**update, "arguments": {}}  # they are of this turn alone

    graph = StateGraph(ServedState)
    graph.add_node(name, run)
    graph.add_edge(START, name)
    return graph.compile(name=name)


async def run_tool(name: str, state: ServedState, server: ServerInfo | None) -> dict[str, Any]:
    """Run a mode, or another tool, on a conversation; return the update of its state."""
    line = MODES.get(name) or TOOLS[name]
    calls = await asyncio.to_thread(_calls)
    if server and server.user:
        calls = calls.of_user(server.user.identity)
    arguments = dict(state.get("arguments") or {})
    text = input_name(line)
    given = {text: arguments.pop(text)} if text in arguments else state["messages"]
    answer = await Mode(calls, line, arguments).ainvoke(given)
    return {"messages": [message_of(answer, line.name)], "answer": answer.wire()}


@cache
def _calls() -> ToolCalls:
    """Return the process's calls; their engine has a thread of its own and stays open."""
    return _opened.enter_context(open_thread(user=None, llm=None, embedder=None))


def close() -> None:
    """Close the engine, if it is open."""
    _opened.close()
    _calls.cache_clear()


linear = served("linear")
tree = served("tree")
divergent = served("divergent")
reflection = served("reflection")
backtrack = served("backtrack")
auto = served("auto")
got_run = served("got_run")
think = served("think")
ponder = deliberate = served("ponder")
analyze = served("analyze")
breakdown = served("breakdown")
memory_ground = served("memory_ground")
remember = served("remember")
recall = served("recall")
