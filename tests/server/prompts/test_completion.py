"""Arguments of prompts are completed: by what the modes take, and by the caller's own ids."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import Completion, PromptReference

from reasonloom.prompts.registry import PromptRegistry
from reasonloom.prompts.variables import Use, variable_uses
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.prompts.values import SOURCES
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres

NOWHERE = "postgresql://127.0.0.1:1/none"
OWN = """---
name: own/ask
version: 1
variables: [session_id, memory_id, graph_id, mode, primarySector, other]
---
{% block system %}Read {{ session_id }} {{ memory_id }} {{ graph_id }}.{% endblock %}
{% block user %}{{ mode }} {{ primarySector }} {{ other }}{% endblock %}
"""


class Completing:
    """A client that completes arguments of prompts."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def told(self, prompt: str, argument: str, begun: str, **given: str) -> Completion:
        return (
            await self.client.complete(
                PromptReference(name=prompt),
                {"name": argument, "value": begun},
                context_arguments=given or None,
            )
        ).completion

    async def values(self, prompt: str, argument: str, begun: str = "", **given: str) -> list[str]:
        return list((await self.told(prompt, argument, begun, **given)).values)


@pytest.fixture
def database_url(postgres: TestPostgres) -> Iterator[str]:
    with postgres.clone() as name:
        yield postgres.address.dsn("postgres", name)


@asynccontextmanager
async def completing(database_url: str = NOWHERE, **given: Any) -> AsyncIterator[Completing]:
    """Yield the client of a server; known values need no database."""
    chosen = {} if "serve_as" in given else {"toolsets": "all"}
    settings = load_settings(database_url=database_url, llm="offline", **{**chosen, **given})
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield Completing(client)


@pytest.mark.parametrize(("prompt", "argument"), sorted(SOURCES))
async def test_every_value_offered_fills_its_prompt_in(prompt: str, argument: str) -> None:
    template = PromptRegistry().get(prompt)
    variables = template.about.variables
    assert argument in variables
    lists = {name for name, uses in variable_uses(template).items() if Use.ITERATED in uses}
    others = {name: "[]" if name in lists else "x" for name in variables if name != argument}
    others |= dict.fromkeys({"failed", "searched"}.intersection(variables), "")
    if prompt == "analysis/step":
        others |= {"framework": '{"name": "a", "description": "b"}'}
        others |= {"step": '{"name": "a", "told": "b", "questions": [], "expects": "c"}'}
        others.pop(argument)
    if prompt == "thinking/stream":
        others |= {"stream": '{"name": "a", "told": "b", "questions": []}', "own": ""}
        others.pop(argument, None)
    async with completing() as asked:
        found = await asked.values(prompt, argument)
        assert found
        for value in found:
            said = await asked.client.get_prompt(prompt, {**others, argument: value})
            assert len(said.messages) == 2


async def test_a_value_is_found_by_its_name_and_beside_what_is_given() -> None:
    async with completing() as asked:
        (value,) = await asked.values("thinking/stream", "stream", "CREA")
        assert json.loads(value)["name"] == "creative"
        assert await asked.values("thinking/stream", "stream", value[:20]) == [value]
        assert await asked.values("thinking/stream", "stream", "nothing") == []
        every = await asked.values("analysis/step", "step")
        (framework,) = await asked.values("analysis/step", "framework", "first")
        steps = await asked.values("analysis/step", "step", framework=framework)
        assert 0 < len(steps) < len(every)
        assert set(steps) < set(every)
        assert await asked.values("linear/continue", "content", "W") == []


async def test_what_is_no_argument_or_no_prompt_is_malformed() -> None:
    async with completing() as asked:
        for prompt, argument, told in (
            ("linear/continue", "contents", "contents: unknown argument"),
            ("linear/continues", "content", "Prompt not found"),
            ("evals/judge", "task", "Prompt not found"),
        ):
            with pytest.raises(MCPError, match=told) as caught:
                await asked.values(prompt, argument)
            assert caught.value.error.code == -32602


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ask.v1.md").write_text(OWN, encoding="utf-8")
    return tmp_path


async def test_an_argument_named_as_a_tools_takes_its_values(prompts: Path) -> None:
    async with completing(prompts=prompts, toolsets="thought") as asked:
        assert await asked.values("own/ask", "mode") == [
            "analytical", "creative", "critical", "synthetic", "parallel",
        ]  # fmt: skip
        assert await asked.values("own/ask", "primarySector", "EP") == ["episodic"]
        assert await asked.values("own/ask", "other") == []


async def test_ids_are_the_callers_own_alone(database_url: str, prompts: Path) -> None:
    more = {"prompts": prompts, "toolsets": "all"}
    async with (
        completing(database_url, user="anna", **more) as anna,
        completing(database_url, user="ben", **more) as ben,
    ):
        thought = await anna.client.call_tool("reasoning_linear", {"content": "Which way?"})
        assert thought.structured_content
        session = thought.structured_content["session_id"]
        assert await anna.values("own/ask", "session_id") == [session]
        assert await anna.values("own/ask", "session_id", session[:6]) == [session]
        assert await anna.values("own/ask", "session_id", "zz") == []
        memories = await anna.values("own/ask", "memory_id")
        assert memories
        for argument, begun in (
            ("session_id", ""), ("session_id", session), ("memory_id", ""), ("graph_id", ""),
        ):  # fmt: skip
            assert await ben.values("own/ask", argument, begun) == []


async def test_ids_of_what_is_not_served_are_not_offered(database_url: str, prompts: Path) -> None:
    async with completing(database_url, prompts=prompts, toolsets="reasoning") as asked:
        await asked.client.call_tool("reasoning_linear", {"content": "Which way?"})
        assert await asked.values("own/ask", "session_id")
    async with completing(database_url, prompts=prompts, toolsets="thought") as asked:
        assert await asked.values("own/ask", "session_id") == []
