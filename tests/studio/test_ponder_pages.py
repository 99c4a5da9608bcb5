"""Ponder: four streams in columns, what crossed between them, what stays when steps are gone."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from playwright.async_api import Browser

from reasonloom.settings import Settings, load_settings
from tests.studio.conftest import Play
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Chatting
from tests.support.llms.storyteller import SENTENCES, storyteller
from tests.support.studio.site import StudioSite, looking

HOSTILE = "<script>document.title='owned'</script> {{7*7}} **bold** \u202egnorw"
SHOWN = HOSTILE.replace("\u202e", "⟨U+202E⟩")
STREAMS = ["analytical", "creative", "critical", "synthetic"]
STEPS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
GONE = "What each stream said is no longer stored"


@pytest.fixture(scope="module")
def story() -> Iterator[Chatting]:
    with storyteller(sentences=(*SENTENCES, HOSTILE)) as told:
        yield told


@pytest.fixture
def settings(story: Chatting, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of `play`, whose language model tells a story."""
    for name, value in story.settings.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def forget_steps(postgres: TestPostgres, name: str) -> None:
    """Take the saved steps of every run away, as housekeeping does after a while."""
    with psycopg.connect(postgres.access(name).admin, autocommit=True) as connection:
        for table in STEPS:
            connection.execute(f"DELETE FROM {table}".encode())


async def test_streams_stand_side_by_side_with_what_crossed_between_them(
    site: StudioSite, browser: Browser, play: Play, postgres: TestPostgres, pages_database: str
) -> None:
    async with looking(browser, site.url("/ponder")) as seen:
        await seen.shows("No ponder runs yet")
    made = await play(
        "ponder", problem=HOSTILE, timeout=600_000, context={"constraints": ["no new debts"]}
    )
    async with looking(browser, site.url("/ponder")) as seen:
        link = seen.page.locator(".studio-table a")
        assert (await link.first.inner_text()).startswith(SHOWN.partition("⟨")[0])
        cells = await seen.page.locator(".studio-table tbody td.number").all_inner_texts()
        assert cells == [str(len(made["insights"])), str(len(made["conflicts"]))]
        await link.first.click()
        await seen.page.wait_for_url("**/ponder/*")
        await seen.shows("Round 1")
        page, here = seen.page, seen.page.url

        quarters = page.locator(".studio-quarter")
        await seen.has(quarters, made["quarters"])
        assert made["quarters"] == 2
        rows = page.locator(".studio-streams")
        for row in range(2):
            heads = rows.nth(row).locator("h4")
            assert [name.lower() for name in await heads.all_inner_texts()] == STREAMS
            assert await rows.nth(row).locator(".studio-stream li").count() >= 4
        crossed = page.locator(".studio-crossed")
        marks = await crossed.locator("h3").all_inner_texts()
        assert marks == ["What crossed after round 1"]
        said = await crossed.locator("li strong").all_inner_texts()
        assert said, "the streams answered each other"
        assert {line.split()[0] for line in said} <= set(STREAMS)

        table = page.locator(".studio-table tbody tr")
        await seen.has(table, len(made["insights"]))
        for number, insight in enumerate(made["insights"]):
            cell = await table.nth(number).locator("td").nth(1).inner_text()
            assert cell == ", ".join(insight["sources"])
        cards = page.locator(".studio-conflict")
        await seen.has(cards, len(made["conflicts"]))
        for number, conflict in enumerate(made["conflicts"]):
            head = await cards.nth(number).locator("h3").inner_text()
            assert head.startswith(" against ".join(conflict["sourceStreams"]))
        text = await seen.text()
        assert SHOWN in text
        assert "\u202e" not in text
        assert await page.locator(".studio-main script").count() == 0
        assert "owned" not in (await page.title()).replace("document.title='owned'", "")
        assert seen.complaints == []
        assert seen.strangers() == set()

    forget_steps(postgres, pages_database)
    async with looking(browser, here) as seen:
        await seen.shows(GONE)
        text = await seen.text()
        assert made["conclusion"].replace("\u202e", "⟨U+202E⟩") in text
        await seen.has(seen.page.locator(".studio-stream"), 4)
        assert await seen.page.locator(".studio-quarter").count() == 0


async def test_a_foreign_ponder_and_another_kind_of_run_are_as_unknown(
    site: StudioSite, browser: Browser, play: Play, postgres: TestPostgres, pages_database: str
) -> None:
    await play("ponder", as_owner="somebody", problem="the secret of the mill")
    await play("reasoning_linear", content="Why do bridges hum?")
    with psycopg.connect(postgres.access(pages_database).admin) as connection:
        found = connection.execute(
            "SELECT id FROM runs WHERE owner = 'somebody' OR tool = 'reasoning_linear'"
        ).fetchall()
    assert len(found) == 2
    told = []
    for run in (*(str(row[0]) for row in found), "00000000-0000-4000-8000-000000000000"):
        async with looking(browser, site.url(f"/ponder/{run}")) as seen:
            await seen.shows("Not found")
            told.append((await seen.text()).replace(run, "RUN"))
    assert len(set(told)) == 1
    async with looking(browser, site.url("/ponder")) as seen:
        assert "secret" not in await seen.text()
