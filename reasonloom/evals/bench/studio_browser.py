"""A headless Chromium that times pages by its own clock; it comes with nobody's installation."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from reasonloom.errors import SettingMistake

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
"""Milliseconds from the page's beginning to its first paint, once its heading stands."""

SEEN = """(text) => new Promise((done) => {
  const look = () => {
    if (document.querySelector('.studio-main').textContent.includes(text))
      requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
    else setTimeout(look, 2);
  };
  look();
})"""
"""Milliseconds since 1970 at the frame after a text stood on the page."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Yield a browser.

    Raises:
        SettingMistake: Playwright or a Chromium is missing; which is told.
    """
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - of development alone
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
    """Return the milliseconds to the first paint of a page, nothing of it kept from before."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    took = float(await page.evaluate(PAINTED))
    await context.close()
    return took


async def open_page(browser: Browser, url: str) -> Page:
    """Return an open page that follows what is written."""
    page = await browser.new_page()
    await page.goto(url)
    await page.wait_for_function("() => window.socket?.connected")
    await page.locator("button.studio-step").first.wait_for()
    return page
