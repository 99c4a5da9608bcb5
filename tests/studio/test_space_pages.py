"""The pages of spaces: who may use one, changes by a click, and the log with its export."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import list_spaces
from tests.studio.conftest import Play
from tests.studio.test_accessibility import faults
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.studio.content import pages_engine
from tests.support.studio.site import StudioSite, looking, studio

__all__ = ["pages_engine"]

LOCAL = Caller("local")
TEAM = "/space?name=team/bakers"


async def team(engine: Engine, owner: Caller = LOCAL, name: str = "bakers") -> None:
    """Create a team, unless another test has."""
    try:
        await administration.create_team(engine.loom, owner, name)
    except Conflict:
        return


async def granted(engine: Engine, space: str) -> dict[str, list[str]]:
    """Return by grantee the rights on a space, as its owner's list has them."""
    found = {each.name: each for each in await list_spaces(engine.loom, LOCAL)}
    return {each.grantee: each.rights for each in found[space].grants or ()}


async def got(site: StudioSite, path: str) -> str:
    """Return the text of a page as it is served, before any script."""
    async with httpx.AsyncClient(base_url=site.root, timeout=60) as client:
        return (await client.get(f"/studio{path}")).text


async def test_the_list_links_what_one_administers(
    site: StudioSite, browser: Browser, pages_engine: Engine
) -> None:
    await team(pages_engine)
    await team(pages_engine, Caller("greta"), "gardeners")
    async with administration.opened_team(
        pages_engine.loom, Caller("greta"), "gardeners", "test"
    ) as opened:
        await opened.add("local")
    async with looking(browser, site.url("/spaces")) as seen:
        rows = await seen.page.locator(".studio-table tbody tr").all_inner_texts()
        assert [row.split("\t")[:2] for row in rows] == [
            ["me", "read, write, promote, admin"], ["team/bakers", "admin, read, write"],
            ["team/gardeners", "read, write"],
        ]  # fmt: skip
        assert "local (admin); team/bakers (read, write)" in rows[1]
        links = await seen.page.locator(".studio-table a").all_inner_texts()
        assert links == ["team/bakers"]
        assert seen.complaints == []


async def test_a_space_and_a_team_are_created_by_keyboard(
    site: StudioSite, browser: Browser, pages_engine: Engine
) -> None:
    async with looking(browser, site.url("/spaces")) as seen:
        page = seen.page
        await page.get_by_label("New space").fill("nobody/x")
        await page.get_by_role("button", name="Create new space").click()
        await seen.shows("name: must be")
        await page.get_by_label("New space").fill("recipes")
        for _ in range(2):  # past the problem's place to the button
            if await page.evaluate("document.activeElement.tagName") != "BUTTON":
                await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await seen.has(page.get_by_role("link", name="me/recipes"))
        assert "name: must be" not in await seen.text()
        await page.get_by_label("New team").fill("millers")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await seen.has(page.get_by_role("link", name="team/millers"))
        assert await granted(pages_engine, "me/recipes") == {}
        assert "local" in await granted(pages_engine, "team/millers")
        assert await faults(seen) == []
        await page.get_by_role("link", name="me/recipes").click()
        await page.get_by_label("Grant to").fill("greta")
        await page.get_by_role("button", name="Grant").click()
        await seen.has(page.get_by_role("button", name="Revoke… greta"))
        assert seen.complaints == []


async def test_rights_are_granted_and_revoked_by_a_click(
    site: StudioSite, browser: Browser, pages_engine: Engine
) -> None:
    await team(pages_engine)
    async with looking(browser, site.url(TEAM)) as seen:
        page = seen.page
        to, grant = page.get_by_label("Grant to"), page.get_by_role("button", name="Grant")
        await to.fill("me/notes")
        await grant.click()
        await seen.shows("to: must name a person")
        await to.fill("group/<b>ovens</b>")
        await page.get_by_role("checkbox", name="write").click()
        await grant.click()
        revoke = page.get_by_role("button", name="Revoke… group/<b>ovens</b>")
        await seen.has(revoke)
        assert "must name a person" not in await seen.text()
        assert (await granted(pages_engine, "team/bakers"))["group/<b>ovens</b>"] == [
            "read", "write",
        ]  # fmt: skip
        assert await faults(seen) == []
        await revoke.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Revoke").click()
        await seen.has(revoke, 0)
        assert "group/<b>ovens</b>" not in await granted(pages_engine, "team/bakers")
        await page.get_by_role("button", name="Revoke… local").click()
        await dialog.get_by_role("button", name="Revoke").click()
        await seen.shows("would be left without an admin")
        assert "local" in await granted(pages_engine, "team/bakers")
        assert seen.complaints == []
        assert seen.strangers() == set()


