"""The scopes of a signed token: words in one text, and nothing that only looks like them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from reasonloom.server.auth.scopes import OFFERED_SCOPES
from reasonloom.server.auth.verifier import SignedTokens
from reasonloom.settings import load_settings
from tests.support.clients.authenticated import ISSUER, RESOURCE, Key

KEY = Key("only")
Verifying = Callable[..., SignedTokens]


@pytest.fixture(scope="module")
def verifying(tmp_path_factory: pytest.TempPathFactory) -> Verifying:
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    path.write_text(json.dumps({"keys": [KEY.public]}))
    given = {"oauth_issuer": ISSUER, "oauth_jwks": str(path), "public_url": RESOURCE}
    return lambda **more: SignedTokens(load_settings(**given, **more))


def signed(**claims: Any) -> str:
    claims = {"iss": ISSUER, "aud": RESOURCE, "sub": "anna", "exp": 2**40, **claims}
    return jwt.encode(claims, KEY.private, "RS256", headers={"kid": KEY.kid})


async def scopes(tokens: SignedTokens, token: str) -> list[str] | None:
    """Return the scopes of a token, None where it is refused."""
    found = await tokens.verify(token)
    return None if found is None else found.scopes


NOT_WORDS: tuple[Any, ...] = (
    None, True, False, 0, 1, 7.5, float("nan"), [], ["read"], [["read"]], {}, {"read": True},
)  # fmt: skip


@pytest.mark.parametrize("claim", NOT_WORDS, ids=repr)
async def test_a_scope_that_is_no_text_is_refused(verifying: Verifying, claim: Any) -> None:
    assert await scopes(verifying(), signed(scope=claim)) is None


@pytest.mark.parametrize(
    ("claim", "granted"),
    [
        ("", []),
        ("write  read", ["read", "write"]),
        ("read read read", ["read"]),
        ("openid READ read,write read:thought", ["read:thought"]),
        ('["read"]', []),
    ],
)
async def test_words_grant_what_they_name_and_no_more(
    verifying: Verifying, claim: str, granted: list[str]
) -> None:
    assert await scopes(verifying(), signed(scope=claim)) == granted


async def test_a_token_without_scopes_is_valid_and_allows_nothing(verifying: Verifying) -> None:
    assert await scopes(verifying(), signed()) == []


@pytest.mark.parametrize("claim", [None, 7, {"read": True}, ["read", 7], [["read"]], [None]])
async def test_an_issuers_own_claim_may_be_a_list_of_texts_alone(
    verifying: Verifying, claim: Any
) -> None:
    tokens = verifying(oauth_scope_claim="scp")
    assert await scopes(tokens, signed(scp=["read", "openid"], scope=7)) == ["read"]
    assert await scopes(tokens, signed(scp="read openid")) == ["read"]
    assert await scopes(tokens, signed(scp=claim)) is None


async def test_a_token_that_nests_without_end_is_refused(verifying: Verifying) -> None:
    deep = b"[" * 6_000 + b"]" * 6_000
    for header in (deep, b'{"alg": "RS256", "kid": ' + deep[:4_000] + deep[-4_000:] + b"}"):
        token = f"{urlsafe_b64encode(header).rstrip(b'=').decode()}.e30.AAAA"
        assert await scopes(verifying(), token) is None
    head = {"alg": "RS256", "kid": KEY.kid}
    odds: list[dict[str, Any]] = [{"alg": ["RS256"]}, {"kid": ["only"]}, {"kid": {}}, {"alg": None}]
    for odd in odds:
        part = urlsafe_b64encode(json.dumps({**head, **odd}).encode()).rstrip(b"=").decode()
        assert await scopes(verifying(), f"{part}.e30.AAAA") is None


async def test_what_else_a_token_claims_is_no_scope(verifying: Verifying) -> None:
    everything = list(OFFERED_SCOPES)
    token = signed(scope="read", scopes=everything, scp=everything, permissions=everything)
    assert await scopes(verifying(), token) == ["read"]
