"""The composed server: its file is valid, and its processes work together, TLS included."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from reasonloom.server.auth.token_file import append_entry, new_entry
from tests import ROOT
from tests.support.clients.fork_server import cold_program
from tests.support.clients.processes import Process, environment, free_port
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Chatting, chatting

COMPOSE = ROOT / "compose.yaml"
SERVER = yaml.safe_load(COMPOSE.read_text())["services"]["server"]
NAME = "loom.localhost"
ELSEWHERE = "127.0.0.2"
"""The address from which the client comes."""


def test_the_composed_file_follows_the_schema_of_compose() -> None:
    check = Path(sys.executable).parent / "check-jsonschema"
    command = [str(check), "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def wait_for(port: int, process: Process) -> None:
    """Wait until a process listens on a port."""
    until = time.monotonic() + 30
    while time.monotonic() < until and process.alive:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(process.log)


@contextmanager
def running(command: list[str], env: dict[str, str], folder: Path, port: int) -> Iterator[Process]:
    """Yield a process that listens on a port; it is ended afterwards."""
    process = Process(command, env, folder)
    try:
        wait_for(port, process)
        yield process
    finally:
        process.stop()


class Site:
    """A server behind Caddy, both with the settings of the composed file."""

    def __init__(
        self, server: Process, inner: int, outer: int, authority: Path, token: str
    ) -> None:
        self.server = server
        self.inner = inner
        self._trust = ssl.create_default_context(cafile=str(authority))
        self._token = token
        self.url = f"https://{NAME}:{outer}/mcp"

    def http(self, **headers: str) -> httpx2.AsyncClient:
        """Return a client that trusts Caddy's authority and comes from `ELSEWHERE`."""

        class Resolved(httpx2.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
                request.extensions["sni_hostname"] = NAME
                request.url = request.url.copy_with(host="127.0.0.1")
                return await super().handle_async_request(request)

        given = {"authorization": f"Bearer {self._token}", **headers}
        transport = Resolved(verify=self._trust, local_address=ELSEWHERE)
        return httpx2.AsyncClient(headers=given, transport=transport, timeout=60, trust_env=False)

    def requests(self) -> list[dict[str, Any]]:
        """Return the lines of the server's access log so far."""
        lines = [json.loads(line) for line in self.server.log.splitlines() if line[0] == "{"]
        return [each for each in lines if each["logger"] == "reasonloom.access"]


HEARD = threading.Event()
"""Set when a client has received progress; the language model replies only then."""


def reply_once_heard(system: str, user: str) -> str:
    return '{"thought": "In the tin.", "confidence": 0.9}' if HEARD.wait(30) else "late"


@pytest.fixture(scope="module")
def provider() -> Iterator[Chatting]:
    with chatting(reply_once_heard) as opened:
        yield opened


@pytest.fixture(scope="module")
def site(
    provider: Chatting, postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("no caddy is installed: `make proxy`")
    home, inner, outer = tmp_path_factory.mktemp("site"), free_port(), free_port()
    token, entry = new_entry("anna", ("read", "write"), None)
    append_entry(home / "tokens", entry)
    with postgres.clone() as name:
        ours = environment(
            home,
            **SERVER["environment"]
            | provider.settings
            | {
                "DATABASE_URL": postgres.address.dsn("postgres", name),
                "REASONLOOM_HTTP": f"127.0.0.1:{inner}",
                "REASONLOOM_TOKENS": str(home / "tokens"),
                "REASONLOOM_ALLOWED_HOSTS": NAME,
                "REASONLOOM_TRUSTED_PROXIES": "127.0.0.0/8",
                "REASONLOOM_ACCESS_LOG": "json",
            },
        )
        theirs = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "caddy"),
            "REASONLOOM_HOST": f"{NAME}:{outer}",
            "REASONLOOM_UPSTREAM": f"127.0.0.1:{inner}",
            "CADDY_GLOBAL_OPTIONS": "admin off\nskip_install_trust\nauto_https disable_redirects",
        }
        proxy = [caddy, "run", "--adapter", "caddyfile", "--config", f"{ROOT}/packaging/Caddyfile"]
        with (
            running([*cold_program(), "serve"], ours, home / "cwd", inner) as server,
            running(proxy, theirs, home / "cwd", outer),
        ):
            authority = home / "caddy" / "caddy" / "pki" / "authorities" / "local" / "root.crt"
            yield Site(server, inner, outer, authority, token)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_works_through_tls(site: Site, mode: str) -> None:
    async with (
        site.http() as http,
        Client(streamable_http_client(site.url, http_client=http), mode=mode) as client,
    ):
        assert len((await client.list_tools()).tools) > 5
        answer = await client.call_tool("recall", {"text": "tea"})
    assert not answer.is_error
    assert {each["client"] for each in site.requests()} == {ELSEWHERE}
    last = [each for each in site.requests() if each.get("tool") == "recall"][-1]
    assert (last["owner"], last["status"], last["outcome"]) == ("anna", 200, "ok")


async def test_progress_comes_through_while_the_call_is_still_at_work(site: Site) -> None:
    async def note(progress: float, total: float | None, message: str | None) -> None:
        HEARD.set()

    async with (
        site.http() as http,
        Client(streamable_http_client(site.url, http_client=http)) as client,
    ):
        question = {"text": "Where is it?", "mode": "linear"}
        answer = await client.call_tool("reason", question, progress_callback=note)
    assert "In the tin." in str(answer.structured_content)


async def test_what_is_for_insiders_stays_inside(site: Site) -> None:
    origin = site.url.removesuffix("/mcp")
    async with site.http(**{"x-forwarded-for": "203.0.113.9"}) as http:
        assert (await http.get(f"{origin}/metrics")).status_code == 404
        assert (await http.get(f"{origin}/readyz")).status_code == 200
        assert (await http.get(site.url, headers={"authorization": ""})).status_code == 401
    assert site.requests()[-1]["client"] == ELSEWHERE  # not what the client made up


def test_the_health_check_sees_whether_the_server_is_ready(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert health(monkeypatch, site.inner) == 0
    assert health(monkeypatch, free_port()) == 1


def health(monkeypatch: pytest.MonkeyPatch, port: int) -> object:
    """Run the image's health check of a server on `port`; return its exit status."""
    monkeypatch.setenv("REASONLOOM_HTTP", f"0.0.0.0:{port}")
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "packaging" / "healthcheck.py"))
    return ended.value.code
