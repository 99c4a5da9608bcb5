"""The door of the studio, beside an MCP server on one port: who comes in, and what they may do."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from nicegui import __version__
from playwright.async_api import Browser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from reasonloom.studio.auth.sign_in import FORM, MAX_OWNER_SESSIONS, MAX_WRONG, SignInSessions
from tests.studio.conftest import Play
from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import PATIENCE, environment
from tests.support.databases.postgres import TestPostgres
from tests.support.studio.site import (
    BASE,
    SIGN_IN,
    Keys,
    StudioSite,
    looking,
    sign_in,
    signed_in,
    studio,
)

WRONG = "This token is not valid here."
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    found = Keys(tmp_path_factory.mktemp("door") / "tokens")
    found.new("nobody")
    return found


@pytest.fixture(scope="module")
def site(postgres: TestPostgres, pages_database: str, keys: Keys) -> Iterator[StudioSite]:
    """An HTTP server with the studio beside it, both behind tokens."""
    folder = keys.path.parent
    url = postgres.address.dsn("postgres", pages_database)
    env = environment(folder / "home", DATABASE_URL=url, REASONLOOM_TOKENS=str(keys.path))
    with studio(env, folder, "serve", "--studio") as running:
        yield running


def ask(site: StudioSite, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    return httpx.request(
        method, f"{site.root}{path}", headers=headers, timeout=PATIENCE, trust_env=False
    )


async def test_a_visitor_signs_in_and_sees_what_is_theirs(
    site: StudioSite, browser: Browser, play: Play, keys: Keys
) -> None:
    anna = await play("reasoning_linear", as_owner="anna", content="what Anna thinks of amaranth")
    await play("reasoning_linear", as_owner="ben", content="what Ben thinks of basalt")
    there = site.url(f"/session/{anna['session_id']}")
    page = await browser.new_page()
    await page.goto(there)
    assert page.url.startswith(f"{site.root}{SIGN_IN}?to=")
    assert "amaranth" not in await page.content()
    await page.get_by_label("Token").fill("rl_wrong")
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("alert").filter(has_text=WRONG).wait_for()
    await page.get_by_label("Token").fill(keys.new("anna"))
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(there)
    await page.get_by_text("what Anna thinks of amaranth").first.wait_for()
    await page.goto(site.url("/sessions"))
    await page.get_by_text("amaranth").first.wait_for()
    assert "basalt" not in await page.content()
    await page.get_by_role("link", name="Sign out").click()
    await page.get_by_label("Token").wait_for()
    await page.goto(there)
    assert page.url.startswith(f"{site.root}{SIGN_IN}")
    await page.close()
    async with looking(browser, there, **signed_in(site, keys.new("ben"))) as seen:
        await seen.shows("Not found")
        assert "amaranth" not in await seen.text()


async def test_a_scope_opens_what_it_names(
    site: StudioSite, browser: Browser, play: Play, keys: Keys
) -> None:
    await play("ponder", as_owner="dora", problem="how Dora dyes wool")
    await play("reasoning_linear", as_owner="dora", content="the secret of the dyer")
    who = signed_in(site, keys.new("dora", "read:thought"))
    async with looking(browser, site.url("/sessions"), **who) as seen:
        await seen.shows("your token does not allow read:reasoning")
        assert "secret" not in await seen.text()
    async with looking(browser, site.url("/ponder"), **who) as seen:
        await seen.shows("how Dora dyes wool")


async def test_a_token_that_reads_cannot_fork_nor_one_that_was_narrowed_meanwhile(
    site: StudioSite, browser: Browser, play: Play, keys: Keys
) -> None:
    made = await play("reasoning_linear", as_owner="emil", content="Why do bridges hum?")
    url = site.url(f"/run/{made['run_id']}")
    reads = signed_in(site, keys.new("emil", "read"))
    async with looking(browser, url, **reads) as seen:
        await seen.shows("keep_thought")
        assert await seen.page.get_by_role("button", name="Fork").count() == 0
    both = keys.new("emil")
    writes = signed_in(site, both)
    async with looking(browser, url, **writes) as seen:
        button = seen.page.get_by_role("button", name="Fork")
        await button.wait_for()
        keys.narrow(both, "read")
        await button.click()
        alert = seen.page.get_by_role("alert").filter(has_text="your token does not allow write")
        await alert.wait_for()
        assert seen.page.url == url
    async with looking(browser, site.url("/runs"), **reads) as seen:
        await seen.has(seen.page.locator(".studio-table tbody tr"))


async def test_a_revoked_token_ends_an_open_page(
    site: StudioSite, browser: Browser, play: Play, keys: Keys
) -> None:
    made = await play("reasoning_linear", as_owner="fritz", content="First thought of bees")
    secret = keys.new("fritz")
    url = site.url(f"/session/{made['session_id']}")
    async with looking(browser, url, **signed_in(site, secret)) as seen:
        steps = seen.page.locator("button.studio-step")
        await seen.has(steps)
        keys.revoke(secret)
        told = seen.page.get_by_role("status").filter(has_text="sign in again")
        await told.wait_for()
        await play(
            "reasoning_linear", as_owner="fritz", content="A later secret",
            session_id=made["session_id"],
        )  # fmt: skip
        await seen.page.wait_for_timeout(1_000)
        await seen.has(steps)
        assert "later secret" not in await seen.page.content()
        await seen.page.reload()
        await seen.page.get_by_label("Token").wait_for()


def test_the_cookie_is_the_browsers_alone_and_leads_nowhere_else(
    site: StudioSite, keys: Keys
) -> None:
    secret = keys.new("gerda")
    answer = sign_in(site, secret, f"{BASE}/runs")
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{BASE}/runs"
    flags = answer.headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    assert f"path={BASE}" in flags
    assert secret not in answer.headers["set-cookie"]
    for to in (
        "https://evil.example/", "//evil.example/", "/\\evil.example", f"{BASE}//evil.example",
        f"{BASE}/\\evil.example", f"{BASE}evil", "javascript:alert(1)", "/mcp",
    ):  # fmt: skip
        assert sign_in(site, secret, to).headers["location"] == f"{BASE}/", to
    assert sign_in(site, "rl_wrong").status_code == 401
    assert "set-cookie" not in sign_in(site, "rl_wrong").headers


def test_names_and_pages_of_others_are_refused(site: StudioSite, keys: Keys) -> None:
    assert ask(site, f"{BASE}/", host="evil.example").status_code == 421
    assert ask(site, SIGN_IN, host="evil.example").status_code == 421
    assert ask(site, f"{BASE}/", origin="http://evil.example").status_code == 403
    assert ask(site, f"{BASE}/_nicegui_ws/socket.io/?EIO=4&transport=polling").status_code in (
        401,
        303,
    )
    cookies = sign_in(site, keys.new("hanna")).cookies
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    address = f"ws://127.0.0.1:{site.port}{BASE}{SOCKET}"
    own = f"http://127.0.0.1:{site.port}"
    for headers, origin in (({"cookie": cookie}, "http://evil.example"), ({}, own)):
        with pytest.raises(InvalidStatus, match="403"), socket_of(address, origin, headers):
            raise AssertionError("it was let in")
    with socket_of(address, own, {"cookie": cookie}) as socket:
        assert str(socket.recv(timeout=PATIENCE)).startswith("0")


def socket_of(address: str, origin: str, headers: dict[str, str]) -> ClientConnection:
    return connect(address, additional_headers=headers, origin=Origin(origin), proxy=None)


def test_every_answer_has_the_headers_that_keep_a_browser_here(
    site: StudioSite, keys: Keys
) -> None:
    cookie = "; ".join(f"{k}={v}" for k, v in sign_in(site, keys.new("ida")).cookies.items())
    for path in ("/", "/sign-in", "/sessions", "/none", "/assets/studio.js", "/eval-report?run=x"):
        answer = ask(site, f"{BASE}{path}", cookie=cookie)
        assert answer.headers.items() >= HEADERS.items(), path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "object-src 'none'" in policy
        assert "http" not in policy, "no other host is named"
        if "html" in answer.headers["content-type"]:
            assert answer.headers["cache-control"] == "no-store", path
    away = ask(site, f"{BASE}/sessions")
    assert away.status_code == 303
    assert away.headers.items() >= HEADERS.items()
    assert ask(site, f"{BASE}/sessions", "POST").status_code == 401


def test_the_server_beside_it_answers_and_both_end_cleanly(
    postgres: TestPostgres, pages_database: str, tmp_path: Path
) -> None:
    keys = Keys(tmp_path / "tokens")
    secret = keys.new("karl")
    url = postgres.address.dsn("postgres", pages_database)
    env = environment(
        tmp_path / "home", DATABASE_URL=url, REASONLOOM_TOKENS=str(keys.path),
        REASONLOOM_TOOLSETS="classic",
    )  # fmt: skip
    with studio(env, tmp_path, "serve", "--studio") as running:
        mcp = f"{running.root}/mcp"
        assert Asker(mcp, None).send("tools/list").status_code == 401
        made = Asker(mcp, secret).call("reasoning_linear", content="What Karl thinks of kelp")
        session = made["structuredContent"]["session_id"]
        cookies = sign_in(running, secret).cookies
        there, until = running.url(f"/session/{session}"), time.monotonic() + PATIENCE
        while "kelp" not in httpx.get(there, cookies=cookies, timeout=PATIENCE).text:
            assert time.monotonic() < until, "a slow machine sends the page before its content"
        running.child.send_signal(signal.SIGTERM)
        assert running.ended(PATIENCE) == 0
        assert "Traceback" not in running.said


def run_python(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", [("studio",), ("serve", "--studio")])
def test_without_tokens_it_is_for_this_machine_alone(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = run_python(environment(tmp_path), "-m", "reasonloom", *command, "--http", "0.0.0.0:8399")
    assert done.returncode == 2
    assert "only a loopback address" in done.stderr
    assert "REASONLOOM_TOKENS" in done.stderr
    assert "Traceback" not in done.stderr


WITHOUT = "import sys; sys.modules['nicegui'] = None; from reasonloom.cli.app import main; main()"
"""A process in which the extra cannot be imported, as where it is not installed."""


@pytest.mark.parametrize("command", [("studio",), ("serve", "--studio")])
def test_a_missing_extra_is_told_in_a_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run_python(environment(tmp_path), "-c", WITHOUT, *command, "--http", "127.0.0.1:8398")
    assert done.returncode == 2
    said = "the studio needs its extra: pip install 'reasonloom[studio]'"
    assert done.stderr.strip().splitlines()[-1].endswith(said)
    assert "Traceback" not in done.stderr


def test_a_page_at_another_port_is_refused(site: StudioSite, keys: Keys) -> None:
    cookies = sign_in(site, keys.new("ida")).cookies
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    other = f"http://127.0.0.1:{site.port + 1}"
    assert ask(site, f"{BASE}/", origin=other).status_code == 403
    address = f"ws://127.0.0.1:{site.port}{BASE}{SOCKET}"
    with pytest.raises(InvalidStatus, match="403"), socket_of(address, other, {"cookie": cookie}):
        raise AssertionError("it was let in")


def test_an_owner_signs_out_nobody_but_that_owner() -> None:
    sessions = SignInSessions()
    anna = sessions.enter("token of anna", "anna")
    own = [sessions.enter(f"token {n}", "ben") for n in range(3 * MAX_OWNER_SESSIONS)]
    assert sessions.token(anna) == "token of anna"
    assert [sessions.token(value) is not None for value in own[-MAX_OWNER_SESSIONS:]] == [
        True
    ] * MAX_OWNER_SESSIONS
    assert not any(sessions.token(value) for value in own[:-MAX_OWNER_SESSIONS])
    for value in own:
        sessions.leave(value)
    sessions.leave(anna)
    assert (sessions._owners, sessions._sessions) == ({}, {}), "nothing is kept"


def test_what_is_no_asset_of_the_library_builds_no_page(site: StudioSite) -> None:
    real = f"{__version__}/static/nicegui.js"
    assert ask(site, f"{BASE}/_nicegui/{real}").status_code == 200
    assert ask(site, f"{BASE}/_nicegui/{real}", method="POST").status_code == 404
    none = ("static/none.js", "static/", "components/none", "esm/a/b", "resources/a/b")
    for path in ("x", "", "3.0/static/none.js", *(f"{__version__}/{each}" for each in none)):
        answer = ask(site, f"{BASE}/_nicegui/{path}")
        assert answer.status_code == 404, path
        assert "<html" not in answer.text


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"token=" + b"x" * 20_000, FORM, 413),
        (b"a=1&b=2&c=3&d=4&e=5", FORM, 400),
        (b"token=\xff", FORM, 400),
        (b"--x\r\ngarbage", "multipart/form-data; boundary=x", 400),
        (b"--x\r\ngarbage", "multipart/form-data", 400),
        (b"{}", "application/json", 400),
    ],
)
def test_a_form_that_is_none_is_refused_without_a_traceback(
    site: StudioSite, content: bytes, kind: str, status: int
) -> None:
    answer = httpx.post(
        f"{site.root}{SIGN_IN}", content=content, headers={"content-type": kind}, trust_env=False
    )
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_tokens_cannot_be_tried_fast(site: StudioSite) -> None:
    with ThreadPoolExecutor(2 * MAX_WRONG) as threads:
        answers = list(
            threads.map(lambda n: sign_in(site, f"rl_{n}").status_code, range(2 * MAX_WRONG))
        )
    assert set(answers) == {401, 429}
    assert answers.count(401) >= MAX_WRONG
