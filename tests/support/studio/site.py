"""A studio as its own process, and a browser that looks at its pages."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from playwright.async_api import Browser, Error, Locator, Page, expect

from reasonloom.server.auth.token_file import append_entry, digest, new_entry
from tests.support.clients.fork_server import program
from tests.support.clients.processes import PATIENCE, Process, free_port
from tests.support.studio.browser import LONGEST, WIDE

BASE = "/studio"
CONNECTED = "() => window.socket?.connected && window.did_handshake === true"
START = 120.0
"""Seconds that a studio may take to come up on a loaded machine."""


class StudioSite(Process):
    """`reasonloom studio`, or `serve --http --studio`, on a free port."""

    def __init__(self, env: Mapping[str, str], folder: Path, *command: str) -> None:
        self.port = free_port()
        self.root = f"http://127.0.0.1:{self.port}"
        begun = command or ("studio",)
        super().__init__([*program(), *begun, "--http", f"127.0.0.1:{self.port}"], env, folder)

    def wait(self) -> None:
        """Wait until it answers."""
        until = time.monotonic() + START
        while time.monotonic() < until and self.alive:
            try:
                httpx.get(f"{self.root}{BASE}/_nicegui/", timeout=5)
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError(f"the studio did not come up: {self.said}")

    def url(self, path: str) -> str:
        """Return the address of a page."""
        return f"{self.root}{BASE}{path}"


@contextmanager
def studio(env: Mapping[str, str], folder: Path, *command: str) -> Iterator[StudioSite]:
    """Yield a running studio, stopped at the end."""
    site = StudioSite(env, folder, *command)
    try:
        site.wait()
        yield site
    finally:
        site.stop()


@dataclass
class Seen:
    """An open page, with every address it asked for and everything it complained of."""

    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    async def text(self) -> str:
        """Return what the page shows in its main part."""
        return await self.page.locator(".studio-main").inner_text()

    async def shows(self, text: str) -> None:
        """Wait until a text is seen."""
        await self.page.get_by_text(text).first.wait_for()

    async def has(self, found: Locator, count: int = 1) -> None:
        """Wait until so many of what is looked for are there."""
        await expect(found).to_have_count(count, timeout=LONGEST)

    def strangers(self) -> set[str]:
        """Return the hosts other than this machine that were asked."""
        hosts = {urlsplit(each).hostname for each in self.asked}
        return {str(host) for host in hosts - {"127.0.0.1", None}}

    async def overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        told = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(await self.page.evaluate(told))


@asynccontextmanager
async def looking(
    browser: Browser, url: str, *, width: int = WIDE, **context: Any
) -> AsyncIterator[Seen]:
    """Open a page and wait until it is connected, so that it can be clicked."""
    page = await browser.new_page(viewport={"width": width, "height": 900}, **context)
    page.set_default_timeout(LONGEST)
    seen = Seen(page)
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("websocket", lambda socket: seen.asked.append(socket.url))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("console", lambda message: _heard(seen, message))
    try:
        await page.goto(url)
        await page.locator(".studio-main").wait_for()
        await page.wait_for_function(CONNECTED)
        yield seen
    except Exception as error:
        shown = await _left(page)
        error.add_note(f"{page.url} said {seen.complaints} and showed:\n{shown}")
        raise
    await page.close()


async def _left(page: Page) -> str:
    try:
        return (await page.locator("body").inner_text(timeout=5_000))[:2_000]
    except Error as error:
        return f"nothing: {error.message}"


def _heard(seen: Seen, message: Any) -> None:
    own = message.location.get("url") == seen.page.url  # its status is what the test looks at
    if message.type in ("error", "warning") and not (own and "status of 404" in message.text):
        seen.complaints.append(message.text)


SIGN_IN = f"{BASE}/sign-in"


class Keys:
    """The file of tokens of one studio."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def new(self, owner: str, *scopes: str) -> str:
        """Add a token; return it. Without scopes it may read and write."""
        secret, entry = new_entry(owner, scopes or ("read", "write"), None)
        append_entry(self.path, entry)
        return secret

    def revoke(self, secret: str) -> None:
        """Take a token away."""
        self._change(secret, lambda entry: None)

    def narrow(self, secret: str, *scopes: str) -> None:
        """Leave a token these scopes alone."""
        self._change(secret, lambda entry: {**entry, "scopes": list(scopes)})

    def _change(
        self, secret: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
    ) -> None:
        entries = [json.loads(line) for line in self.path.read_text().splitlines()]
        changed = [change(each) if each["sha256"] == digest(secret) else each for each in entries]
        self.path.write_text("".join(json.dumps(each) + "\n" for each in changed if each))


def sign_in(site: StudioSite, secret: str, to: str = "") -> httpx.Response:
    """Give a token at the door; return what it answers."""
    query = {"to": to} if to else {}
    return httpx.post(
        f"{site.root}{SIGN_IN}", params=query, data={"token": secret}, timeout=PATIENCE,
        trust_env=False,
    )  # fmt: skip


def signed_in(site: StudioSite, secret: str) -> dict[str, Any]:
    """Return the storage of a browser whose user has signed in with a token."""
    answer = sign_in(site, secret)
    assert answer.status_code == 303, answer.text
    kept = [
        {"name": name, "value": value, "domain": "127.0.0.1", "path": BASE, "httpOnly": True,
         "sameSite": "Strict", "expires": -1, "secure": False}
        for name, value in answer.cookies.items()
    ]  # fmt: skip
    return {"storage_state": {"cookies": kept, "origins": []}}
