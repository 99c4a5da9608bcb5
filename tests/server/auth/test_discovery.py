"""Where no place of an issuer's keys is set, its metadata tells it: over real HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reasonloom.server.auth.discovery import MAX_DOCUMENT_BYTES, jwks_uri_in
from reasonloom.server.auth.signing_keys import FETCH_TIMEOUT, KeysUnavailable, SigningKeys
from tests.support.clients.authenticated import RESOURCE, Asker, Issuer, Key, Page, issuing
from tests.support.clients.processes import web

KEY = Key("first")
OAUTH = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing(KEY) as listening:
        yield listening


def metadata(issuer: Issuer, /, **other: Any) -> Page:
    told = {"issuer": issuer.base, "jwks_uri": issuer.url, **other}
    return Page(json.dumps(told).encode())


async def found(issuer: Issuer, path: str = "") -> bool:
    """Tell whether the keys of the issuer with this path are had."""
    try:
        return await SigningKeys(None, issuer.base + path).find("first") is not None
    except KeysUnavailable:
        return False


@pytest.mark.parametrize(
    ("path", "pages"),
    [
        ("", [OAUTH, OPENID]),
        ("/", [OAUTH, OPENID]),
        ("/realms/a", [OAUTH + "/realms/a", OPENID + "/realms/a", "/realms/a" + OPENID]),
    ],
)
async def test_metadata_is_looked_for_at_the_well_known_places_in_turn(
    issuer: Issuer, path: str, pages: list[str]
) -> None:
    assert not await found(issuer, path)
    assert issuer.visited == pages
    for page in reversed(pages):
        issuer.pages = {page: metadata(issuer, issuer=issuer.base + path)}
        issuer.visited.clear()
        assert await found(issuer, path)
        assert issuer.visited == [*pages[: pages.index(page) + 1], "/keys"]


@pytest.mark.parametrize(
    "other",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"jwks_uri": None},
        {"jwks_uri": 5},
        {"jwks_uri": "http://keys.example/keys"},
        {"jwks_uri": "file:///etc/keys.json"},
        {"jwks_uri": "/keys"},
        {"jwks_uri": "http://127.0.0.1:99999999/keys"},
    ],
)
async def test_metadata_of_another_or_of_no_trusted_place_is_passed_over(
    issuer: Issuer, other: dict[str, Any]
) -> None:
    issuer.pages = {OAUTH: metadata(issuer, **other)}
    assert not await found(issuer)
    assert "/keys" not in issuer.visited
    issuer.pages[OPENID] = metadata(issuer)
    assert await found(issuer), "the next page is the issuer's own"


async def test_an_issuer_with_a_slash_at_its_end_is_another_one(issuer: Issuer) -> None:
    issuer.pages = {OAUTH: metadata(issuer)}
    assert not await found(issuer, "/")


@pytest.mark.parametrize(
    "page", [Page(b"[1]"), Page(b"<html>"), Page(b"[" * 100_000), Page(b"", 500)]
)
async def test_what_is_no_metadata_is_passed_over(issuer: Issuer, page: Page) -> None:
    issuer.pages = {OAUTH: page}
    assert not await found(issuer)


async def test_metadata_that_is_too_large_is_not_read(issuer: Issuer) -> None:
    issuer.pages = {OAUTH: Page(metadata(issuer).body + b" " * MAX_DOCUMENT_BYTES)}
    assert not await found(issuer)


async def test_no_redirect_is_followed(issuer: Issuer) -> None:
    with issuing(KEY) as other:
        other.pages = {OAUTH: metadata(issuer)}
        issuer.pages = {
            page: Page(b"", 302, {"location": other.base + OAUTH}) for page in (OAUTH, OPENID)
        }
        assert not await found(issuer)
        assert not other.visited


async def test_the_search_has_its_time(issuer: Issuer) -> None:
    slow = Page(metadata(issuer).body, seconds=FETCH_TIMEOUT * 0.6)
    issuer.pages = {OAUTH: Page(b"{}", seconds=slow.seconds), OPENID: slow}
    started = time.monotonic()
    assert not await found(issuer)
    assert time.monotonic() - started < FETCH_TIMEOUT + 1


async def test_a_place_on_this_machine_is_not_taken_from_an_issuer_elsewhere() -> None:

    told = {"issuer": "https://issuer.example", "jwks_uri": "http://127.0.0.1/keys"}
    with pytest.raises(ValueError, match="on this machine"):
        jwks_uri_in(told, "https://issuer.example")


def test_a_server_takes_tokens_of_a_discovered_issuer_and_tells_when_it_is_away(
    shared_env: dict[str, str], issuer: Issuer, tmp_path: Path
) -> None:
    env = {
        **shared_env, "REASONLOOM_OAUTH_ISSUER": issuer.base, "REASONLOOM_PUBLIC_URL": RESOURCE,
    }  # fmt: skip
    token = issuer.sign(iss=issuer.base)
    with web(env, tmp_path / "cwd") as server:
        away = Asker(server.url, token).send("tools/list")
        assert away.status_code == 503
        assert away.json()["error_description"] == (
            "the issuer's keys cannot be fetched now; try again"
        )
        issuer.pages = {OPENID: metadata(issuer)}
        assert Asker(server.url, token).send("tools/list").status_code == 200
        wrong = issuer.sign(iss="https://issuer.example")
        assert Asker(server.url, wrong).send("tools/list").status_code == 401
