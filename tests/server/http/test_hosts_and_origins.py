"""Which names and which pages a server answers to, over real HTTP and in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser

from reasonloom.errors import SettingMistake
from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.http.hosts import (
    REQUEST_HEADERS,
    allowed_hosts,
    allowed_names,
    allowed_origins,
)
from reasonloom.settings import load_settings
from tests.support.clients.authenticated import Page, issuing
from tests.support.clients.processes import Web, initialize, web
from tests.support.studio.browser import LONGEST, browser

__all__ = ["browser"]
PAGE = "https://app.example"
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
OPENING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize()}


@pytest.fixture(scope="module")
def server(
    shared_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Web, str]]:
    """A server for one owner and pages of one origin, written as nobody sends it."""
    home = tmp_path_factory.mktemp("pages")
    token, entry = new_entry("anna", ("read",), None)
    append_entry(home / "tokens", entry)
    env = {
        **shared_env,
        "REASONLOOM_TOKENS": str(home / "tokens"),
        "REASONLOOM_ALLOWED_ORIGINS": "https://App.Example:443/",
        "REASONLOOM_ALLOWED_HOSTS": "Loom.Example",
    }
    with web(env, home / "cwd") as listening:
        yield listening, token


def ask(server: Web, token: str | None, **headers: str) -> httpx.Response:
    given = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **({"authorization": f"Bearer {token}"} if token else {}),
        **headers,
    }
    return httpx.post(server.url, content=json.dumps(OPENING), headers=given, trust_env=False)


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_an_allowed_page_may_ask_before_it_has_proved_anything(
    server: tuple[Web, str], method: str
) -> None:
    headers = {
        "origin": PAGE,
        "access-control-request-method": method,
        "access-control-request-headers": ", ".join(REQUEST_HEADERS),
    }
    answer = httpx.options(server[0].url, headers=headers, trust_env=False)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert method in answer.headers["access-control-allow-methods"]
    told = answer.headers["access-control-allow-headers"].lower()
    assert all(name in told for name in REQUEST_HEADERS)
    assert "mcp-session-id" not in answer.headers


def test_an_allowed_page_reads_answers_and_refusals(server: tuple[Web, str]) -> None:
    listening, token = server
    for proof, status in ((token, 200), (None, 401)):
        answer = ask(listening, proof, origin=PAGE)
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == PAGE
        exposed = answer.headers["access-control-expose-headers"]
        assert exposed == "mcp-session-id, retry-after, www-authenticate"
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://app.example", "https://app.example.evil.example"]
)
def test_another_page_is_let_read_nothing(server: tuple[Web, str], origin: str) -> None:
    listening, token = server
    asked = {"origin": origin, "access-control-request-method": "POST"}
    preflight = httpx.options(listening.url, headers=asked, trust_env=False)
    answer = ask(listening, token, origin=origin)
    assert (preflight.status_code, answer.status_code) == (400, 403)
    for each in (preflight, answer):
        assert "access-control-allow-origin" not in each.headers


HOSTS = {
    "LOCALHOST:{port}": 200,
    "127.0.0.1:{port}": 200,
    "[::1]:{port}": 200,
    "loom.example": 200,
    "LOOM.example:8443": 200,
    "127.0.0.1:{port}.evil.example": 421,
    "127.0.0.1:{port}@evil.example": 421,
    "localhost:evil": 421,
    "loom.example.evil.example": 421,
    "evil.example": 421,
}


@pytest.mark.parametrize(("host", "status"), HOSTS.items())
def test_a_host_is_compared_whole_and_in_any_letters(
    server: tuple[Web, str], host: str, status: int
) -> None:
    listening, token = server
    assert ask(listening, token, host=host.format(port=listening.port)).status_code == status


ORIGINS = {
    "http://127.0.0.1:{port}": 200,
    "http://LOCALHOST:5173": 200,
    "https://app.example": 200,
    "http://127.0.0.1:{port}.evil.example": 403,
    "http://localhost.evil.example": 403,
    "https://app.example:8443": 403,
    "null": 403,
}


@pytest.mark.parametrize(("origin", "status"), ORIGINS.items())
def test_an_origin_is_compared_whole(server: tuple[Web, str], origin: str, status: int) -> None:
    listening, token = server
    assert ask(listening, token, origin=origin.format(port=listening.port)).status_code == status


def test_the_public_url_is_read_as_clients_send_it(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    env = {**shared_env, "REASONLOOM_PUBLIC_URL": "https://Loom.Example:443/mcp"}
    with web(env, tmp_path / "cwd") as listening:
        answer = ask(listening, None, host="loom.example", origin="https://loom.example")
        assert answer.status_code == 200
        assert ask(listening, None, origin="http://loom.example").status_code == 403


@pytest.mark.parametrize(
    "value",
    ["https://loom.example", "*", "*.loom.example", "loom.example:*", "loom.example/mcp",
     "user@loom.example", "::1", "bücher.example", "loom.example:x", "a..b"],
)  # fmt: skip
def test_what_is_no_host_is_refused_at_the_start(value: str) -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_ALLOWED_HOSTS: each must be HOST"):
        allowed_names(load_settings(allowed_hosts=value), "127.0.0.1")


@pytest.mark.parametrize(
    "value", ["app.example", "*", "null", "https://*.example", "http://localhost:*",
              "https://app.example/page", "https://user@app.example", "https://"],
)  # fmt: skip
def test_what_is_no_origin_is_refused_at_the_start(value: str) -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_ALLOWED_ORIGINS: each must be SCHEME"):
        allowed_names(load_settings(allowed_origins=value), "127.0.0.1")


def test_names_are_read_as_browsers_write_them() -> None:
    settings = load_settings(
        allowed_hosts="Loom.Example, [::1]:8321",
        allowed_origins="HTTPS://App.Example:443/, http://a:80, https://a:80, chrome-extension://ab",
    )
    assert [str(each) for each in allowed_origins(settings)] == [
        "https://app.example", "http://a", "https://a:80", "chrome-extension://ab",
    ]  # fmt: skip
    hosts = allowed_hosts(settings)
    assert [(each.name, each.port) for each in hosts] == [("loom.example", None), ("[::1]", 8321)]


SCRIPT = """async ([url, token, opening, listing]) => {
  const headers = {
    "content-type": "application/json", "accept": "application/json, text/event-stream",
    "authorization": `Bearer ${token}`,
  };
  const post = (message, more) => fetch(url, {
    method: "POST", headers: {...headers, ...more}, body: JSON.stringify(message),
  });
  const opened = await post(opening, {});
  await opened.text();
  const session = {"mcp-session-id": opened.headers.get("mcp-session-id")};
  const listed = await post(listing, {...session, "mcp-protocol-version": "2025-11-25"});
  const told = await listed.text();
  const ended = await fetch(url, {method: "DELETE", headers: {...headers, ...session}});
  return [opened.status, told, ended.status];
}"""


async def test_a_page_of_an_allowed_origin_talks_with_the_server(
    browser: Browser, shared_env: dict[str, str], tmp_path: Path
) -> None:
    token, entry = new_entry("anna", ("read",), None)
    append_entry(tmp_path / "tokens", entry)
    with issuing() as pages:
        pages.pages["/page"] = Page(b"<html></html>", headers={"content-type": "text/html"})
        env = {
            **shared_env,
            "REASONLOOM_TOKENS": str(tmp_path / "tokens"),
            "REASONLOOM_ALLOWED_ORIGINS": pages.base,
        }
        with web(env, tmp_path / "cwd") as listening:
            page = await browser.new_page()
            page.set_default_timeout(LONGEST)
            await page.goto(f"{pages.base}/page")
            given = [listening.url, token, OPENING, LISTING]
            opened, listed, ended = await page.evaluate(SCRIPT, given)
    assert (opened, ended) == (200, 200)
    assert "recall" in listed
