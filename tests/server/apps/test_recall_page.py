"""Recall explained inside a chat: the bars, what was left out, and changes by a click."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from playwright.async_api import Browser, expect

from reasonloom.nodes.memory.retrieval.scoring import ScoreParts
from tests.support.apps.host import DARK, Host, hosting

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=http://evil.example/x> \u202egnorw"
)
QUESTION = "Who is allergic to peanuts?"


async def remembered(client: Client, *contents: str) -> None:
    for content in contents:
        await client.call_tool("remember", {"content": content, "primarySector": "semantic"})


async def current(client: Client) -> dict[str, str]:
    """Return the contents that search finds now, by id."""
    answer = await client.call_tool("search", {"limit": 50})
    memories = answer.structured_content["data"]["memories"]
    return {each["id"]: each["content"] for each in memories}


async def whole(host: Host) -> str:
    return await host.frame.locator("body").inner_text()


async def test_each_score_is_drawn_once_it_is_explained(browser: Browser, client: Client) -> None:
    await remembered(client, "Ben is allergic to peanuts", "The lighthouse turns", "Anna bakes")
    async with hosting(browser, client) as host:
        frame = await host.open("recall", {"text": QUESTION, "limit": 1})
        await frame.get_by_role("button", name="Explain the scores").click()
        card = frame.locator("ol.studio-found > li").first
        await card.locator(".studio-shares").wait_for()
        words = await card.inner_text()
        assert "allergic to peanuts" in words
        score = float(words.split("score ")[1].split()[0])
        legend = await card.locator(".studio-legend li").all_inner_texts()
        shares = {name: float(share) for name, share in (each.split() for each in legend)}
        assert {"cosine", "salience", "recency"} <= shares.keys()
        assert sum(shares.values()) == pytest.approx(score, abs=0.004)
        assert "left out" in await whole(host)
        await frame.get_by_role("button", name="Show what was left out").click()
        await expect(frame.locator("ol.studio-found > li").first).not_to_contain_text("peanuts")
        assert host.requests == host.complaints == []


@pytest.mark.parametrize(
    "given",
    [
        {"salience": 0.5, "recency": 0.8, "linkWeight": 0.25},
        {"salience": 0.5, "recency": 0.8, "linkWeight": 0.25, "similarity": 0.4,
         "signals": {"cosine": 0.5, "words": 0.2}},
        {"salience": 0.5, "recency": 0.8, "linkWeight": 0.25, "similarity": -0.3,
         "signals": {"cosine": 0.5, "suspicion": -1.5}},
    ],
)  # fmt: skip
async def test_shares_add_up_to_the_score_that_recall_gives(
    browser: Browser, client: Client, given: dict[str, Any]
) -> None:
    parts = ScoreParts(
        given["salience"], given["recency"], given["linkWeight"], given.get("similarity")
    )
    memory = {"id": "mem-1", "content": "a", "createdAt": "2026-01-01", "primarySector": "semantic",
              "score": parts.score, "explanation": given}  # fmt: skip
    data = {"memories": [memory], "totalCount": 1}
    result = {"content": [], "structuredContent": {"success": True, "data": data}}
    async with hosting(browser, client, result=result) as host:
        frame = await host.open("recall", {"text": QUESTION})
        await frame.locator(".studio-legend li").first.wait_for()
        legend = await frame.locator(".studio-legend li").all_inner_texts()
        shares = [float(each.split()[1]) for each in legend]
        assert sum(shares) == pytest.approx(parts.score, abs=0.002)


async def test_a_memory_is_corrected_by_keyboard_alone(browser: Browser, client: Client) -> None:
    await remembered(client, "Ben is allergic to peanuts")
    async with hosting(browser, client) as host:
        frame = await host.open("recall", {"text": QUESTION})
        button = frame.get_by_role("button", name="Correct mem-")
        await button.focus()
        await host.page.keyboard.press("Enter")
        await expect(frame.locator("textarea")).to_be_focused()
        await host.page.keyboard.press("ControlOrMeta+A")
        await host.page.keyboard.type("Ben is allergic to walnuts")
        await host.page.keyboard.press("Tab")
        await host.page.keyboard.press("Enter")
        await expect(frame.locator("[role=status]")).to_contain_text("is corrected")
        assert list((await current(client)).values()) == ["Ben is allergic to walnuts"]
        (noted,) = [each for name, each in host.requested if name == "ui/update-model-context"]
        assert "walnuts" in noted["content"][0]["text"]


async def test_a_form_that_is_left_changes_nothing(browser: Browser, client: Client) -> None:
    await remembered(client, "Ben is allergic to peanuts")
    async with hosting(browser, client) as host:
        frame = await host.open("recall", {"text": QUESTION})
        for name in ("Correct", "Replace", "Forget"):
            await frame.get_by_role("button", name=f"{name} mem-").click()
            await frame.get_by_role("button", name="Cancel").click()
            await expect(frame.get_by_role("button", name=f"{name} mem-")).to_be_focused()
        assert [name for name, _ in host.requested] == ["ui/initialize"]


async def test_a_memory_is_replaced_and_another_forgotten(browser: Browser, client: Client) -> None:
    await remembered(client, "Ben is allergic to peanuts", "Peanuts are no nuts")
    async with hosting(browser, client) as host:
        frame = await host.open("recall", {"text": QUESTION})
        card = frame.locator("li.studio-card", has_text="Ben is allergic")
        await card.get_by_role("button", name="Replace").click()
        await card.locator("textarea").fill("Ben is allergic to nothing any more")
        await card.get_by_role("button", name="Save").click()
        await expect(card.locator(".studio-mark.warn")).to_have_text("superseded")
        other = frame.locator("li.studio-card", has_text="no nuts")
        await other.get_by_role("button", name="Forget").click()
        await other.get_by_role("button", name="Hide").click()
        await expect(other).to_contain_text("hidden")
        again = await client.call_tool("recall", {"text": QUESTION})
        first, old = again.structured_content["data"]["memories"]
        assert first["content"] == "Ben is allergic to nothing any more"
        assert old["supersededBy"] == first["id"]
        noted = [each for name, each in host.requested if name == "ui/update-model-context"]
        assert "superseded" in noted[-1]["content"][0]["text"]
        assert "hidden" in noted[-1]["content"][0]["text"]


async def test_contents_are_texts(browser: Browser, client: Client) -> None:
    await remembered(client, f"{HOSTILE} peanuts")
    async with hosting(browser, client) as host:
        frame = await host.open("recall", {"text": f"peanuts {HOSTILE}", "explain": True})
        await frame.locator(".studio-shares").wait_for()
        words = await whole(host)
        assert "</script><script>document.title='owned'</script>" in words
        assert "⟨U+202E⟩" in words
        assert await frame.locator("main script, main img").count() == 0
        assert "owned" not in await frame.title()
        assert host.requests == host.complaints == []


@pytest.mark.parametrize("width", [390, 900])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("variables", [None, DARK], ids=["own", "host"])
async def test_the_page_is_for_everybody(
    browser: Browser, client: Client, width: int, theme: str, variables: dict[str, str] | None
) -> None:
    await remembered(client, "Ben is allergic to peanuts", "Peanuts " + "grow" * 80)
    async with hosting(browser, client, width=width, theme=theme, variables=variables) as host:
        frame = await host.open("recall", {"text": QUESTION, "explain": True})
        await frame.locator(".studio-shares").first.wait_for()
        await frame.get_by_role("button", name="Correct mem-").first.click()
        await frame.get_by_role("button", name="Forget mem-").last.click()
        assert await host.faults() == []
        assert await host.overflow() <= 0
        dark = await frame.evaluate("() => getComputedStyle(document.body).backgroundColor")
        bright = sum(map(int, dark.removeprefix("rgb(").removesuffix(")").split(","))) > 600
        assert bright is (theme == "light")
        assert host.requests == host.complaints == []
