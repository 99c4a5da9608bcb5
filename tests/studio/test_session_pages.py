"""Sessions: the list, the graph of one, a step behind which everything can be read, live growth."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from playwright.async_api import Browser, Locator

from reasonloom.studio.app import STUDIO_UNAVAILABLE
from tests.studio.conftest import Play
from tests.support.databases.postgres import TestPostgres
from tests.support.studio.site import Seen, StudioSite, looking

Growing = tuple[Seen, Locator, str]
"""A page of a session, its steps, and the session's id."""

COMMITS = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
SOME = 3.0
"""Seconds: processes of Postgres tell of their transactions at most once in one."""

HOSTILE = "<script>document.title='owned'</script> {{7*7}} **bold** \u202egnorw ```mermaid\nx"


async def test_no_session_says_what_to_type(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/sessions")) as seen:
        await seen.shows("No sessions yet")
        assert "reasonloom call reasoning_linear" in await seen.text()
        assert seen.strangers() == set()


async def test_a_tree_is_drawn_and_each_step_opens(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_tree", content="How should a small team choose a database?")
    await play("reasoning_checkpoint_create", session_id=made["session_id"], name="before it")
    async with looking(browser, site.url("/sessions?q=database")) as seen:
        await seen.page.locator(".studio-table a").first.click()
        await seen.page.wait_for_url("**/session/*")
        await seen.shows("before it")
        steps = seen.page.locator("button.studio-step")
        await seen.has(steps, len(made["branches"]) + 1)
        await steps.nth(1).click()
        await seen.page.get_by_role("heading", name="Step 2").wait_for()
        panel = seen.page.locator(".studio-panel")
        assert made["branches"][0]["content"][:60] in await panel.inner_text()
        assert seen.complaints == []


async def test_a_step_shows_its_prompt_reply_and_memories(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_linear", content="Why do lighthouses turn?")
    async with looking(browser, site.url(f"/session/{made['session_id']}")) as seen:
        await seen.page.locator("details.studio-fold summary").first.click()
        await seen.shows("Rendered prompt, user")
        text = await seen.page.locator(".studio-panel").inner_text()
        assert "Why do lighthouses turn?" in text
        assert "linear/continue" in text
        assert "mem-" in text


@asynccontextmanager
async def one_step(site: StudioSite, browser: Browser, play: Play) -> AsyncIterator[Growing]:
    """Look at a session of one step."""
    made = await play("reasoning_linear", content="First thought of bees")
    async with looking(browser, site.url(f"/session/{made['session_id']}")) as seen:
        steps = seen.page.locator("button.studio-step")
        await seen.has(steps)
        yield seen, steps, made["session_id"]


async def test_a_step_of_another_process_appears_by_itself(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    async with one_step(site, browser, play) as (seen, steps, session):
        await play("reasoning_linear", content="Second thought of bees", session_id=session)
        await seen.has(steps, 2)


async def test_a_page_that_lost_its_server_for_a_while_goes_on(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    async with one_step(site, browser, play) as (seen, steps, session):
        await seen.page.evaluate("() => { window.kept = true; window.socket.disconnect(); }")
        await play("reasoning_linear", content="Second thought of bees", session_id=session)
        await asyncio.sleep(STUDIO_UNAVAILABLE / 4)
        await seen.has(steps)
        await seen.page.evaluate("() => window.socket.connect()")
        await seen.has(steps, 2)
        assert await seen.page.evaluate("() => window.kept"), "it was not loaded anew"


async def commits(database: psycopg.AsyncConnection[tuple[int]]) -> int:
    """Return how many transactions are committed within some seconds."""
    before = await (await database.execute(COMMITS)).fetchone()
    await asyncio.sleep(SOME)
    after = await (await database.execute(COMMITS)).fetchone()
    assert before
    assert after
    return after[0] - before[0]


async def test_a_page_that_was_closed_looks_at_nothing(
    site: StudioSite, browser: Browser, play: Play, postgres: TestPostgres, pages_database: str
) -> None:
    async with await psycopg.AsyncConnection.connect(
        postgres.address.dsn("postgres", pages_database), autocommit=True
    ) as database:
        async with one_step(site, browser, play):
            await asyncio.sleep(SOME)
            looks = await commits(database)
        until = time.monotonic() + STUDIO_UNAVAILABLE / 2
        while (after := await commits(database)) >= looks / 2 and time.monotonic() < until:
            pass
        assert after < looks / 2, "the page may come back, and is not drawn meanwhile"


async def test_hostile_texts_are_texts(site: StudioSite, browser: Browser, play: Play) -> None:
    made = await play("reasoning_linear", content=HOSTILE)
    async with looking(browser, site.url(f"/session/{made['session_id']}")) as seen:
        await seen.shows("<script>document.title='owned'</script>")
        text = await seen.text()
        assert "{{7*7}}" in text
        assert "**bold**" in text
        assert "⟨U+202E⟩" in text
        assert "owned" not in await seen.page.title()
        assert await seen.page.locator(".studio-main script").count() == 0
    async with looking(browser, site.url("/sessions?q=%3Cscript%3E")) as seen:
        assert "owned" not in await seen.page.title()


@pytest.mark.parametrize("name", ["00000000-0000-0000-0000-000000000000", "%27--", "../x"])
async def test_an_unknown_session_is_not_found(
    site: StudioSite, browser: Browser, name: str
) -> None:
    async with looking(browser, site.url(f"/session/{name}")) as seen:
        assert "owned" not in await seen.text()
        assert await seen.page.locator("button.studio-step").count() == 0


async def test_a_foreign_session_is_as_unknown(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_linear", as_owner="somebody", content="my own secret thought")
    async with looking(browser, site.url(f"/session/{made['session_id']}")) as seen:
        await seen.shows("Not found")
        assert "secret" not in await seen.text()
    async with looking(browser, site.url("/sessions?q=secret")) as seen:
        await seen.shows("No session matches")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pages_fit_a_phone(
    site: StudioSite, browser: Browser, play: Play, scheme: str
) -> None:
    made = await play("reasoning_tree", content="How should a phone show a tree? " + "long" * 80)
    for path in ("/", "/sessions", f"/session/{made['session_id']}"):
        async with looking(browser, site.url(path), width=360, color_scheme=scheme) as seen:
            assert await seen.overflow() <= 0, path
