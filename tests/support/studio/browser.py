"""A headless Chromium for tests of pages: the machine's own, never a downloaded one."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LONGEST = 120_000
"""Milliseconds that a loaded machine may take for a step."""

PHONE, WIDE = 360, 1280

UNREADABLE = """() => {
  const parsed = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return {rgb: [r, g, b], a};
  };
  const light = ({rgb}) => rgb.map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = parsed(getComputedStyle(each).backgroundColor);
      if (colour.a === 1) return colour;
    }
    return parsed(matchMedia("print").matches ? "rgb(255,255,255)" : "rgb(0,0,0)");
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest("script, style")) continue;
    const style = getComputedStyle(element);
    const ink = parsed(element instanceof SVGElement ? style.fill : style.color);
    const [low, high] = [light(ink), light(behind(element))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(`${ratio}: ${element.outerHTML.slice(0, 80)}`);
  }
  return found;
}"""
"""Texts whose contrast is below 4.5 to 1, the least of WCAG 2.2 at level AA."""


def found_chromium() -> str | None:
    """Return where Chromium is."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def chromium() -> str:
    """Return where Chromium is, or skip the test."""
    found = found_chromium()
    if found is None:
        pytest.skip("there is no chromium on this machine; `make browser` installs it")
    return found


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A browser of this test's own."""
    path = chromium()
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(
            executable_path=path, headless=True, args=FLAGS, timeout=LONGEST
        )
        yield started
        await started.close()


@dataclass
class Watched:
    """An open page, with what it asked for and what it complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    async def overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        told = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(await self.page.evaluate(told))

    async def unlabelled(self) -> list[str]:
        """Return pictures that say nothing to who cannot see them."""
        told = await self.page.eval_on_selector_all(
            "svg:not(svg svg), img, canvas",
            """all => all.filter(each => each.getAttribute("role") !== "img"
              || !each.getAttribute("aria-label")?.trim()).map(each => each.outerHTML)""",
        )
        return list(told)

    async def unreadable(self) -> list[str]:
        """Return texts that stand out too little from what is behind them."""
        return list(await self.page.evaluate(UNREADABLE))


@asynccontextmanager
async def watched(
    browser: Browser, path: Path, *, width: int = WIDE, **context: Any
) -> AsyncIterator[Watched]:
    """Open a file, and watch what it does."""
    page = await browser.new_page(viewport={"width": width, "height": 900}, **context)
    page.set_default_timeout(LONGEST)
    found = Watched(page)
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on("console", lambda message: found.complaints.append(message.text))
    await page.goto(path.as_uri())
    yield found
    await page.close()
