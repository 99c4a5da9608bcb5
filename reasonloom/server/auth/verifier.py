"""Verifies bearer tokens: static ones from the file, and JWTs signed by one issuer."""

import logging
from collections.abc import Mapping
from typing import Any

import jwt
from mcp.server.auth.provider import AccessToken, TokenVerifier
from starlette.authentication import AuthenticationError

from reasonloom.contracts.places import MOST_GROUPS, check_group
from reasonloom.errors import InvalidArgument, SettingMistake
from reasonloom.server.auth.discovery import is_secure
from reasonloom.server.auth.scopes import OFFERED_SCOPES
from reasonloom.server.auth.signing_keys import KeysUnavailable, SigningKeys
from reasonloom.server.auth.token_file import TOKEN_PREFIX, TokenFile, check_owner, read_entries
from reasonloom.settings import Settings

log = logging.getLogger(__name__)
MAX_TOKEN_LENGTH = 16_384
"""Maximum characters of a token; longer ones are rejected unparsed."""


SCOPE = "scope"
"""The claim defined by RFC 8693."""


class IssuerUnavailable(AuthenticationError):
    """A token cannot be verified now; the same request may succeed later."""


class SignedTokens:
    """Verifies tokens signed by the configured issuer for this server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._keys = SigningKeys(settings.oauth_jwks, str(settings.oauth_issuer))

    async def verify(self, token: str) -> AccessToken | None:
        """Return a valid token's content, else None; logs the reason but never the token.

        Raises:
            IssuerUnavailable: the issuer's keys are not available.
        """
        try:
            return self._read(token, await self._claims(token))
        except KeysUnavailable:
            raise IssuerUnavailable("the issuer's keys cannot be fetched now; try again") from None
        except (jwt.PyJWTError, InvalidArgument, ValueError, TypeError) as error:
            log.info("a signed token is refused: %s", type(error).__name__)
            return None

    async def _claims(self, token: str) -> dict[str, Any]:
        settings = self._settings
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in settings.oauth_algorithms:
            raise jwt.InvalidAlgorithmError
        key = await self._keys.find(header.get("kid"))
        if key is None:
            raise jwt.InvalidKeyError
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(settings.oauth_algorithms),
            issuer=settings.oauth_issuer,
            audience=settings.oauth_audience or settings.public_url,
            leeway=settings.oauth_leeway,
            options={"require": ["exp", "iss", "aud"]},
        )
        return claims

    def _read(self, token: str, claims: Mapping[str, Any]) -> AccessToken:
        owner = claims.get(self._settings.oauth_owner_claim)
        if not isinstance(owner, str):
            raise InvalidArgument("owner: must be text", field="owner")
        words = _scopes(claims, self._settings.oauth_scope_claim)
        client = claims.get("client_id") or claims.get("azp") or owner
        return AccessToken(
            token=token,
            client_id=str(client),
            scopes=[scope for scope in OFFERED_SCOPES if scope in words],
            subject=check_owner(owner),
            claims={
                "iss": claims["iss"],
                "groups": _groups(claims.get(self._settings.oauth_groups_claim)),
            },
        )


def _groups(found: object) -> list[str]:
    """Return the groups in a claim, a list or words in one text; what is neither names none."""
    words = found.split() if isinstance(found, str) else found
    if not isinstance(words, list):
        return []
    return [check_group(each) for each in words[:MOST_GROUPS] if isinstance(each, str)]


def _scopes(claims: Mapping[str, Any], name: str) -> list[str]:
    """Return the scopes in a claim; none if it is missing.

    RFC 8693 and RFC 9068 require `scope` to be a space-separated string; claims of other names
    are issuer-specific, and some issuers use a list in `scp` or `permissions`.
    """
    found = claims.get(name, "")
    if isinstance(found, str):
        return found.split()
    if (
        name == SCOPE
        or not isinstance(found, list)
        or not all(isinstance(each, str) for each in found)
    ):
        raise InvalidArgument(
            f"{name}: must be words in one text, such as read write", field="scope"
        )
    return found


class Verifier(TokenVerifier):
    """Verifies both kinds of tokens, as far as they are configured."""

    def __init__(self, settings: Settings) -> None:
        self._file = TokenFile(settings.tokens) if settings.tokens else None
        self._signed = SignedTokens(settings) if settings.oauth_issuer else None

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return a valid token's content, else None.

        Raises:
            IssuerUnavailable: the issuer's keys are not available.
        """
        if len(token) > MAX_TOKEN_LENGTH:
            return None
        if token.startswith(TOKEN_PREFIX):
            return self._static(token)
        return await self._signed.verify(token) if self._signed else None

    def _static(self, token: str) -> AccessToken | None:
        entry = self._file.find(token) if self._file else None
        if entry is None:
            return None
        return AccessToken(
            token=token,
            client_id=entry.id,
            scopes=list(entry.scopes),
            subject=entry.owner,
            claims={"groups": list(entry.groups)},
        )


def make_verifier(settings: Settings) -> Verifier | None:
    """Return the configured verifier, None if no token is required.

    Raises:
        SettingMistake: the settings are incomplete or invalid.
    """
    if settings.tokens:
        read_entries(settings.tokens)
    if settings.public_url:
        _check_url("REASONLOOM_PUBLIC_URL", settings.public_url)
    if settings.oauth_issuer:
        _check_oauth(settings)
    elif settings.oauth_jwks or settings.oauth_audience:
        name = "REASONLOOM_OAUTH_ISSUER"
        raise SettingMistake(f"{name}: must name the issuer of signed tokens", field=name)
    return Verifier(settings) if settings.tokens or settings.oauth_issuer else None


def _check_oauth(settings: Settings) -> None:
    if not settings.public_url:
        name = "REASONLOOM_PUBLIC_URL"
        raise SettingMistake(f"{name}: must be set with REASONLOOM_OAUTH_ISSUER", field=name)
    _check_url("REASONLOOM_OAUTH_ISSUER", str(settings.oauth_issuer))
    if settings.oauth_jwks and "://" in settings.oauth_jwks:
        _check_url("REASONLOOM_OAUTH_JWKS", settings.oauth_jwks)


def _check_url(name: str, url: str) -> None:
    """Reject a URL that could be intercepted to inject keys."""
    if not is_secure(url):
        rule = "must be an https:// URL without user or fragment (http:// on loopback alone)"
        raise SettingMistake(f"{name}: {rule}", field=name)
