"""Times the studio by a headless browser's clock: first paints, and steps that appear."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import median
from typing import TYPE_CHECKING

from reasonloom.errors import SettingMistake
from reasonloom.evals.bench.environment import OWNER, BenchEngine, bench_engine
from reasonloom.evals.bench.server.servers import HOST, child_environment, free_port, listening
from reasonloom.evals.bench.studio_content import Grown, fill_studio, session_of
from reasonloom.evals.bench.timing import Figure, percentile_95, summarise
from reasonloom.llm.from_settings import choose_llm
from reasonloom.settings import load_settings

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page


NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
MISSING = (
    "the part studio is timed by a browser: pip install playwright, and a chromium on the path "
    "(missing here: {what})"
)
PAINTED = """() => new Promise((done) => {
  const look = () => {
    const [first] = performance.getEntriesByName('first-contentful-paint');
    if (first && document.querySelector('.studio-main h1, .studio-main h2')) done(first.startTime);
    else requestAnimationFrame(look);
  };
  look();
})"""
"""Milliseconds from navigation to first paint, once the heading is present."""

APPEARED = """(text) => new Promise((done) => {
  const look = () => {
    if (document.querySelector('.studio-main').textContent.includes(text))
      requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
    else setTimeout(look, 2);
  };
  look();
})"""
"""Milliseconds since 1970 at the frame after a text appeared on the page."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Yield a browser; SettingMistake states whether Playwright or Chromium is missing."""
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - only installed for development
    except ImportError:
        raise SettingMistake(MISSING.format(what="playwright"), field="only") from None
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise SettingMistake(MISSING.format(what="chromium"), field="only")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        await browser.close()


async def painted(browser: Browser, url: str) -> float:
    """Return the milliseconds to the first paint of a page, with a cold cache."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    took = float(await page.evaluate(PAINTED))
    await context.close()
    return took


async def open_page(browser: Browser, url: str) -> Page:
    """Return an open page that follows new steps."""
    page = await browser.new_page()
    await page.goto(url)
    await page.wait_for_function("() => window.socket?.connected")
    await page.locator("button.studio-step").first.wait_for()
    return page


MEMORIES, THOUGHTS = 100_000, 2_000
LOADS, STEPS = 5, 20
FIRST, GOAL = 1_000.0, 300.0
"""Milliseconds: of a first paint, and from a step's commit until it is visible."""

SMALL = 20
PAGES = (
    "/", "/sessions", "/session/{session}", "/runs", "/run/{run}", "/graphs", "/graph/{graph}",
    "/ponder", "/ponder/{ponder}", "/memory", "/memory/review", "/memory/{memory}",
    "/recall?q=restaurant",
    "/history", "/history/chain?q=restaurant", "/history/session/{talk}?project={project}",
    "/history/{project}", "/models", "/model/{model}", "/basins", "/evals",
    "/evals/compare?base=one.jsonl&other=two.jsonl", "/eval/one.jsonl", "/nothing/here",
)  # fmt: skip


async def measure(
    memories: int = MEMORIES, thoughts: int = THOUGHTS, loads: int = LOADS
) -> list[Figure]:
    """Fill a database, serve it from a separate process, and load its pages."""
    llm = choose_llm(load_settings(llm="offline"))
    async with chromium() as browser, bench_engine(llm) as prepared:
        home = prepared.engine.loom.settings.home
        ids, loaded = await fill_studio(prepared, memories, thoughts, home)
        small = await session_of(prepared, SMALL)
        long = await session_of(prepared, thoughts)
        port = free_port()
        command = (sys.executable, "-m", "reasonloom", "studio", "--http", f"{HOST}:{port}")
        async with listening(command, port, await _environment(prepared)):
            root = f"http://{HOST}:{port}/studio"
            figures = [loaded]
            await painted(
                browser, f"{root}/"
            )  # so that the engine is open and the models are loaded
            for page in PAGES:
                figures.append(await _painted(browser, root, page, ids, loads))
            for session, count in ((small, SMALL), (long, thoughts)):
                figures.append(await _appearing(browser, root, session, count))
            return figures


async def _environment(prepared: BenchEngine) -> dict[str, str]:
    settings, embedded = prepared.engine.loom.settings, prepared.access.embedded
    assert embedded  # noqa: S101 - a benchmark's database is
    address = await asyncio.to_thread(embedded.ensure)
    url = address.dsn("postgres", "eval")
    return child_environment(settings, DATABASE_URL=url, REASONLOOM_USER=OWNER)


async def _painted(
    browser: Browser, root: str, page: str, ids: dict[str, str], loads: int
) -> Figure:
    times = [await painted(browser, root + page.format(**ids)) for _ in range(loads)]
    reached = "reached" if median(times) <= FIRST else "missed"
    note = f"median of {loads} with a cold cache; goal {FIRST:g} ms: {reached}"
    return summarise(f"first paint, {page}", times, note=note)


async def _appearing(browser: Browser, root: str, session: Grown, thoughts: int) -> Figure:
    """Time how long steps of another process take from their commit to an open page."""
    page = await open_page(browser, f"{root}/session/{session.id}")
    times = []
    for number in range(STEPS):
        thought = f"step {number} is here"
        seen = asyncio.create_task(page.evaluate(APPEARED, thought))
        await asyncio.sleep(0.5 + number % 7 * 0.05)
        committed = await session.grow(thought)
        times.append(float(await seen) - committed * 1000)
    await page.close()
    reached = "reached" if percentile_95(times) <= GOAL else "missed"
    thought = f"{STEPS} steps of another process; goal {GOAL:g} ms: {reached}"
    name = f"from a step's commit to its being seen, session of {thoughts:,} thoughts"
    return summarise(name, times, note=thought)
