"""Graph memory behind real servers: killed, two at once, and under its reference's own names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from reasonloom.contracts.toolsets import GRAPH_MEMORY
from tests.support.clients.processes import Spoken, environment, spoken
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import Rows

AS = ("--as", "agentic-memory")
CALLS = 20


@pytest.fixture
def own(postgres: TestPostgres, tmp_path: Path) -> Iterator[tuple[dict[str, str], Rows]]:
    """The environment of servers on a database of this test's own, and its rows."""
    with postgres.clone() as name:
        url = postgres.address.dsn("postgres", name)
        yield environment(tmp_path / "home", DATABASE_URL=url), Rows(url)


def add(server: Spoken, content: str) -> int:
    result = server.call("memory_add", {"event_type": "fact", "content": content})
    assert not result.get("isError"), result
    return int(result["structuredContent"]["node_id"])


def test_twenty_acknowledged_facts_outlive_a_kill(
    own: tuple[dict[str, str], Rows], tmp_path: Path
) -> None:
    env, rows = own
    server = Spoken(env, tmp_path / "first", *AS)
    try:
        server.handshake()
        numbers = [add(server, f"Fact {number}: Ключ № {number} 鍵.") for number in range(CALLS)]
        server.child.kill()
        server.ended()
    finally:
        server.stop()
    assert rows.number("SELECT count(*) FROM memories") == CALLS
    with spoken(env, tmp_path / "second", *AS) as again:
        stats = again.call("memory_stats", {})["structuredContent"]
        assert (stats["node_count"], numbers) == (CALLS, list(range(1, CALLS + 1)))
        found = again.call("memory_ground", {"claim": "Fact 7: Ключ № 7 鍵."})
        assert found["structuredContent"]["status"] == "verified"
        assert add(again, "One more.") == CALLS + 1


def test_two_servers_that_write_five_facts_make_five_nodes(
    own: tuple[dict[str, str], Rows], tmp_path: Path
) -> None:
    env, rows = own
    with ExitStack() as stack:
        pair = [stack.enter_context(spoken(env, tmp_path / str(n), *AS)) for n in range(2)]
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(lambda: [add(pair[0], f"North {n}.") for n in range(3)])
            second = pool.submit(lambda: [add(pair[1], f"South {n}.") for n in range(2)])
            numbers = first.result() + second.result()
        for server in pair:
            assert server.call("memory_stats", {})["structuredContent"]["node_count"] == 5
    assert sorted(numbers) == [1, 2, 3, 4, 5]
    assert rows.number("SELECT count(*) FROM memories") == 5
    assert rows.number("SELECT count(*) FROM edges WHERE type = 'temporal_next'") == 4


def test_as_its_reference_it_serves_the_twenty_four_and_nothing_else(
    own: tuple[dict[str, str], Rows], tmp_path: Path
) -> None:
    with spoken(own[0], tmp_path / "only", *AS) as server:
        assert tuple(tool["name"] for tool in server.tools()) == GRAPH_MEMORY
        refused = server.call("memory_traverse", {"start_id": 4})
        assert refused["isError"] is True
        assert refused["structuredContent"]["error"]["type"] == "NodeNotFound"
        assert refused["content"][0]["text"] == "Error: Node not found: 4"
        unknown = server.request("tools/call", {"name": "remember", "arguments": {}})
        assert unknown["error"]["code"] == -32602
        assert not re.search(r"Traceback|SELECT ", server.said)
