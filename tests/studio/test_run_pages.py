"""Runs: the list, the waterfall of one, a fork beside its origin."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.studio.conftest import Play
from tests.support.studio.site import StudioSite, looking


async def test_runs_are_chosen_by_tool(site: StudioSite, browser: Browser, play: Play) -> None:
    async with looking(browser, site.url("/runs")) as seen:
        await seen.shows("No runs yet")
    await play("reasoning_linear", content="Why is the sea salty?")
    await play("reasoning_divergent", content="Uses of a brick")
    async with looking(browser, site.url("/runs?tool=reasoning_divergent")) as seen:
        rows = seen.page.locator(".studio-table tbody tr")
        await seen.has(rows)
        assert "reasoning_divergent" in await rows.first.inner_text()
        assert seen.complaints == []


async def test_a_run_is_a_waterfall_and_forks(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_linear", content="Why do bridges hum?")
    async with looking(browser, site.url(f"/run/{made['run_id']}")) as seen:
        for step in ("recall_context", "continue_thought", "keep_thought"):
            await seen.shows(step)
        await seen.has(seen.page.locator(".studio-bar.call"), 2)
        await seen.page.get_by_role("button", name="Fork").click()
        await seen.page.wait_for_url(lambda url: made["run_id"] not in url)
        await seen.shows("Forked at")
        assert made["run_id"] in await seen.page.locator(".studio-halves").inner_html()
        await seen.shows("None: both say the same.")


async def test_a_visitor_answers_a_waiting_run(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_linear", asks_caller=True, content="Who knows the mill?")
    async with looking(browser, site.url(f"/run/{made['run_id']}")) as seen:
        await seen.shows("It waits for 1 reply")
        await seen.shows("Who knows the mill?")
        reply = seen.page.get_by_label("Reply to r1q1")
        await reply.fill('{"thought": "The miller."}')
        await seen.page.get_by_role("button", name="Answer").click()
        await seen.shows("confidence: is required")
        await reply.fill('{"thought": "The miller does.", "confidence": 0.8}')
        await seen.page.get_by_role("button", name="Answer").click()
        await seen.shows("The miller does.")
        await seen.shows("done")
        assert seen.complaints == []


async def test_a_foreign_run_is_as_unknown(site: StudioSite, browser: Browser, play: Play) -> None:
    made = await play("reasoning_linear", as_owner="somebody", content="the secret of the mill")
    unknown = "00000000-0000-4000-8000-000000000000"
    told = []
    for run in (made["run_id"], unknown):
        async with looking(browser, site.url(f"/run/{run}")) as seen:
            await seen.shows("Not found")
            told.append((await seen.text()).replace(run, "RUN"))
    assert told[0] == told[1]


async def test_an_address_of_no_page(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/nothing/here")) as seen:
        await seen.shows("No such page")
