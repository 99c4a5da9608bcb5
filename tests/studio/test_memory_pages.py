"""Memory: the list with its filters, the map, one memory with all that belongs to it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.studio.conftest import Play
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.studio.site import Seen, StudioSite, looking, studio

HOSTILE = "<script>document.title='owned'</script> {{7*7}} {b|c} **bold** \u202egnorw ```mermaid\nx"
PIXEL = """([series, item]) => {
  const element = document.querySelector('.studio-chart');
  const chart = window.getElement(Number(element.id.slice(1))).chart;
  const point = chart.getOption().series[series].data[item].value;
  const [x, y] = chart.convertToPixel({seriesIndex: series}, point);
  const frame = element.getBoundingClientRect();
  return [frame.left + x, frame.top + y];
}"""


async def remembered(play: Play, content: str, sector: str = "semantic", **more: object) -> str:
    made = await play(
        "remember", content=content, userId=more.pop("as_owner", "local"), sessionId="s",
        primarySector=sector, metadata=more,
    )  # fmt: skip
    return str(made["memoryId"]).removeprefix("mem-")


async def rows(seen: Seen) -> list[str]:
    return await seen.page.locator(".studio-table tbody tr td:first-child a").all_inner_texts()


async def test_no_memory_says_what_to_type(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/memory")) as seen:
        await seen.shows("No memory yet")
        assert "reasonloom call remember" in await seen.text()


async def test_the_list_is_narrowed_by_each_filter(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    bees = await remembered(play, "Anna keeps bees behind the orchard", tags=["garden"])
    train = await remembered(play, "The night train to Vienna left late", "episodic")
    gone = await remembered(play, "The old bridge is closed")
    await play("forget", userId="local", memoryId=f"mem-{gone}", soft=True)
    for query, found in (
        ("", {bees, train}),
        ("?q=keeping+bee", {bees}),
        ("?q=bees+Vienna", set()),
        (f"?q=mem-{train}", {train}),
        ("?sector=episodic", {train}),
        ("?tag=garden", {bees}),
        ("?project=ship", set()),
        ("?cluster=00000000-0000-0000-0000-000000000000", set()),
        ("?hidden=only", {gone}),
        ("?hidden=also", {bees, train, gone}),
        ("?kinds=past", set()),
    ):
        async with looking(browser, site.url(f"/memory{query}")) as seen:
            shown = {name.removeprefix("mem-") for name in await rows(seen)}
            assert shown == found, query
            if not found:
                await seen.shows("No memory matches these filters")


async def test_a_point_of_the_map_opens_its_memory(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    await remembered(play, "The bees swarmed in May")
    await remembered(play, "Ben plays the cello on Tuesdays", "procedural")
    async with looking(browser, site.url("/memory")) as seen:
        await seen.shows("A projection: each memory's vector of 384 numbers")
        await seen.page.locator(".studio-chart canvas").wait_for()
        place = await seen.page.wait_for_function(f"() => ({PIXEL})([0, 0])")
        x, y = await place.json_value()
        await seen.page.mouse.click(x, y)
        link = seen.page.locator(".studio-panel a").first
        await link.wait_for()
        said = await seen.page.locator(".studio-panel h3").first.inner_text()
        assert await link.get_attribute("href") == f"/studio/memory/{said.removeprefix('mem-')}"
        assert seen.complaints == []
        assert seen.strangers() == set()


async def test_one_memory_tells_where_it_is_from_and_what_corrects_it(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    old = await play("memory_add", event_type="fact", content="The dinner is on Thursday")
    new = await play(
        "memory_correct", old_node_id=old["node_id"], new_content="The dinner is on Friday",
        reason="the table is booked for Friday",
    )  # fmt: skip
    async with looking(browser, site.url(f"/memory/mem-{old['node_id']}")) as seen:
        chain = seen.page.locator("ol.studio-strip > li")
        await chain.nth(1).wait_for()
        first, second = await chain.all_inner_texts()
        assert "this one" in first
        assert f"superseded by mem-{new['new_node_id']}" in first
        assert "corrects: the table is booked for Friday" in second
        assert "holds now" in second
        text = await seen.text()
        assert "memory_add" in text
        assert "supersedes" in text
        run = seen.page.locator(".studio-facts a[href*='/run/']").first
        await seen.has(run)


async def test_strength_follows_the_formula(site: StudioSite, browser: Browser, play: Play) -> None:
    number = await remembered(play, "Lime honey is pale", importance=0.4)
    rate = 0.02 * (2 - 0.4) / 2
    async with looking(browser, site.url(f"/memory/{number}")) as seen:
        await seen.shows("Computed by the formula")
        row = seen.page.locator(".studio-table tr", has_text="in a week")
        told = float((await row.locator("td").last.inner_text()).strip())
        fades = await seen.page.get_by_text("a day, before adjustments").inner_text()
        rate = float(fades.split()[0]) * (2 - 0.4) / 2
        assert told == pytest.approx(math.exp(-rate * 7), abs=0.002)
        assert told < 0.999


async def test_a_memory_is_forgotten_and_restored_by_keyboard(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    number = await remembered(play, "The ferry to Crete takes nine hours")

    async def found() -> bool:
        answer = await play("search", userId="local", text="ferry Crete")
        return bool(answer["totalCount"] == 1)

    async with looking(browser, site.url(f"/memory/{number}")) as seen:
        page = seen.page
        dialog = page.get_by_role("dialog")
        await page.get_by_role("button", name="Forget…").focus()
        await page.keyboard.press("Enter")
        await dialog.get_by_role("heading", name=f"Forget mem-{number}?").wait_for()
        await page.keyboard.press("Escape")
        await dialog.wait_for(state="detached")
        assert await found()
        await page.get_by_role("button", name="Forget…").focus()
        await page.keyboard.press("Enter")
        await dialog.get_by_role("button", name="Forget").focus()
        await page.keyboard.press("Enter")
        await page.locator(".studio-mark", has_text="hidden").wait_for()
        assert not await found()
        await page.get_by_role("button", name="Restore…").click()
        await dialog.get_by_role("button", name="Restore").click()
        await page.get_by_role("button", name="Forget…").wait_for()
        assert await found()
        await page.get_by_role("button", name="Erase…").click()
        await dialog.get_by_role("button", name="Cancel").click()
        await dialog.wait_for(state="detached")
        assert await found()
        await page.get_by_role("button", name="Erase…").click()
        await dialog.get_by_role("button", name="Erase").click()
        await seen.shows("is gone for good")
        assert not await found()
    async with looking(browser, site.url(f"/memory/{number}")) as seen:
        await seen.shows("Not found")


async def test_a_memory_is_edited_and_corrected_in_place(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    number = await remembered(play, "The ferry to Naxos takes five hours")
    async with looking(browser, site.url(f"/memory/{number}")) as seen:
        page, dialog = seen.page, seen.page.get_by_role("dialog")
        await page.get_by_role("button", name="Edit…").click()
        await dialog.get_by_role("textbox").fill("")
        await dialog.get_by_role("button", name="Save").click()
        await dialog.get_by_role("alert").filter(has_text="content").wait_for()
        await dialog.get_by_role("textbox").fill("The ferry to Naxos takes six hours")
        await dialog.get_by_role("button", name="Save").click()
        await page.locator(".studio-prose", has_text="six hours").first.wait_for()
        await page.get_by_role("button", name="Correct…").click()
        await dialog.get_by_role("textbox").fill("The ferry to Naxos takes four hours")
        await dialog.get_by_role("button", name="Save").click()
        await page.wait_for_url(lambda url: not url.endswith(f"/{number}"))
        await seen.shows("Corrections, the oldest first")
    answer = await play("search", userId="local", text="ferry Naxos")
    assert answer["memories"][0]["content"].endswith("four hours")


async def test_who_may_not_write_is_offered_nothing(
    postgres: TestPostgres, pages_database: str, browser: Browser, play: Play, tmp_path: Path
) -> None:
    number = await remembered(play, "Only to be read")
    url = postgres.address.dsn("postgres", pages_database)
    env = environment(tmp_path / "home", DATABASE_URL=url, REASONLOOM_READ_ONLY="true")
    with studio(env, tmp_path) as reading:
        async with looking(browser, reading.url(f"/memory/{number}")) as seen:
            await seen.shows("Only to be read")
            assert (
                await seen.page.get_by_role("button", name=re.compile("Forget|Erase")).count() == 0
            )


async def test_hostile_texts_are_texts(site: StudioSite, browser: Browser, play: Play) -> None:
    number = await remembered(
        play, HOSTILE + "long" * 4_000, tags=["<b>tag</b>"], context="{{1+1}}"
    )
    for path in ("/memory?q=mermaid", f"/memory/{number}", "/memory?tag=%3Cb%3Etag%3C/b%3E"):
        async with looking(browser, site.url(path)) as seen:
            await seen.shows("<script>document.title='owned'</script>")
            text = await seen.text()
            assert "{{7*7}}" in text
            assert "**bold**" in text
            assert "\u202e" not in text
            assert "owned" not in await seen.page.title()
            assert await seen.page.locator(".studio-main script, .studio-main td b").count() == 0
            assert await seen.overflow() <= 0


@pytest.mark.parametrize("name", ["999999", "0", "mem-x", "%27--", "99999999999999999999"])
async def test_an_unknown_memory_is_not_found(
    site: StudioSite, browser: Browser, name: str
) -> None:
    async with looking(browser, site.url(f"/memory/{name}")) as seen:
        await seen.shows("Not found")


async def test_a_foreign_memory_is_as_unknown(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    for _ in range(30):
        made = await play(
            "remember", as_owner="somebody", content=f"my own secret {_}", userId="somebody",
            sessionId="s", primarySector="semantic",
        )  # fmt: skip
    number = made["memoryId"].removeprefix("mem-")
    async with looking(browser, site.url(f"/memory/{number}")) as seen:
        await seen.shows("Not found")
        assert "secret" not in await seen.text()
    async with looking(browser, site.url("/memory?q=secret&hidden=also&kinds=all")) as seen:
        await seen.shows("No memory matches these filters")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pages_fit_a_phone(
    site: StudioSite, browser: Browser, play: Play, scheme: str
) -> None:
    number = await remembered(play, "A very " + "long" * 60 + " word on a phone")
    for path in ("/memory", f"/memory/{number}"):
        async with looking(browser, site.url(path), width=360, color_scheme=scheme) as seen:
            await seen.page.locator(".studio-chart").first.wait_for()
            assert await seen.overflow() <= 0, path
