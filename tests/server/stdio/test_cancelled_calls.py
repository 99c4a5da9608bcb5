"""Thousands of cancelled calls over one connection leave nothing behind."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from tests.support.clients.processes import COLD, environment, spoken
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.settled import settled

CALLS = 2_000
HELD_BACK = 1_000
"""The calls that are cancelled while they wait for the database; the others may be anywhere."""

GAVE_UP = b"the database is busy"
"""The answer of a call that waited too long for the database before its cancellation came."""

MIB = 1024 * 1024
MOST_GROWTH = 96 * MIB
MOST_LATE_GROWTH = 24 * MIB
"""Of the second thousand: what is warm by then should not grow."""


def calls(numbers: range, cancelled: range) -> bytes:
    """Return calls, and then their cancellations, as lines."""
    tools: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"userId": "local", "text": "the lantern"}),
        ("reasoning_linear", {"content": "Who keeps the lantern?"}),
    ]
    messages: list[dict[str, Any]] = [
        {"id": f"c{n}", "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for n in numbers
        for name, arguments in (tools[n % len(tools)],)
    ]
    messages += [
        {"method": "notifications/cancelled", "params": {"requestId": f"c{n}"}} for n in cancelled
    ]
    return b"\n".join(json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages)


@pytest.mark.timeout(300)
def test_thousands_of_cancelled_calls_leave_nothing(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    env = environment(tmp_path / "home", REASONLOOM_TOOLSETS="classic", DATABASE_URL=url)
    with spoken(env, folder, COLD) as server:
        asked = {"userId": "local", "text": "the lantern"}
        server.write(calls(range(100), range(0)))
        for number in range(100):
            server.answer(f"c{number}")
        process = psutil.Process(server.child.pid)
        before = process.memory_info().rss, process.num_fds(), process.num_threads()
        with psycopg.connect(url) as holder:
            holder.execute("LOCK TABLE reasonloom.memories IN ACCESS EXCLUSIVE MODE")
            for first in range(100, 100 + HELD_BACK, 100):
                server.write(calls(range(first, first + 100), range(0)))
            time.sleep(1.0)
            server.write(calls(range(0), range(100, 100 + HELD_BACK)))
            server.request("ping")
        halfway = process.memory_info().rss
        for first in range(100 + HELD_BACK, 100 + CALLS, 50):
            numbers = range(first, first + 50)
            server.write(calls(numbers, numbers))
        assert server.call("recall", asked)["isError"] is False
        settled(server, url)
        assert server.call("recall", asked)["isError"] is False
        held_back = {f"c{number}" for number in range(100, 100 + HELD_BACK)}
        answers = [line for line in server.lines if json.loads(line).get("id") in held_back]
        wrong = [line for line in answers if GAVE_UP not in line]
        assert wrong == [], "what was cancelled in time is not answered"
        memory, files, threads = process.memory_info().rss, process.num_fds(), process.num_threads()
        assert memory - before[0] < MOST_GROWTH
        assert memory - halfway < MOST_LATE_GROWTH
        assert files <= before[1] + 2, "connections whose callers were cancelled are closed"
        assert threads <= before[2] + 4
        assert "Traceback" not in server.log
