"""The user settles which of two memories holds, through the SDK's client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import INVALID_REQUEST, ElicitResult, ErrorData

from tests.support.clients.person import Person
from tests.support.clients.processes import command, web

REVISIONS = ["2026-07-28", "legacy"]
OLD = "The weekly meeting is on Tuesday at ten."
NEW = "The weekly meeting takes place on Thursday."
RENT, OTHER_RENT = "Der Mietpreis beträgt 900 Euro.", "Der Mietpreis beträgt 950 Euro."
REPLACES = ElicitResult(action="accept", content={"replaces": True})
SILENT_OR_UNWILLING = [
    ElicitResult(action="decline"),
    ElicitResult(action="cancel"),
    ElicitResult(action="accept", content={"replaces": False}),
    ElicitResult(action="accept", content={"replaces": "yes"}),
]


def right(memory: str) -> ElicitResult:
    return ElicitResult(action="accept", content={"right": memory})


@asynccontextmanager
async def connected(
    way: str, env: dict[str, str], folder: Path, person: Person | None, mode: str, *flags: str
) -> AsyncIterator[Client]:
    """Yield a client of a server over stdio or HTTP, whose user is `person`."""
    if way == "stdio":
        program, *arguments = command(*flags)
        server = StdioServerParameters(command=program, args=arguments, env=env, cwd=folder)
        async with Client(server, mode=mode, elicitation_callback=person) as client:
            yield client
        return
    with web(env, folder, *flags) as site:
        async with Client(site.url, mode=mode, elicitation_callback=person) as client:
            yield client


async def call(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


async def store(client: Client, content: str) -> dict[str, Any]:
    return dict((await call(client, "remember", content=content))["data"])


async def current(client: Client) -> set[int]:
    return {each["node_id"] for each in (await call(client, "memory_query"))["results"]}


@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize("revision", REVISIONS)
async def test_what_the_user_confirms_is_superseded(
    env: dict[str, str], folder: Path, way: str, revision: str
) -> None:
    person = Person(REPLACES)
    async with connected(way, env, folder, person, revision) as client:
        old = await store(client, OLD)
        new = await store(client, NEW)
        (question,) = person.questions
        assert OLD in question
        assert NEW in question
        assert new["superseded"] == [old["memoryId"]]
        assert "mayReplace" not in new
        assert "deduplicated" not in new, "the same call is not carried out twice"
        assert await current(client) == {2}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("reply", SILENT_OR_UNWILLING, ids=["no", "closed", "both", "wrong type"])
async def test_without_a_yes_nothing_is_done_and_nothing_asked_again(
    env: dict[str, str], folder: Path, revision: str, reply: ElicitResult
) -> None:
    person = Person(reply)
    async with connected("http", env, folder, person, revision) as client:
        old = await store(client, OLD)
        for _ in range(2):
            new = await store(client, NEW)
            assert [each["id"] for each in new["mayReplace"]] == [old["memoryId"]]
            assert "superseded" not in new
        assert len(person.questions) == 1
        assert await current(client) == {1, 2}


@pytest.mark.parametrize(
    "reply", [None, ErrorData(code=INVALID_REQUEST, message="no")], ids=["silent", "lying"]
)
async def test_a_host_that_does_not_answer_changes_nothing(
    env: dict[str, str], folder: Path, reply: ErrorData | None
) -> None:
    async with connected("stdio", env, folder, Person(reply), "legacy") as client:
        await store(client, OLD)
        assert (await store(client, NEW))["mayReplace"]
        assert await current(client) == {1, 2}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_nobody_is_asked_who_cannot_or_must_not_be(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    async with connected("http", env, folder, None, revision) as client:
        await store(client, OLD)
        assert (await store(client, NEW))["mayReplace"]
    person = Person(REPLACES)
    async with connected("http", env, folder, person, revision, "--no-elicitation") as client:
        assert (await store(client, NEW))["mayReplace"]
    alike = {key: value for key, value in env.items() if key != "REASONLOOM_TOOLSETS"}
    async with connected("http", alike, folder, person, revision, "--as", "thoughtmcp") as client:
        given = {"userId": "local", "sessionId": "s", "primarySector": "semantic"}
        await call(client, "remember", content=NEW, **given)
    assert person.questions == []


@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize("revision", REVISIONS)
async def test_of_two_that_contradict_the_right_one_is_kept(
    env: dict[str, str], folder: Path, way: str, revision: str
) -> None:
    person = Person(right("mem-2"))
    async with connected(way, env, folder, person, revision) as client:
        for content in (RENT, OTHER_RENT):
            await call(client, "memory_add", content=content, event_type="fact")
        answer = await call(client, "memory_ground", claim=RENT)
        (question,) = person.questions
        assert "Which one is right?" in question
        assert answer["status"] == "ungrounded", "the verdict is of what holds now"
        assert await current(client) == {2}
        assert "mem-1 is superseded" in " ".join(answer["notes"])


@pytest.mark.parametrize("revision", REVISIONS)
async def test_where_the_older_one_is_right_the_newer_one_is_corrected(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    async with connected("http", env, folder, Person(right("mem-1")), revision) as client:
        for content in (RENT, OTHER_RENT):
            await call(client, "memory_add", content=content, event_type="fact")
        answer = await call(client, "memory_ground", claim=RENT)
        assert answer["status"] == "verified"
        assert await current(client) == {1, 3}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_contradiction_is_put_to_the_user_once(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    person = Person(ElicitResult(action="decline"))
    async with connected("http", env, folder, person, revision) as client:
        for content in (RENT, OTHER_RENT):
            await call(client, "memory_add", content=content, event_type="fact")
        for _ in range(2):
            answer = await call(client, "memory_ground", claim=RENT)
            assert answer["status"] == "partial"
        assert len(person.questions) == 1
        assert await current(client) == {1, 2}
    async with connected("http", env, folder, person, revision, "--read-only") as client:
        await call(client, "memory_ground", claim=OTHER_RENT)
    assert len(person.questions) == 1
