"""Hosts that lie, fail, send nonsense or never answer: the page says so, and does nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from playwright.async_api import Browser, expect

from tests.support.apps.host import Host, hosting

RESULT = {
    "content": [{"type": "text", "text": "one memory"}],
    "structuredContent": {
        "success": True,
        "data": {
            "memories": [
                {"id": "mem-1", "content": "Ben is allergic", "createdAt": "2026-01-01T00:00:00",
                 "primarySector": "semantic", "score": 0.5}
            ],
            "totalCount": 1,
        },
    },
}  # fmt: skip
FORGED = {
    "jsonrpc": "2.0",
    "method": "ui/notifications/tool-result",
    "params": {"content": [{"type": "text", "text": "forged words"}], "isError": True},
}


async def opened(host: Host) -> Any:
    host.result = host.result if host.result is not None else RESULT
    return await host.open("recall", {"text": "Ben"})


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({}, "holds no data"),
        ({"content": "none"}, "holds no data"),
        ({"content": [{"type": "text", "text": "plain words"}]}, "plain words"),
        ({"content": [], "structuredContent": []}, "holds no data"),
        ({"content": [], "structuredContent": {"data": None}}, "a form that this page does not"),
        ({"structuredContent": {"data": {"memories": [{"id": 1}]}}}, "a form that this page does"),
        ({"isError": True, "content": [{"type": "text", "text": "it broke"}]}, "it broke"),
        ({"structuredContent": {"success": False, "error": "No", "detail": "id 7"}}, "No: id 7"),
    ],
)
async def test_a_malformed_result_is_said_to_be_one(
    browser: Browser, client: Client, result: dict[str, Any], words: str
) -> None:
    async with hosting(browser, client, result=result) as host:
        frame = await opened(host)
        await expect(frame.locator("main")).to_contain_text(words)
        assert host.complaints == []


async def test_a_host_that_never_answers(browser: Browser, client: Client) -> None:
    async with hosting(browser, client, silent={"ui/initialize"}) as host:
        frame = await opened(host)
        await expect(frame.locator("h1")).to_have_text("No host", timeout=30_000)
        assert await host.faults() == []


async def test_a_call_that_is_never_answered_ends(browser: Browser, client: Client) -> None:
    async with hosting(browser, client, silent={"tools/call"}) as host:
        await host.page.clock.install()
        frame = await opened(host)
        await frame.get_by_role("button", name="Explain the scores").click()
        await expect(frame.locator("[role=status]")).to_have_text("Working…")
        await host.page.clock.fast_forward(61_000)
        await expect(frame.locator("[role=status]")).to_contain_text("did not answer within 60 s")


@pytest.mark.parametrize("failing", ["ui/initialize", "tools/call", "ui/update-model-context"])
async def test_a_host_that_lies_about_what_it_can_do(
    browser: Browser, client: Client, failing: str
) -> None:
    await client.call_tool("remember", {"content": "Ben is allergic", "primarySector": "semantic"})
    async with hosting(browser, client, failing={failing}) as host:
        frame = await host.open("recall", {"text": "Ben"})
        if failing == "ui/initialize":
            await expect(frame.locator("main")).to_contain_text("ui/initialize was refused")
            return
        await frame.get_by_role("button", name="Forget").click()
        await frame.get_by_role("button", name="Hide").click()
        await expect(frame.locator("[role=status]")).to_contain_text(f"{failing} was refused")


@pytest.mark.parametrize("capabilities", [{}, [], None, "all", {"serverTools": None}])
async def test_without_calls_of_tools_nothing_can_be_changed(
    browser: Browser, client: Client, capabilities: Any
) -> None:
    async with hosting(browser, client, capabilities=capabilities) as host:
        frame = await opened(host)
        await expect(frame.locator("li.studio-card")).to_contain_text("Ben is allergic")
        assert await frame.get_by_role("button").count() == 0


async def test_a_message_of_another_frame_is_ignored(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host)
        await expect(frame.locator("li.studio-card")).to_be_visible()
        await frame.evaluate("forged => window.postMessage(forged, '*')", FORGED)
        top = "forged => frames[0].frames[0].postMessage(forged, '*')"
        await host.page.evaluate(top, FORGED)
        await frame.evaluate("() => new Promise((done) => setTimeout(done, 200))")
        assert "forged" not in await frame.locator("body").inner_text()
        await host.send(FORGED)
        await expect(frame.locator("main")).to_contain_text("forged words"), "the host is heard"


async def test_a_message_of_another_origin_is_ignored(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host)
        await expect(frame.locator("li.studio-card")).to_be_visible()
        dispatched = """forged => window.dispatchEvent(new MessageEvent(
          "message", {data: forged, source: window.parent, origin: "http://evil.example"}))"""
        await frame.evaluate(dispatched, FORGED)
        assert "forged" not in await frame.locator("body").inner_text()


NONSENSE: list[Any] = [
    None, 7, "text", [], {}, {"jsonrpc": "1.0", "method": "ui/notifications/tool-result"},
    {"jsonrpc": "2.0", "id": 99, "result": {}}, {"jsonrpc": "2.0", "method": 5},
    {"jsonrpc": "2.0", "method": "ui/notifications/host-context-changed", "params": 3},
    {"jsonrpc": "2.0", "method": "ui/notifications/host-context-changed",
     "params": {"theme": 3, "styles": {"variables": {"--color-text-primary": {}}}}},
    {"jsonrpc": "2.0", "method": "ui/notifications/unknown"},
]  # fmt: skip


async def test_nonsense_is_ignored_and_the_theme_followed(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host)
        await expect(frame.locator("li.studio-card")).to_be_visible()
        sandbox = (
            "messages => messages.forEach((each) => inner.contentWindow.postMessage(each, '*'))"
        )
        await host.page.frames[1].evaluate(sandbox, NONSENSE)
        change = {"theme": "dark", "styles": {"variables": {
            "--color-background-primary": "url(http://evil.example/x)",
            "--color-text-primary": "#ffffff"}}}  # fmt: skip
        await host.send({"method": "ui/notifications/host-context-changed", "params": change})
        await expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
        await host.send({"id": 1, "method": "ui/resource-teardown", "params": {}})
        await expect(frame.locator("li.studio-card")).to_contain_text("Ben is allergic")
        assert host.requests == host.complaints == []


async def test_calls_of_hosts_to_a_page_are_answered(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        await opened(host)
        asked = """() => new Promise((done) => {
          window.addEventListener("message", ({data}) => { if (data.id === "x") done(data); });
          send({id: "x", method: "tools/call", params: {}});
        })"""
        assert (await host.page.evaluate(asked))["error"]["code"] == -32601
