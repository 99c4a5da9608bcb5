"""Answers link to the pages of their run and session, which the client then reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.server.resources.test_memories_thoughts_runs import reading
from tests.support.clients.processes import Spoken, environment, web
from tests.support.clients.tasks import HANDSHAKE, MODERN, task_client
from tests.support.databases.postgres import TestPostgres

REVISIONS = [MODERN, HANDSHAKE]
MILL = "Shall the town rebuild its old mill?"
LINKED: dict[str, dict[str, Any]] = {
    "reasoning_linear": {"content": MILL},
    "reasoning_tree": {"content": MILL},
    "reasoning_divergent": {"content": MILL},
    "reasoning_auto": {"content": MILL},
    "think": {"problem": MILL, "mode": "parallel"},
    "analyze": {"problem": MILL},
    "ponder": {"problem": MILL},
    "breakdown": {"problem": MILL},
    "reason": {"problem": MILL, "mode": "linear"},
    "session_end": {"summary": "The mill is not rebuilt."},
}
UNLINKED = {"evaluate": {"reasoning": f"{MILL} Yes, mills are pretty."}, "recall": {"text": MILL}}


def links(result: Any) -> list[str]:
    """Return the URIs of an answer's links, which follow its text."""
    text, *more = result.content
    assert text.type == "text"
    assert {each.type for each in more} <= {"resource_link"}
    assert all(each.annotations.audience == ["user"] for each in more)
    return [str(each.uri) for each in more]


@pytest.fixture
def env(postgres: TestPostgres, database: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a server without a language model."""
    dsn = postgres.address.dsn("postgres", database)
    return environment(tmp_path / "home", REASONLOOM_TOOLSETS="all,extras", DATABASE_URL=dsn)


async def test_every_link_leads_to_a_page(shared_database: str) -> None:
    async with reading(shared_database, "anna", toolsets="all,extras") as reader:
        await reader.call("session_start")
        for tool, arguments in LINKED.items():
            result = await reader.client.call_tool(tool, arguments)
            assert not result.is_error, (tool, result.content)
            body = result.structured_content or {}
            body = body.get("data") or body
            session = (
                None if tool == "session_end" else body.get("session_id", body.get("sessionId"))
            )
            run, *sessions = links(result)
            assert f"# Run {run.removeprefix('reasonloom://run/')}" in await reader.page(run)
            assert sessions == ([f"reasonloom://session/{session}"] if session else []), tool
            for each in sessions:
                assert await reader.page(each), tool
        for tool, arguments in UNLINKED.items():
            assert links(await reader.client.call_tool(tool, arguments)) == [], tool


async def test_a_kind_that_is_not_served_is_not_linked(shared_database: str) -> None:
    async with reading(shared_database, "anna", toolsets=(), tools="think") as reader:
        result = await reader.client.call_tool("think", {"problem": MILL, "mode": "parallel"})
        assert [each.split("/")[2] for each in links(result)] == ["run"]


async def test_what_lies_in_another_space_has_no_page(shared_database: str) -> None:
    async with reading(shared_database, "anna") as reader:
        result = await reader.client.call_tool(
            "think", {"problem": MILL, "mode": "parallel", "userId": "guest"}
        )
        assert not result.is_error, result.content
        assert links(result) == []


@pytest.mark.parametrize("revision", REVISIONS)
async def test_both_revisions_and_tasks_have_the_links_and_references_have_none(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    with web(env, folder) as site:
        async with Client(site.url, mode=revision) as client:
            result = await client.call_tool("reasoning_linear", {"content": MILL})
            assert [each.split("/")[2] for each in links(result)] == ["run", "session"]
        if revision == HANDSHAKE:
            async with task_client(site.url, revision) as tasks:
                task = await tasks.begin("reasoning_linear", content=MILL)
                found = (await tasks.result(task["taskId"]))["content"]
                assert found[1]["uri"] == f"reasonloom://run/{task['taskId']}"
        path = site.url.replace("/mcp", "/mcp/as/langbase-reasoning")
        async with Client(path, mode=revision) as client:
            assert links(await client.call_tool("reasoning_linear", {"content": MILL})) == []


@pytest.mark.parametrize(("version", "linked"), [("2024-11-05", 0), ("2025-06-18", 2)])
def test_a_client_of_an_old_revision_gets_text_alone(
    env: dict[str, str], folder: Path, version: str, linked: int
) -> None:
    server = Spoken(env, folder)
    try:
        server.handshake(version)
        _, *more = server.call("reasoning_linear", {"content": MILL})["content"]
        assert [each["type"] for each in more] == ["resource_link"] * linked
    finally:
        server.stop()
