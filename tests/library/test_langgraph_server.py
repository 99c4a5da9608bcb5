"""The graphs in `langgraph.json`, in this process and under LangGraph's own server."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import ServerInfo

from reasonloom.errors import InvalidArgument
from reasonloom.graphs import for_langgraph
from reasonloom.library import langgraph_server
from tests import ROOT
from tests.support.clients.processes import environment

CONFIG = ROOT / "langgraph.json"
GRAPHS: dict[str, str] = json.loads(CONFIG.read_text())["graphs"]
CLI = ROOT / ".venv-langgraph" / "bin" / "langgraph"
QUESTION = {"messages": [{"role": "user", "content": "Where should Anna eat?"}]}


@pytest.fixture
def served(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module, whose engine is on this test's database."""
    monkeypatch.setenv("DATABASE_URL", options["database_url"])
    yield langgraph_server
    langgraph_server.close()


def test_the_configuration_names_graphs_that_exist() -> None:
    for name, reference in GRAPHS.items():
        place, _, variable = reference.partition(":")
        assert ROOT / place == Path(langgraph_server.__file__)
        graph = getattr(langgraph_server, variable)
        assert set(graph.get_graph().nodes) == {"__start__", graph.name, "__end__"}
        assert getattr(for_langgraph, variable) is graph, f"an older reference to {name}"


async def test_a_conversation_is_thought_about(served: Any) -> None:
    graph = served.served("linear")
    graph.checkpointer = InMemorySaver()
    thread: Any = {"configurable": {"thread_id": "one"}}
    state = await graph.ainvoke({**QUESTION, "arguments": {"confidence": 0.1}}, thread)
    assert state["answer"]["content"] in state["messages"][-1].text
    state = await graph.ainvoke(QUESTION, thread)
    assert [each.type for each in state["messages"]] == ["human", "ai", "human", "ai"]


async def test_a_text_among_the_arguments_takes_precedence(served: Any) -> None:
    given: Any = {"messages": [HumanMessage("And now?")], "arguments": {"content": "The mill?"}}
    await langgraph_server.run_tool("remember", given, None)
    found = await langgraph_server.run_tool("recall", {"messages": [HumanMessage("mill")]}, None)
    assert found["answer"]["memories"][0]["content"] == "The mill?"
    given["arguments"] = {"content": 3}
    with pytest.raises(InvalidArgument, match="content: must be a string"):
        await langgraph_server.run_tool("remember", given, None)


async def test_the_owner_is_the_authenticated_user(served: Any) -> None:
    async def recalled(user: str | None) -> int:
        person: Any = SimpleNamespace(identity=user) if user else None
        info = ServerInfo("assistant", "recall", person)
        count = 0
        for name, text in (("remember", f"{user} likes the mill."), ("recall", "the mill")):
            state = await langgraph_server.run_tool(name, {"messages": [HumanMessage(text)]}, info)
            count = len(state["answer"].get("memories", []))
        return count

    assert [await recalled(user) for user in ("anna", "ben", None)] == [1, 1, 1]


@pytest.fixture
async def address(options: dict[str, Any], tmp_path: Path) -> AsyncIterator[str]:
    """The URL of LangGraph's in-memory server with our configuration."""
    if not CLI.exists():
        pytest.skip("LangGraph's server is not installed; `make langgraph-server` does it")
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        port = found.getsockname()[1]
    variables = environment(tmp_path) | {"DATABASE_URL": options["database_url"]}
    command = [CLI, "dev", "--no-browser", "--no-reload", "--allow-blocking", "--port", str(port)]
    with subprocess.Popen(
        [*map(str, command), "--config", str(CONFIG)],
        cwd=ROOT,
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            await _is_up(url)
            yield url
        finally:
            process.terminate()
            process.wait(30)


async def _is_up(url: str) -> None:
    ends = time.monotonic() + 60
    async with httpx.AsyncClient() as client:
        while time.monotonic() < ends:
            try:
                if (await client.get(f"{url}/ok")).is_success:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.2)
    raise AssertionError("LangGraph's server did not start")


async def test_langgraphs_server_runs_a_mode_on_a_thread(address: str) -> None:
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        thread = (await client.post("/threads", json={})).json()["thread_id"]
        run = {"assistant_id": "tree", "input": {**QUESTION, "arguments": {"max_branches": 2}}}
        state = (await client.post(f"/threads/{thread}/runs/wait", json=run)).json()
        assert state["answer"]["run_id"]
        body = {"assistant_id": "linear", "input": QUESTION, "stream_mode": ["custom"]}
        streamed = await client.post(f"/threads/{thread}/runs/stream", json=body)
        assert "continue thought" in streamed.text
        state = (await client.get(f"/threads/{thread}/state")).json()
        assert [each["type"] for each in state["values"]["messages"]] == ["human", "ai"] * 2