async def test_members_are_added_and_removed(
    site: StudioSite, browser: Browser, pages_engine: Engine
) -> None:
    await team(pages_engine)
    async with looking(browser, site.url(TEAM)) as seen:
        page = seen.page
        await page.get_by_label("Add a person").fill("fritz")
        await page.get_by_role("button", name="Add").click()
        remove = page.get_by_role("button", name="Remove… fritz")
        await seen.has(remove)
        fritz = Caller("fritz")
        spaces = [each.name for each in await list_spaces(pages_engine.loom, fritz)]
        assert spaces == ["me", "team/bakers"]
        await remove.click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await seen.has(remove, 0)
        assert len(await list_spaces(pages_engine.loom, fritz)) == 1


async def exported(site: StudioSite, **query: str) -> list[dict[str, Any]]:
    """Return the exported log."""
    async with httpx.AsyncClient(base_url=site.url("/export/"), timeout=60) as client:
        rows: list[dict[str, Any]] = (await client.get("log.json", params=query)).json()
        text = (await client.get("log.csv", params=query)).text
    assert len(list(csv.DictReader(text.splitlines()))) == len(rows)
    return rows


async def test_the_log_is_filtered_and_exported(
    site: StudioSite, browser: Browser, play: Play, pages_engine: Engine
) -> None:
    await team(pages_engine)
    await administration.create_space(pages_engine.loom, LOCAL, "team/bakers/rye")
    made = await play("remember", content="Rye rises slowly.", space="team/bakers/rye")
    assert made["memoryId"].startswith("team/bakers/rye:mem-")
    rows = await exported(site, of="team/bakers", **{"in": "team/bakers/rye"})
    assert [(row["who"], row["did"], row["space"]) for row in rows] == [
        ("local", "write", "team/bakers/rye"), ("local", "create", "team/bakers/rye"),
    ]  # fmt: skip
    assert rows[0]["memories"] == made["memoryId"].rpartition(":")[2]
    assert len(await exported(site, of="team/bakers")) > 2
    assert await exported(site, of="team/bakers", by="nobody") == []
    async with looking(browser, site.url("/spaces/log?of=team/bakers&in=team/bakers/rye")) as seen:
        await seen.shows("2 in total")
        assert "Rye rises" not in await seen.text()
        assert await faults(seen) == []


async def test_what_one_does_not_administer_stays_closed(
    site: StudioSite, pages_engine: Engine
) -> None:
    await team(pages_engine, Caller("greta"), "gardeners")
    await team(pages_engine, Caller("greta"), "secret")
    for name in ("team/secret", "team/none"):
        for path in ("/space?name=", "/spaces/log?of="):
            assert f"there is no space {name} that you may read" in await got(site, path + name)
    assert "is private" in await got(site, "/space?name=me")
    assert "name: must be" in await got(site, "/space?name=nobody")
    async with httpx.AsyncClient(base_url=site.url("/export/"), timeout=60) as client:
        answer = await client.get("log.csv", params={"of": "team/secret"})
    assert (answer.status_code, "greta" in answer.text) == (403, False)


async def test_who_may_not_write_is_offered_no_change(
    postgres: TestPostgres, pages_database: str, pages_engine: Engine, tmp_path: Path
) -> None:
    await team(pages_engine)
    url = postgres.address.dsn("postgres", pages_database)
    env = environment(tmp_path / "home", DATABASE_URL=url, REASONLOOM_READ_ONLY="true")
    with studio(env, tmp_path) as reading:
        told = await got(reading, TEAM) + await got(reading, "/spaces")
    assert "granted by" in told
    assert "Revoke" not in told
    assert "Grant to" not in told
    assert "New space" not in told
