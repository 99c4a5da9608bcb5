"""The user confirms that memories are deleted for good, through the SDK's client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST, ElicitResult, ErrorData

from tests.support.clients.person import Person
from tests.support.clients.processes import web

REVISIONS = ["2026-07-28", "legacy"]
YES = ElicitResult(action="accept", content={"confirm": True})


async def forget(client: Client, count: int, **more: Any) -> tuple[Any, int]:
    """Store memories and forget them for good; return the answer, and how many are left."""
    ids = []
    for number in range(count):
        arguments = {"content": f"Shelf {number} holds jam of year {1950 + number}."}
        stored = await client.call_tool("remember", arguments)
        ids.append(stored.structured_content["data"]["memoryId"])
    meta = more.pop("meta", None)
    given = {"userId": "local", "memoryIds": ids, "soft": False, **more}
    result = await client.call_tool("batch_forget", given, meta=meta)
    kept = await client.call_tool("batch_recall", {"userId": "local", "memoryIds": ids})
    assert not kept.is_error, kept.content
    return result, len(kept.structured_content["data"]["memories"])


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_confirmed_deletion_is_done_and_asked_about_once(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    person = Person(YES)
    with web(env, folder) as site:
        async with Client(site.url, mode=revision, elicitation_callback=person) as client:
            result, left = await forget(client, 3, meta={"io.reasonloom/idempotency-key": "k"})
            assert not result.is_error, result.content
            assert left == 0
            assert len(person.questions) == 1
            assert person.questions[0].startswith("Delete 3 memories for good?")
            for harmless in ({"soft": True}, {"dryRun": True}):
                await forget(client, 2, **harmless)
            assert (await forget(client, 1))[1] == 0
            assert len(person.questions) == 1


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    "reply",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"confirm": False}),
        ElicitResult(action="accept", content={"confirm": "yes"}),
    ],
    ids=["declined", "closed", "unchecked", "of another type"],
)
async def test_what_is_not_confirmed_is_not_done(
    env: dict[str, str], folder: Path, revision: str, reply: ElicitResult
) -> None:
    with web(env, folder) as site:
        async with Client(site.url, mode=revision, elicitation_callback=Person(reply)) as client:
            result, left = await forget(client, 2)
            assert result.is_error
            assert "the user did not confirm it, and nothing was done" in result.content[0].text
            assert left == 2


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (None, "did not answer within 2 s"),
        (ErrorData(code=INVALID_REQUEST, message="no"), "offers elicitation but did not ask"),
    ],
    ids=["silent", "lying"],
)
async def test_a_host_that_does_not_answer_deletes_nothing(
    env: dict[str, str], folder: Path, reply: ErrorData | None, text: str
) -> None:
    with web(env, folder) as site:
        async with Client(site.url, mode="legacy", elicitation_callback=Person(reply)) as client:
            result, left = await forget(client, 2)
            assert result.is_error
            assert text in result.content[0].text
            assert left == 2


@pytest.mark.parametrize("revision", REVISIONS)
async def test_who_does_not_offer_it_is_not_asked(
    env: dict[str, str], folder: Path, revision: str
) -> None:
    with web(env, folder) as site:
        async with Client(site.url, mode=revision) as client:
            assert (await forget(client, 2))[1] == 0
    person = Person(YES)
    with web(env, folder, "--no-elicitation") as site:
        async with Client(site.url, mode=revision, elicitation_callback=person) as client:
            assert (await forget(client, 2))[1] == 0
    assert person.questions == []


async def test_a_reply_holds_for_the_memories_it_was_given_for(
    env: dict[str, str], folder: Path
) -> None:
    """Two lists of 21 that differ in the last one, which the question does not name."""
    with web(env, folder) as site:
        async with Client(site.url, elicitation_callback=Person(YES)) as client:
            ids = []
            for number in range(22):
                given = {"content": f"Shelf {number} holds jam of year {1950 + number}."}
                stored = await client.call_tool("remember", given)
                ids.append(stored.structured_content["data"]["memoryId"])
            first, other = (
                {"userId": "local", "soft": False, "memoryIds": [*ids[:20], last]}
                for last in ids[20:]
            )

            async def forget_many(given: dict[str, Any], state: str | None) -> Any:
                return await client.session.call_tool(
                    "batch_forget",
                    given,
                    input_responses={"confirm": YES} if state else None,
                    request_state=state,
                    allow_input_required=True,
                )

            asked = await forget_many(first, None)
            with pytest.raises(MCPError, match="requestState"):
                await forget_many(other, asked.request_state)
            done = await forget_many(first, asked.request_state)
            assert not done.is_error, done.content
