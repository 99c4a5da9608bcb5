"""Two versions of a prompt, case by case, drawn inside a chat."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from playwright.async_api import Browser, Frame, expect

from reasonloom.settings import Settings
from tests.support.apps.host import DARK, Host, hosting
from tests.support.evals.saved import save_run, save_versions

HOSTILE = "</script><script>document.title='owned'</script> <img src=http://evil.example/x> 😀"


@pytest.fixture
def saved(served: Settings) -> None:
    """Two saved versions whose suite has a hostile case."""
    save_versions(served.home, more={f"hostile {HOSTILE}": f"What is it? {HOSTILE}"})


async def opened(host: Host, **given: Any) -> Frame:
    return await host.open("eval_compare", given)


@pytest.mark.usefixtures("saved")
async def test_versions_are_drawn_with_figures_prompts_and_cases(
    browser: Browser, client: Client
) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host)
        main = frame.locator("main")
        await expect(main).to_contain_text("support/label v2 is better than support/label v1")
        await expect(frame.get_by_role("heading", name="Compared with it")).to_be_visible()
        await expect(frame.locator(".app-table tbody tr").first).to_contain_text("score: exact")
        await expect(frame.locator(".studio-found > li")).to_have_count(10)
        await frame.locator("summary", has_text="v1 → v2").focus()
        await host.page.keyboard.press("Enter")
        await expect(frame.locator("pre")).to_contain_text("+version: 2")
        await frame.get_by_role("button", name="Show more cases").click()
        await expect(frame.locator(".studio-found > li")).to_have_count(21)
        assert await frame.locator("h1").evaluate("each => each === document.activeElement")
        hostile = frame.locator(".studio-found > li", has_text="hostile")
        await hostile.locator("summary").click()
        await expect(hostile).to_contain_text("</script><script>")
        await expect(hostile.locator("ins")).to_contain_text("v2")
        assert await frame.locator("main script, main img").count() == 0
        assert "owned" not in await frame.title()
        assert host.requests == host.complaints == []


@pytest.mark.usefixtures("saved")
async def test_other_runs_are_chosen_by_keys(
    browser: Browser, client: Client, served: Settings
) -> None:
    save_run(served.home, "support-3", 1, at=9)
    async with hosting(browser, client) as host:
        frame = await opened(host)
        await frame.get_by_label("Base").select_option("support-3.jsonl")
        await frame.get_by_label("Compared with it").select_option("support-1.jsonl")
        await frame.get_by_role("button", name="Compare", exact=True).focus()
        await host.page.keyboard.press("Enter")
        await expect(frame.locator("main")).to_contain_text("has the same score")
        await frame.get_by_label("Base").select_option("support-1.jsonl")
        await frame.get_by_role("button", name="Compare", exact=True).click()
        await expect(frame.locator("[role=status]")).to_contain_text("is the base")


async def test_without_runs_the_page_names_the_command(browser: Browser, client: Client) -> None:
    async with hosting(browser, client) as host:
        frame = await opened(host)
        await expect(frame.locator("main")).to_contain_text("reasonloom eval example")
        assert await host.faults() == []


async def test_one_cluster_is_not_estimable(browser: Browser, client: Client) -> None:
    side = {
        "name": "a",
        "label": "v1",
        "llm": "",
        "items": 1,
        "score": 1,
        "interval": "not estimable",
    }
    comparison = {
        "suite": "s", "score": "exact", "better": "higher", "verdict": "Nothing is sure.",
        "caveats": ["few items"], "base": side, "other": side, "prompts": [], "cases_total": 1,
        "figures": [{"name": "score", "base": 1, "other": 1, "difference": 0,
                     "interval": "not estimable"}],
        "cases": [{"item": "a", "question": "?", "outcome": "other", "base": None,
                   "other": {"score": 1, "text": "x", "changed": []}}],
    }  # fmt: skip
    values = {"comparison": comparison, "runs": [], "runs_total": 0}
    result = {"content": [], "structuredContent": values}
    async with hosting(browser, client, result=result, capabilities={}) as host:
        frame = await opened(host)
        await expect(frame.locator(".app-table")).to_contain_text("not estimable")
        await expect(frame.locator("main")).to_contain_text("It was not asked.")
        assert await frame.locator("button").count() == 0
        assert host.complaints == []


@pytest.mark.parametrize("values", [{}, {"runs": 3}, {"runs": [], "comparison": 3}])
async def test_a_malformed_result_is_named_as_one(
    browser: Browser, client: Client, values: dict[str, Any]
) -> None:
    result = {"content": [], "structuredContent": values}
    async with hosting(browser, client, result=result) as host:
        frame = await opened(host)
        await expect(frame.locator("main")).to_contain_text("has a form that this page does not")
        assert host.complaints == []


@pytest.mark.usefixtures("saved")
async def test_the_page_is_for_everybody(browser: Browser, client: Client) -> None:
    for width in (390, 900):
        for theme, variables in (("light", None), ("dark", None), ("light", DARK), ("dark", DARK)):
            async with hosting(
                browser, client, width=width, theme=theme, variables=variables
            ) as host:
                frame = await opened(host)
                await frame.locator("summary").nth(1).click()
                assert await host.faults() == []
                assert await host.overflow() <= 0
                assert host.requests == host.complaints == []
