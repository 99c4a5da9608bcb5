"""Every page for everybody: axe finds no serious fault, keys lead on, a phone is wide enough.

The data are made by real tool calls, and hold texts that a page would run or fetch if it could.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser
from playwright.async_api import TimeoutError as TooLate

from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings, load_settings
from reasonloom.studio.registry import PAGES
from tests.studio.conftest import Play
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Chatting
from tests.support.llms.storyteller import storyteller
from tests.support.studio.bench import PAGES as TIMED
from tests.support.studio.content import FOREIGN, addresses, filled
from tests.support.studio.site import Seen, StudioSite, looking, studio

GRAVE = ("serious", "critical")
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
TOO_WIDE = """() => [...document.querySelectorAll('.studio-main *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1
    && !each.parentElement.closest('.studio-wide'))
  .slice(0, 3).map((each) => each.outerHTML.slice(0, 150))"""
RULES: dict[str, Any] = {"resultTypes": ["violations"]}
CONTRAST: dict[str, Any] = {**RULES, "runOnly": ["color-contrast"]}
"""The rule that depends on whether a page is light or dark."""


@pytest.fixture(scope="module")
def story() -> Iterator[Chatting]:
    with storyteller(sentences=FOREIGN) as told:
        yield told


@pytest.fixture
def settings(story: Chatting, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of `play`, whose language model says what no page may obey."""
    for name, value in story.settings.items():
        monkeypatch.setenv(name, value)
    return load_settings()


@pytest.fixture(scope="module")
def kept() -> dict[str, str]:
    """The addresses of pages that show something, once they are known."""
    return {}


@pytest.fixture
async def pages(
    kept: dict[str, str],
    site: StudioSite,
    postgres: TestPostgres,
    pages_database: str,
    play: Play,
    embedder: Embedder,
) -> dict[str, str]:
    """By the pattern of each page an address that shows something."""
    if not kept:
        url = postgres.address.dsn("postgres", pages_database)
        kept |= await filled(play, url, Path(site.folder), embedder)
    return kept


@pytest.fixture(scope="module")
def empty_site(
    postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StudioSite]:
    """A studio that has nothing to show."""
    folder = tmp_path_factory.mktemp("empty")
    with postgres.clone() as name:
        url = postgres.address.dsn("postgres", name)
        with studio(environment(folder / "home", DATABASE_URL=url), folder) as running:
            yield running


async def settled(seen: Seen) -> None:
    """Wait until what is drawn after the page has been drawn."""
    waiting = "() => !document.querySelector('.studio-waiting')"
    await seen.page.wait_for_function(waiting)


async def faults(seen: Seen) -> list[str]:
    """Return the grave faults of a page, in light and in dark."""
    found = []
    for scheme, rules in (("light", RULES), ("dark", CONTRAST)):
        dark = "true" if scheme == "dark" else "false"
        await seen.page.evaluate(f"() => window.Quasar.Dark.set({dark})")
        await seen.page.wait_for_timeout(50)
        told = await Axe().run(seen.page, options=rules)
        found += [
            f"{scheme}: {each['id']} ({each['impact']}): "
            + "; ".join(f"{node['target']} {node['html'][:160]}" for node in each["nodes"][:4])
            for each in told.response["violations"]
            if each["impact"] in GRAVE
        ]
    return found


def test_every_page_has_an_address() -> None:
    assert set(addresses({})) == {page.path for page in PAGES}
    assert len(TIMED) == len(PAGES), "the benchmark looks at every page too"


PLACES = sorted({page.place for page in PAGES})


@pytest.mark.parametrize("place", PLACES)
async def test_filled_pages_are_for_everybody_and_stay_at_home(
    site: StudioSite, browser: Browser, pages: dict[str, str], place: str
) -> None:
    wrong: dict[str, list[str]] = {}
    for page in PAGES:
        if page.place == place:
            address = pages[page.path]
            async with looking(browser, site.url(address)) as seen:
                wrong[address] = await looked_through(seen)
    assert {address: found for address, found in wrong.items() if found} == {}


async def wide(seen: Seen) -> list[str]:
    """Return a few elements that reach beyond the window."""
    return list(await seen.page.evaluate(TOO_WIDE))


async def looked_through(seen: Seen) -> list[str]:
    """Return what is wrong with an open page, last at the width of a phone."""
    await settled(seen)
    found = await faults(seen)
    text = await seen.text()
    found += [
        told for told in ("Not found", "This page failed", "could not be shown") if told in text
    ]
    if await seen.page.locator("h1").count() > 1:
        found.append("more headings than one")
    if await seen.page.locator(".studio-main img").count():
        found.append("an image of somebody else's")
    await seen.page.set_viewport_size({"width": 360, "height": 800})
    with suppress(TooLate):  # charts and the navigation take their time to shrink
        await seen.page.wait_for_function(FITS, timeout=5_000)
    if await seen.overflow() > 0:
        found.append(f"{await seen.overflow()} pixels too wide for a phone: {await wide(seen)}")
    return [*found, *seen.complaints, *sorted(seen.strangers())]


async def test_empty_pages_are_for_everybody(empty_site: StudioSite, browser: Browser) -> None:
    wrong = {}
    for page in PAGES:
        if "{" in page.path:
            continue
        async with looking(browser, empty_site.url(page.path)) as seen:
            await settled(seen)
            found = await faults(seen)
            if "This page failed" in await seen.text():
                found.append("failed")
            if found + seen.complaints:
                wrong[page.path] = found + seen.complaints
    assert wrong == {}


async def test_the_sign_in_page_is_for_everybody(
    postgres: TestPostgres, pages_database: str, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "tokens").write_text("")
    url = postgres.address.dsn("postgres", pages_database)
    env = environment(
        tmp_path / "home", DATABASE_URL=url, REASONLOOM_TOKENS=str(tmp_path / "tokens")
    )
    with studio(env, tmp_path) as running:
        for scheme in ("light", "dark"):
            page = await browser.new_page(
                color_scheme=scheme, viewport={"width": 360, "height": 800}
            )
            await page.goto(running.url("/"))
            told = await Axe().run(page, options=RULES)
            assert [each for each in told.response["violations"] if each["impact"] in GRAVE] == []
            await page.close()
