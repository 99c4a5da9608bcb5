"""Draws the pictures of docs/apps.md: `python -m tests.support.apps.pictures`.

A database of its own is filled by real calls of tools, with a language model on loopback that tells
one story; then each page is opened in the minimal host.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from mcp import Client
from playwright.async_api import Browser, async_playwright

from reasonloom.settings import load_settings
from tests import ROOT
from tests.support.apps.host import apps_client, hosting
from tests.support.databases.postgres import running_server
from tests.support.evals.saved import save_versions
from tests.support.llms.storyteller import storyteller
from tests.support.studio.browser import FLAGS, chromium

OUT = ROOT / "docs" / "apps"
HIGHEST = 1_300
"""Pixels of a picture."""

SHOTS = (("light", 900), ("dark", 390))
FACTS = (
    "Ben is allergic to peanuts and carries a pen",
    "Anna bakes without nuts when Ben visits",
    "Clara is allergic to cats",
    "The lighthouse turns twice a minute",
)
PROBLEM = "How could a village save its bakery before spring?"


async def filled(client: Client) -> dict[str, tuple[str, dict[str, Any], str]]:
    """Fill the database; return for each page a call, its arguments, and what to click."""
    for content in FACTS:
        await client.call_tool("remember", {"content": content, "primarySector": "semantic"})
    tree = await client.call_tool("reasoning_tree", {"content": PROBLEM})
    session = {"session_id": tree.structured_content["session_id"]}
    await client.call_tool("reasoning_checkpoint_create", {**session, "name": "before the vote"})
    question = {"text": "Who is allergic to peanuts?", "explain": True, "limit": 3}
    more = {"content": "What would a smaller oven change?", **session}
    graph = await client.call_tool("reasoning_got_run", {"problem": PROBLEM, "plan": "deepen"})
    state = {"graph_id": graph.structured_content["graph_id"]}
    return {
        "recall": ("recall", question, "button:has-text('Correct')"),
        "session": ("reasoning_linear", more, "button.studio-step"),
        "graph": ("reasoning_got_state", state, ".loom-node"),
        "compare": ("eval_compare", {"limit": 1}, "h2"),
        "streams": ("ponder", {"problem": PROBLEM}, "loom-streams h3"),
    }


async def draw(browser: Browser, client: Client) -> None:
    """Draw each page in light and wide, and in dark and narrow."""
    OUT.mkdir(exist_ok=True)
    for name, (tool, arguments, spot) in (await filled(client)).items():
        for theme, width in SHOTS:
            async with hosting(browser, client, width=width, theme=theme) as host:
                frame = await host.open(tool, arguments)
                await frame.locator(spot).first.wait_for()
                await frame.locator(spot).nth(1).click()
                await host.page.wait_for_timeout(700)
                high = await host.page.evaluate("document.documentElement.scrollHeight")
                size = {"width": width, "height": min(high, HIGHEST)}
                await host.page.set_viewport_size(size)  # type: ignore[arg-type]
                await host.page.wait_for_timeout(700)
                await host.page.screenshot(path=OUT / f"{name}-{theme}.png")


async def main(url: str, settings: Mapping[str, str]) -> None:
    """Draw all pictures of the pages of a server on this database."""
    os.environ.update(settings)
    with tempfile.TemporaryDirectory() as home:
        made = load_settings(database_url=url, toolsets="all,extras,default", home=home)
        save_versions(made.home)
        async with apps_client(made) as client, async_playwright() as playwright:
            flags = [*FLAGS, "--disable-site-isolation-trials", "--disable-features=IsolateOrigins"]
            browser = await playwright.chromium.launch(executable_path=chromium(), args=flags)
            await draw(browser, client)
            await browser.close()


if __name__ == "__main__":
    with storyteller() as story, running_server() as server, server.clone() as database:
        asyncio.run(main(server.address.dsn("postgres", database), story.settings))
