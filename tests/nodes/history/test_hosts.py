"""Passages and sessions name the host that recorded them, and can be limited to one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import load_settings
from tests.support.history.conversations import LOGIN, ask, tell
from tests.support.history.host_transcripts import CodexScript
from tests.support.history.ingestion import ingested

QUERY = "Why does the sign-in give 401?"


@pytest.fixture
async def two_hosts(engine: Engine, tmp_path: Path) -> Engine:
    """Past conversations about one matter: a file of no host, and rollouts of Codex."""
    await tell(engine, tmp_path, [LOGIN])
    rollout = CodexScript(cwd="/home/ana/api")
    rollout.user(QUERY).answered("The sign-in gives 401: the server's clock is late.")
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(rollout.data())
    await ingested(engine, [path])
    return engine


def hosts(items: list[dict[str, Any]]) -> set[str | None]:
    return {each.get("host") for each in items}


async def test_passages_and_sessions_name_their_host(two_hosts: Engine) -> None:
    found = await ask(two_hosts, "search", query=QUERY)
    assert hosts(found["chunks"]) == {"codex", None}
    recalled = await ask(two_hosts, "recall", query=QUERY)
    assert "codex" in hosts(recalled["chunks"])
    listed = await ask(two_hosts, "list_sessions", project="api")
    assert hosts(listed["sessions"]) == {"codex", None}
    shown = await ask(two_hosts, "reconstruct", project="api", days_back=36_000)
    assert hosts(shown["chunks"]) == {"codex", None}


async def test_a_host_limits_searches_and_lists(two_hosts: Engine) -> None:
    found = await ask(two_hosts, "search", query=QUERY, host="codex")
    assert hosts(found["chunks"]) == {"codex"}
    listed = await ask(two_hosts, "list_sessions", project="api", host="codex")
    assert hosts(listed["sessions"]) == {"codex"}
    assert (await ask(two_hosts, "search", query=QUERY, host="gemini"))["chunks"] == []
    none = await ask(two_hosts, "list_sessions", project="api", host="gemini")
    assert (none["sessions"], none["notes"]) == ([], [])


async def test_an_unknown_host_is_refused_with_those_there_are(two_hosts: Engine) -> None:
    with pytest.raises(InvalidArgument, match=r"host: .*claude-code.*codex.*gemini"):
        await ask(two_hosts, "search", query=QUERY, host="emacs")


def test_the_reference_neither_takes_nor_names_a_host() -> None:
    for served in choose(load_settings(serve_as="causantic")).tools:
        assert "host" not in served.line.request.model_fields
        assert "ChunkResult" not in str(served.line.answer.model_json_schema())
