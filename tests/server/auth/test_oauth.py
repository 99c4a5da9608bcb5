"""Signed tokens (JWT) of a local issuer over real HTTP: only fitting ones open the door."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from reasonloom.contracts.toolsets import INVENTORY
from reasonloom.errors import SettingMistake
from reasonloom.server.auth.signing_keys import (
    FRESH_SECONDS,
    MAX_AGE_SECONDS,
    MAX_FETCHES,
    KeysUnavailable,
    SigningKeys,
)
from reasonloom.server.auth.verifier import SignedTokens, make_verifier
from reasonloom.settings import load_settings
from tests.support.clients.authenticated import ISSUER, KEYS, RESOURCE, Asker, Issuer, Key, issuing
from tests.support.clients.processes import Web, web

FIRST, SECOND = Key("first"), Key("second")
STRANGER = Key("first")


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing(FIRST) as listening:
        yield listening


@pytest.fixture(scope="module")
def server(
    issuer: Issuer, shared_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Web]:
    env = {**shared_env, **settings(issuer.url)}
    with web(env, tmp_path_factory.mktemp("oauth") / "cwd") as listening:
        yield listening


def settings(keys: str) -> dict[str, str]:
    return {
        "REASONLOOM_OAUTH_ISSUER": ISSUER,
        "REASONLOOM_OAUTH_JWKS": keys,
        "REASONLOOM_PUBLIC_URL": RESOURCE,
        "REASONLOOM_OAUTH_LEEWAY": "5",
    }


def status(server: Web, token: str) -> int:
    return Asker(server.url, token).send("tools/list").status_code


def test_the_metadata_says_where_a_token_is_had(server: Web) -> None:
    refused = httpx.post(server.url, trust_env=False)
    assert refused.status_code == 401
    url = "https://loom.example/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{url}"' in refused.headers["www-authenticate"]
    for path in ("/.well-known/oauth-protected-resource/mcp",
                 "/.well-known/oauth-protected-resource"):  # fmt: skip
        told = httpx.get(server.url.removesuffix("/mcp") + path, trust_env=False).json()
        assert told["resource"] == RESOURCE
        assert [each.rstrip("/") for each in told["authorization_servers"]] == [ISSUER]
        assert {"read", "write", "read:thought"} <= set(told["scopes_supported"])


def test_the_owner_is_the_tokens_subject_and_the_scopes_are_its_own(
    server: Web, issuer: Issuer
) -> None:
    owner = Asker(server.url, issuer.sign(sub="auth0|otto"))
    stored = owner.call(
        "remember", content="The ocelot sleeps.", userId="auth0|otto", sessionId="s",
        primarySector="semantic",
    )  # fmt: skip
    assert stored["isError"] is False
    reader = Asker(server.url, issuer.sign(sub="auth0|otto", scope="openid read:thought"))
    readers = reader.tools()
    assert {"recall", "search"} <= readers <= set(INVENTORY["thought"])
    assert not readers & {"remember", "update_memory", "forget"}
    assert "ocelot" in str(reader.call("recall", userId="auth0|otto", text="ocelot"))
    refused = reader.send("tools/call", name="remember", arguments={})
    assert refused.status_code == 403
    assert "resource_metadata=" in refused.headers["www-authenticate"]
    other = Asker(server.url, issuer.sign(sub="paula"))
    assert "ocelot" not in str(other.call("recall", userId="paula", text="sleeps"))
    assert Asker(server.url, issuer.sign(scope="openid")).tools() == set()


NOW = int(time.time())


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({}, 200),
        ({"aud": [RESOURCE, "https://other.example"]}, 200),
        ({"aud": "https://other.example/mcp"}, 401),
        ({"aud": None}, 401),
        ({"iss": "https://evil.example"}, 401),
        ({"iss": None}, 401),
        ({"exp": NOW - 60}, 401),
        ({"exp": None}, 401),
        ({"exp": "soon"}, 401),
        ({"nbf": NOW + 3_600}, 401),
        ({"sub": None}, 401),
        ({"sub": "a\0b"}, 401),
        ({"sub": " "}, 401),
        ({"sub": "x" * 300}, 401),
        ({"scope": None}, 200),  # left out, which allows nothing
        ({"scope": ["read"]}, 401),
        ({"scope": []}, 401),
        ({"scope": 0}, 401),
        ({"scope": 7.5}, 401),
        ({"scope": False}, 401),
        ({"scope": {"read": True}}, 401),
    ],
)
def test_every_claim_is_checked(
    server: Web, issuer: Issuer, claims: dict[str, Any], expected: int
) -> None:
    assert status(server, issuer.sign(**claims)) == expected


def test_a_clock_may_be_off_by_the_leeway_alone(issuer: Issuer, server: Web) -> None:
    assert status(server, issuer.sign(nbf=int(time.time()) + 4)) == 200
    assert status(server, issuer.sign(exp=int(time.time()) - 6)) == 401


def test_a_signature_of_nobody_or_by_the_public_key_is_refused(server: Web, issuer: Issuer) -> None:
    claims = {
        "iss": ISSUER, "aud": RESOURCE, "sub": "anna", "scope": "read", "exp": NOW + 6_000,
    }  # fmt: skip
    unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": "first"})
    assert status(server, unsigned) == 401
    public = FIRST.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert status(server, symmetric(claims, public)) == 401
    assert status(server, issuer.sign(STRANGER)) == 401
    good = issuer.sign()
    assert (
        status(server, good[:-8] + ("AAAAAAAA" if good[-8:] != "AAAAAAAA" else "BBBBBBBB")) == 401
    )
    assert status(server, good) == 200


def symmetric(claims: dict[str, Any], secret: bytes, kid: str = "first") -> str:
    """Sign by HMAC under the public key, which the library refuses to do by itself."""
    import base64
    import hashlib
    import hmac

    def part(value: bytes) -> bytes:
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    header = {"alg": "HS256", "typ": "JWT", "kid": kid}
    text = part(json.dumps(header).encode()) + b"." + part(json.dumps(claims).encode())
    mac = hmac.new(secret, text, hashlib.sha256).digest()
    return (text + b"." + part(mac)).decode()


def test_a_new_key_is_found_and_unknown_ones_do_not_burden_the_issuer(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    with (
        issuing(FIRST) as issuer,
        web({**shared_env, **settings(issuer.url)}, tmp_path / "cwd") as server,
    ):
        assert status(server, issuer.sign()) == 200
        assert status(server, issuer.sign(SECOND)) == 401
        issuer.keys = [SECOND, FIRST]
        assert status(server, issuer.sign(SECOND)) == 200
        for number in range(20):
            assert status(server, issuer.sign(STRANGER, kid=f"made up {number}")) == 401
        assert issuer.asked <= MAX_FETCHES + 2
        assert status(server, issuer.sign(SECOND)) == 200
        assert issuer.sign(SECOND) not in server.said


def test_while_the_issuer_is_away_a_token_is_told_to_come_again(
    shared_env: dict[str, str], tmp_path: Path
) -> None:
    with issuing(FIRST) as gone:
        token = gone.sign()
    with web({**shared_env, **settings(gone.url)}, tmp_path / "cwd") as server:
        answer = Asker(server.url, token).send("tools/list")
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert Asker(server.url, "no-token").send("tools/list").status_code == 401


async def test_keys_are_had_from_a_file_and_their_loss_is_told(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    octets = {"kty": "oct", "k": "c2VjcmV0", "kid": "secret"}
    path.write_text(json.dumps({"keys": [FIRST.public, octets]}))
    keys = SigningKeys(str(path))
    found = await keys.find("first")
    assert found is not None
    assert await keys.find("secret") is None
    assert await keys.find(None) is not None
    path.write_text("{}")
    with pytest.raises(KeysUnavailable):
        await SigningKeys(str(path)).find("first")


async def aged(keys: SigningKeys, seconds: float) -> None:
    """Let the keys be so old; nobody waits ten minutes for it."""
    assert await keys.find("first") is not None
    keys._fetched -= seconds


async def test_nobody_whose_key_is_known_waits_for_the_issuer(tmp_path: Path) -> None:
    with issuing(FIRST) as issuer:
        keys = SigningKeys(issuer.url)
        await aged(keys, FRESH_SECONDS + 1)
        known = issuer.page(KEYS)
        issuer.pages[KEYS] = replace(known, seconds=1.0)
        begun = time.monotonic()
        found = await asyncio.gather(*(keys.find("first") for _ in range(20)))
        assert time.monotonic() - begun < 0.5
        assert None not in found
        await asyncio.sleep(0.2)
        assert issuer.asked == 2, "the keys are fetched anew, once"
        issuer.keys = [SECOND]
        del issuer.pages[KEYS]
        until = time.monotonic() + 10
        while keys._age() > FRESH_SECONDS:
            assert time.monotonic() < until
            await asyncio.sleep(0.05)
        await aged(keys, FRESH_SECONDS + 1)
        while await keys.find("first") is not None:
            assert time.monotonic() < until, "a withdrawn key ends"
            await asyncio.sleep(0.05)
        assert await keys.find("second") is not None


async def test_keys_that_are_too_old_are_waited_for_and_then_refused() -> None:
    with issuing(FIRST) as issuer:
        keys = SigningKeys(issuer.url)
        await aged(keys, MAX_AGE_SECONDS + 1)
        assert await keys.find("first") is not None
        assert issuer.asked == 2
        await aged(keys, MAX_AGE_SECONDS + 1)
    with pytest.raises(KeysUnavailable):
        await keys.find("first")


CURVE = ec.generate_private_key(ec.SECP256R1())
EVERY = "RS256,RS512,PS256,ES256,ES384"


def elliptic(kid: str) -> dict[str, Any]:
    return {**ECAlgorithm.to_jwk(CURVE.public_key(), as_dict=True), "kid": kid}


def bare(key: Key, kid: str) -> dict[str, Any]:
    told = {name: value for name, value in key.public.items() if name != "alg"}
    return {**told, "kid": kid}


@pytest.fixture(scope="module")
def verifying(tmp_path_factory: pytest.TempPathFactory) -> SignedTokens:
    """Every algorithm of the list, and keys that name none but `named`, which is of RS256."""
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    keys = [bare(FIRST, "bare"), {**FIRST.public, "kid": "named"}, elliptic("curve")]
    path.write_text(json.dumps({"keys": keys}))
    given = {"oauth_issuer": ISSUER, "oauth_jwks": str(path), "public_url": RESOURCE}
    return SignedTokens(load_settings(**given, oauth_algorithms=EVERY))


@pytest.mark.parametrize(
    ("kid", "algorithm", "key", "valid"),
    [
        ("bare", "RS256", FIRST.private, True),
        ("bare", "RS512", FIRST.private, True),
        ("bare", "PS256", FIRST.private, True),
        ("bare", "RS384", FIRST.private, False),  # not allowed
        ("named", "RS256", FIRST.private, True),
        ("named", "RS512", FIRST.private, False),  # the key is for another
        ("named", "PS256", FIRST.private, False),
        ("curve", "ES256", CURVE, True),
        ("curve", "RS256", FIRST.private, False),  # a key of another kind
        ("bare", "ES256", CURVE, False),
        ("bare", "RS512", STRANGER.private, False),
    ],
)
async def test_a_key_without_an_algorithm_verifies_all_that_are_allowed_of_its_kind(
    verifying: SignedTokens, kid: str, algorithm: str, key: Any, valid: bool
) -> None:
    claims = {
        "iss": ISSUER, "aud": RESOURCE, "sub": "anna", "scope": "read", "exp": NOW + 6_000,
    }  # fmt: skip
    token = jwt.encode(claims, key, algorithm, headers={"kid": kid})
    assert (await verifying.verify(token) is not None) is valid


async def test_a_key_without_an_algorithm_is_no_secret(verifying: SignedTokens) -> None:
    public = FIRST.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    claims = {
        "iss": ISSUER, "aud": RESOURCE, "sub": "anna", "scope": "read", "exp": NOW + 6_000,
    }  # fmt: skip
    assert await verifying.verify(symmetric(claims, public, "bare")) is None
    unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": "bare"})
    assert await verifying.verify(unsigned) is None


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"oauth_issuer": ISSUER}, "REASONLOOM_PUBLIC_URL"),
        ({"oauth_issuer": ISSUER, "oauth_jwks": "keys"}, "REASONLOOM_PUBLIC_URL"),
        ({"oauth_jwks": "keys"}, "REASONLOOM_OAUTH_ISSUER"),
        ({"public_url": "loom"}, "REASONLOOM_PUBLIC_URL"),
        ({"oauth_issuer": "http://issuer.example", "oauth_jwks": "k", "public_url": RESOURCE},
         "REASONLOOM_OAUTH_ISSUER"),
        ({"oauth_issuer": ISSUER, "oauth_jwks": "http://a.example/k", "public_url": RESOURCE},
         "REASONLOOM_OAUTH_JWKS"),
        ({"oauth_issuer": ISSUER, "oauth_jwks": "k", "public_url": "loom"},
         "REASONLOOM_PUBLIC_URL"),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_together_stop_the_start(given: dict[str, str], name: str) -> None:
    with pytest.raises(SettingMistake) as caught:
        make_verifier(load_settings(**given))
    assert caught.value.field == name


@pytest.mark.parametrize("value", ["none", "HS256", "RS256,HS256", ","])
def test_only_algorithms_with_a_public_key_may_be_allowed(value: str) -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_OAUTH_ALGORITHMS"):
        load_settings(oauth_algorithms=value)
