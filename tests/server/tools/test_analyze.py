"""analyze as a client sees it: the envelope, wrong input, progress."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from reasonloom.contracts.thinking.analyze import Analyze
from reasonloom.graphs.thinking.analyze import more_steps
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.server.protocol.test_progress import Heard, Opened, counted, steps
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.analysis import analysing
from tests.support.reasoning.sessions import stored_rows, thinking

ASKED: dict[str, Any] = {"problem": "Why does the pump stop?"}
CAUSE = {**ASKED, "preferredFramework": "root-cause-analysis"}
STEPS = [
    "recall", "select framework", "work through steps", "read the replies", "work through steps",
    "work through steps, 1 of 2 done", "read the replies", "work through steps",
    "read the replies", "work through steps", "read the replies", "conclude",
    "check constraints", "keep analysis",
]  # fmt: skip


async def test_offline_the_envelope_tells_what_was_used_and_mistakes_are_told(
    postgres: TestPostgres, database: str, access: Access
) -> None:
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url, toolsets="thought")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        answer = (await client.call_tool("analyze", ASKED)).structured_content or {}
        assert answer["success"]
        used = answer["metadata"]["componentsUsed"]
        assert "frameworkSelector" in used
        assert "languageModel" not in used
        before = stored_rows(access)
        for wrong, told in (
            ({**ASKED, "preferredFramework": "magic"}, "must be one of"),
            ({"problem": " "}, "Problem cannot be empty"),
            ({}, "Missing required parameter: problem"),
        ):
            result = await client.call_tool("analyze", wrong)
            said = result.structured_content or {}
            assert result.is_error
            assert (said["success"], told in said["error"]) == (False, True)
            if "preferredFramework" in wrong:
                assert all(name in said["error"] for name in FRAMEWORKS)
        assert stored_rows(access) == before


@pytest.mark.parametrize("constraints", [["No new pump"], []])
async def test_each_step_is_told_and_the_total_is_true_where_the_framework_is_named(
    access: Access, embedder: Embedder, constraints: list[str]
) -> None:
    reports: Heard = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    asked = {**CAUSE, "context": {"constraints": constraints}}
    messages = [each for each in STEPS if constraints or each != "check constraints"]
    async with (
        thinking(access, embedder, analysing()) as engine,
        Opened(engine) as room,
        Client(build_server(room)) as client,
    ):
        await client.call_tool("analyze", asked, progress_callback=note)
        assert steps(reports) == messages
        assert reports == counted(len(messages), messages)
        reports.clear()
        await client.call_tool("analyze", ASKED, progress_callback=note)
        assert {total for _, total, _ in reports} == {None}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_number_of_steps_is_known_where_the_framework_is_named(framework: str) -> None:
    request = Analyze.model_validate({**ASKED, "preferredFramework": framework})
    taken = FRAMEWORKS[framework]
    nodes = 8
    assert more_steps(request.model_dump(by_alias=True, exclude_unset=True)) == (
        4 + len(taken.steps) + len(taken.waves) - nodes
    )
    assert more_steps(ASKED) is None
