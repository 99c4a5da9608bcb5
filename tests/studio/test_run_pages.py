"""Runs: the list and its export, the waterfall of one, two compared, the search."""

from __future__ import annotations

import asyncio
import csv

import httpx
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
        await seen.shows("None: both answers are the same.")


async def test_the_overview_draws_tokens_and_cost(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    await play("reasoning_linear", content="Why do wires sing?")
    async with looking(browser, site.url("/")) as seen:
        await seen.has(seen.page.locator(".studio-chart canvas"))


async def test_two_runs_are_compared(site: StudioSite, browser: Browser, play: Play) -> None:
    await play("reasoning_linear", content="Why do bells ring?")
    made = await play("reasoning_linear", content="Why do pipes ring?")
    foreign = await play("reasoning_linear", as_owner="somebody", content="my secret run")
    async with looking(browser, site.url(f"/run/{made['run_id']}")) as seen:
        await seen.page.get_by_role("button", name="Compare").click()
        await seen.page.wait_for_url("**/runs/compare?*")
        await seen.shows("Difference")
        assert await seen.page.locator(".studio-halves > div").count() == 2
        assert "secret" not in await seen.text()
    pair = f"/runs/compare?a={made['run_id']}&b={foreign['run_id']}"
    async with looking(browser, site.url(pair)) as seen:
        await seen.shows("Not found")


async def test_the_search_finds_every_kind_and_nothing_of_others(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_linear", content="Where do zebrafish sleep?")
    await play("reasoning_linear", as_owner="somebody", content="zebrafish of another owner")
    async with looking(browser, site.url("/search?q=zebrafish")) as seen:
        links = seen.page.locator(f'a[href$="/run/{made["run_id"]}"]')
        await seen.has(links)
        await seen.has(seen.page.locator(f'a[href$="/session/{made["session_id"]}"]'))
        await seen.shows("Memories: 1")
        assert "another owner" not in await seen.text()


async def test_a_list_is_exported_with_its_filters(site: StudioSite, play: Play) -> None:
    await play("reasoning_linear", content='=HYPERLINK("x") and a fox')
    await play("reasoning_linear", as_owner="somebody", content="a fox of another owner")
    async with httpx.AsyncClient(base_url=site.url("/export/"), timeout=60) as client:
        rows = (await client.get("runs.json", params={"q": "a fox"})).json()
        assert [row["subject"] for row in rows] == ['=HYPERLINK("x") and a fox']
        lines = list(csv.DictReader((await client.get("runs.csv?q=a+fox")).text.splitlines()))
        assert lines[0]["subject"].startswith("'="), "no spreadsheet evaluates it"
        assert (await client.get("memories.json")).json() != []
        for unknown in ("nothing.csv", "runs.xml"):
            answer = await client.get(unknown)
            assert answer.status_code == 404
            assert "memories, sessions, runs" in answer.text


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


async def test_what_is_not_found_answers_404(site: StudioSite) -> None:
    async with (
        asyncio.timeout(300),
        httpx.AsyncClient(base_url=site.url("/"), timeout=60) as client,
    ):
        for missing in ("nothing/here", "run/00000000-0000-4000-8000-000000000000", "session/none"):
            while (found := await client.get(missing)).status_code == 503:
                pass  # the database is still opening
            assert found.status_code == 404, missing
        assert (await client.get("runs")).status_code == 200


async def test_an_address_of_no_page(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/nothing/here")) as seen:
        await seen.shows("Page not found")
