"""A session with lanes, a graph with a replay, the streams of ponder: drawn inside a chat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from playwright.async_api import Browser, Frame, expect

from reasonloom.settings import Settings, load_settings
from tests.support.apps.host import DARK, Host, hosting
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Chatting
from tests.support.llms.storyteller import storyteller

HOSTILE = "</script><script>document.title='owned'</script> <img src=http://evil.example/x> \u202e"
PROBLEM = f"How could a village save its bakery? {HOSTILE}"
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "reasoning_tree": ({"content": PROBLEM}, "button.studio-step"),
    "reasoning_got_run": ({"problem": PROBLEM, "plan": "deepen"}, ".loom-node"),
    "ponder": ({"problem": PROBLEM}, "loom-streams .studio-stream"),
}
"""A call for each page, and what it draws once it has read more."""


@pytest.fixture(scope="module")
def story() -> Iterator[Chatting]:
    with storyteller() as told:
        yield told


@pytest.fixture
def served(
    story: Chatting, postgres: TestPostgres, database: str, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """The settings of a server whose language model tells a story."""
    for name, value in story.settings.items():
        monkeypatch.setenv(name, value)
    url = postgres.address.dsn("postgres", database)
    return load_settings(database_url=url, toolsets="all,extras,default")


async def opened(host: Host, tool: str) -> Frame:
    given, drawn = CALLS[tool]
    frame = await host.open(tool, given)
    await frame.locator(drawn).first.wait_for()
    return frame


async def test_a_thought_shows_its_prompt_memories_and_check(
    browser: Browser, client: Client
) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host, "reasoning_tree")
        steps = frame.locator("button.studio-step")
        await expect(steps).to_have_count(len(host.result["structuredContent"]["branches"]) + 1)
        assert await frame.locator(".studio-lanes circle").count() == await steps.count()
        await steps.nth(1).focus()
        await host.page.keyboard.press("Enter")
        panel = frame.get_by_role("region", name="The chosen thought")
        await expect(panel.get_by_role("heading", name="Thought 2")).to_be_visible()
        await expect(panel).to_be_focused()
        await panel.locator("summary").first.click()
        words = await panel.inner_text()
        assert "Rendered prompt, user" in words
        assert "tree/propose" in words
        assert "mem-" in words
        assert "check " in words
        assert await panel.locator("pre").first.inner_text()
        assert await frame.locator("main script, main img").count() == 0
        assert host.requests == host.complaints == []


async def test_a_graph_is_played_again_and_walked_by_keys(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host, "reasoning_got_run")
        total = host.result["structuredContent"]["node_count"]
        nodes = frame.locator(".loom-node:not([hidden])")
        await expect(nodes).to_have_count(total)
        slider = frame.get_by_role("slider")
        await slider.focus()
        await host.page.keyboard.press("Home")
        await expect(nodes).to_have_count(1)
        await host.page.keyboard.press("ArrowRight")
        await expect(frame.locator("output")).to_have_text(f"2 of {total}")
        await frame.get_by_role("button", name="Play").click()
        await expect(nodes).to_have_count(total, timeout=20_000)
        await expect(frame.get_by_role("button", name="Play")).to_be_visible()
        await frame.locator(".loom-node").first.focus()
        await host.page.keyboard.press("ArrowRight")
        await host.page.keyboard.press("Space")
        panel = frame.get_by_role("region", name="The chosen thought")
        await expect(panel.get_by_role("heading", name="Thought 2")).to_be_visible()
        assert await frame.locator(".loom-node[tabindex='0']").count() == 1
        assert host.requests == host.complaints == []


async def test_streams_and_their_conflicts_are_drawn(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host, "ponder")
        conflicts = host.result["structuredContent"]["data"]["conflicts"]
        await expect(frame.locator(".studio-conflict")).to_have_count(len(conflicts))
        rounds = host.result["structuredContent"]["data"]["quarters"]
        await expect(frame.locator(".studio-quarter")).to_have_count(rounds)
        await expect(frame.locator("loom-streams .studio-stream")).to_have_count(4 * rounds)
        assert "owned" not in await frame.title()
        assert host.requests == host.complaints == []


@pytest.mark.parametrize("tool", CALLS)
async def test_without_calls_of_tools_the_answer_itself_is_drawn(
    browser: Browser, client: Client, tool: str
) -> None:
    async with hosting(browser, client, capabilities={}) as host:
        frame = await host.open(tool, CALLS[tool][0])
        await expect(frame.locator("main")).to_contain_text(
            {"ponder": "Conflicts"}.get(tool, "This host passes no calls of pages on")
        )
        assert [name for name, _ in host.requested] == ["ui/initialize"]


async def test_a_foreign_session_is_as_unknown(browser: Browser, client: Client) -> None:
    """A host that puts another owner's id into a result gets what the server says to any."""
    for id_ in ("00000000-0000-4000-8000-000000000000", "x"):
        values = {"session_id": id_, "content": "It floats.", "confidence": 0.5}
        result = {"content": [], "structuredContent": values}
        async with hosting(browser, client, result=result) as host:
            frame = await host.open("reasoning_linear", {})
            await expect(frame.locator("main")).to_contain_text("could not be read")
            await expect(frame.locator("[role=status]")).to_contain_text("Error: ")


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("values", [{}, {"data": 3}, {"questions": 1, "status": "needs_answers"}])
async def test_a_malformed_result_is_said_to_be_one(
    browser: Browser, client: Client, tool: str, values: dict[str, Any]
) -> None:
    result = {"content": [], "structuredContent": values}
    async with hosting(browser, client, result=result) as host:
        frame = await host.open(tool, {})
        await expect(frame.locator("main")).not_to_contain_text("Waiting")
        await expect(frame.locator("main h1")).to_be_visible()
        assert host.complaints == []


async def test_a_run_that_waits_for_its_caller_says_so(browser: Browser, client: Client) -> None:
    values = {"status": "needs_answers", "round": 2, "questions": [{}, {}, {}]}
    result = {"content": [], "structuredContent": values}
    for tool in CALLS:
        async with hosting(browser, client, result=result) as host:
            frame = await host.open(tool, {})
            await expect(frame.locator("main")).to_contain_text("waits for 3 answers")


@pytest.mark.parametrize("tool", CALLS)
async def test_the_pages_are_for_everybody(browser: Browser, client: Client, tool: str) -> None:
    result = None
    for width in (390, 900):
        for theme, variables in (("light", None), ("dark", None), ("light", DARK), ("dark", DARK)):
            async with hosting(
                browser, client, width=width, theme=theme, variables=variables, result=result
            ) as host:
                frame = await opened(host, tool)
                result = host.result
                await frame.locator(CALLS[tool][1]).nth(1).click()
                assert await host.faults() == []
                assert await host.overflow() <= 0
                assert host.requests == host.complaints == []
