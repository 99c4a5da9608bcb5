"""Who looks at a page: a signed-in holder of a token, or the owner of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.authentication import AuthenticationError

from reasonloom.errors import CallerMistake, ServiceFault

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

    from reasonloom.server.auth.verifier import Verifier


class SignedOut(CallerMistake):
    """The visitor's token holds no longer."""


class NotProvable(ServiceFault):
    """Nobody can verify the visitor's token at present."""


class NotPermitted(CallerMistake):
    """The visitor may not do this here."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """One visitor; without a verifier nobody has to prove anything, as on the HTTP server."""

    verifier: Verifier | None = None
    secret: str | None = None

    async def token(self) -> AccessToken | None:
        """Return what the visitor's token says now, None where none is asked for.

        Raises:
            SignedOut: there is none, or it was revoked or has run out.
            NotProvable: the issuer's keys cannot be had now.
        """
        if self.verifier is None:
            return None
        try:
            found = await self.verifier.verify_token(self.secret) if self.secret else None
        except AuthenticationError as error:
            raise NotProvable(str(error)) from None
        if found is None:
            raise SignedOut("sign in again: your token holds no longer", field="token")
        return found
