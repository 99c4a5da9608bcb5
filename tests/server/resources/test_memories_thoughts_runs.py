"""Memories, thoughts and runs as resources: read, listed and completed by their owner alone."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from markdown_it import MarkdownIt
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings

KINDS = ("memory", "thought", "run")
HOSTILE = '```\n# Heading\n"] --> evil["x"] <script>alert(1)</script> [a](javascript:a)'
NOT_FOUND = -32602


class Reader:
    """A client that reads what its owner has."""

    def __init__(self, client: Client, owner: str) -> None:
        self.client = client
        self.owner = owner

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed; return its answer."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return dict(result.structured_content)

    async def remember(self, content: str) -> str:
        """Store a memory; return its id."""
        wanted = {"userId": self.owner, "sessionId": "s", "primarySector": "semantic"}
        said = await self.call("remember", content=content, **wanted)
        return str(said["data"]["memoryId"])

    async def page(self, uri: str) -> str:
        """Return the text of a resource."""
        content, *more = (await self.client.read_resource(uri)).contents
        assert [each.mime_type for each in more] == ["application/json"] * uri.count("://run/")
        assert content.mime_type == "text/markdown"
        return str(content.text)  # type: ignore[union-attr]

    async def listed(self, kind: str) -> dict[str, str]:
        """Return the titles of what is listed of a kind, by id."""
        start = f"reasonloom://{kind}/"
        every = (await self.client.list_resources()).resources
        return {
            str(each.uri).removeprefix(start): str(each.title)
            for each in every
            if str(each.uri).startswith(start)
        }

    async def completed(self, kind: str, begun: str) -> list[str]:
        """Return what completes an id."""
        template = ResourceTemplateReference(uri=f"reasonloom://{kind}/{{id}}")
        argument = {"name": "id", "value": begun}
        return list((await self.client.complete(template, argument)).completion.values)


@asynccontextmanager
async def reading(database_url: str, owner: str, **more: Any) -> AsyncIterator[Reader]:
    """Yield the client of a server for one owner."""
    settings = load_settings(
        database_url=database_url, user=owner, llm="offline", **{"toolsets": "all", **more}
    )
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield Reader(client, owner)


async def test_an_owner_reads_lists_and_completes_and_another_finds_nothing(
    shared_database: str,
) -> None:
    word = uuid.uuid4().hex
    async with (
        reading(shared_database, f"ada-{word}") as ada,
        reading(shared_database, f"bob-{word}") as bob,
    ):
        await bob.remember("Bob's own, so that he has a first memory too.")
        ids = {
            "memory": await ada.remember(f"The {word} hangs in the hall."),
            "thought": str((await ada.call("reasoning_linear", content=word))["thought_id"]),
        }
        ids["run"] = next(iter(await ada.listed("run")))
        for kind, identifier in ids.items():
            uri = f"reasonloom://{kind}/{identifier}"
            assert word in await ada.page(uri)
            assert identifier in await ada.listed(kind)
            assert identifier in await ada.completed(kind, identifier[:6])
            assert word not in str(await bob.listed(kind))
            if kind == "memory":
                continue  # numbers are each owner's own: Bob has the same
            assert identifier not in await bob.listed(kind)
            assert identifier not in await bob.completed(kind, "")
            with pytest.raises(MCPError) as foreign:
                await bob.page(uri)
            with pytest.raises(MCPError) as unknown:
                await bob.page(f"reasonloom://{kind}/{uuid.uuid4()}")
            assert foreign.value.error.code == unknown.value.error.code == NOT_FOUND
            assert foreign.value.error.message == unknown.value.error.message
        assert word not in await bob.page(f"reasonloom://memory/{ids['memory']}")


async def test_what_lies_in_another_space_is_not_shown(shared_database: str) -> None:
    word = uuid.uuid4().hex
    async with reading(shared_database, f"ada-{word}") as ada:
        said = await ada.call(
            "remember", content=word, userId="elsewhere", sessionId="s", primarySector="semantic"
        )
        identifier = said["metadata"]["runId"]
        assert await ada.listed("memory") == await ada.listed("run") == {}
        for uri in (f"reasonloom://memory/{said['data']['memoryId']}",
                    f"reasonloom://run/{identifier}"):  # fmt: skip
            with pytest.raises(MCPError, match="Resource not found"):
                await ada.page(uri)


async def test_names_complete_as_ids_do(shared_database: str) -> None:
    word = uuid.uuid4().hex
    async with reading(shared_database, f"ada-{word}") as ada:
        first = await ada.remember(f"A lantern called {word}.")
        second = await ada.remember("An anchor of iron.")
        assert await ada.completed("memory", "LANTERN called") == [first]
        assert await ada.completed("memory", "anchor") == [second]
        assert await ada.completed("memory", "mem-") == [second, first]
        assert await ada.completed("memory", "nothing like it") == []


@pytest.mark.parametrize(
    "uri",
    [f"reasonloom://{kind}/{identifier}" for kind in KINDS
     for identifier in ("x", "0", "mem-", "mem-99999999999999999999", "-1", "²", "%00", "a/b")],
)  # fmt: skip
async def test_an_id_that_is_none_is_not_found(shared_database: str, uri: str) -> None:
    async with reading(shared_database, "nobody") as reader:
        with pytest.raises(MCPError) as caught:
            await reader.page(uri)
    assert (caught.value.error.code, caught.value.error.message) == (
        NOT_FOUND, "Resource not found",
    )  # fmt: skip


async def test_what_was_said_stays_words_on_every_page(shared_database: str) -> None:
    word = uuid.uuid4().hex
    async with reading(shared_database, f"eve-{word}") as eve:
        uris = [f"reasonloom://memory/{await eve.remember(HOSTILE)}"]
        said = await eve.call("reasoning_linear", content=HOSTILE)
        uris.append(f"reasonloom://thought/{said['thought_id']}")
        uris += [f"reasonloom://run/{each}" for each in await eve.listed("run")]
        assert len(uris) == 4
        for uri in uris:
            text = await eve.page(uri)
            html = MarkdownIt("commonmark").render(text)
            assert "<script" not in html
            assert "<a " not in html
            assert "Heading</h" not in html
            for drawing in re.findall(r"```mermaid\n(.*?)\n```", text, re.S):
                assert "evil[" not in drawing


async def test_a_run_tells_what_went_in_what_it_asked_and_what_came_out(
    shared_database: str,
) -> None:
    word = uuid.uuid4().hex
    async with reading(shared_database, f"ada-{word}") as ada:
        said = await ada.call("reasoning_linear", content=f"Why {word}?")
        (identifier,) = await ada.listed("run")
        text = await ada.page(f"reasonloom://run/{identifier}")
        for part in ("## Input", "## Output", "done", "flowchart TD", word):
            assert part in text
        assert f"reasonloom://session/{said['session_id']}" in text
        thought = await ada.page(f"reasonloom://thought/{said['thought_id']}")
        assert f"reasonloom://run/{identifier}" in thought


def test_kinds_are_served_beside_the_tools_that_write_them() -> None:
    def kinds(**given: Any) -> list[str]:
        return [kind.name for kind in choose(load_settings(**given)).resources]

    assert set(kinds()) >= {*KINDS, "session", "graph"}
    assert kinds(toolsets="thought") == ["memory", "run"]
    assert kinds(serve_as="thoughtmcp") == []


async def test_a_reference_that_is_unknown_is_not_completed(shared_database: str) -> None:
    argument = {"name": "id", "value": ""}
    async with reading(shared_database, "nobody") as reader:
        for reference in (
            ResourceTemplateReference(uri="reasonloom://nothing/{id}"),
            ResourceTemplateReference(uri="reasonloom://basins"),
            PromptReference(name="nothing"),
        ):
            with pytest.raises(MCPError) as caught:
                await reader.client.complete(reference, argument)
            assert caught.value.error.code == NOT_FOUND
