"""The visitor of a page: a signed-in holder of a token, or the settings' owner."""

from dataclasses import dataclass

from mcp.server.auth.provider import AccessToken
from starlette.authentication import AuthenticationError

from reasonloom.errors import CallerMistake, ServiceFault
from reasonloom.server.auth.verifier import Verifier


class SignedOut(CallerMistake):
    """The visitor's token is no longer valid."""


class NotProvable(ServiceFault):
    """The visitor's token cannot be verified now."""


class NotPermitted(CallerMistake):
    """The visitor may not do this here."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """One visitor; without a verifier, no token is required, as on the HTTP server."""

    verifier: Verifier | None = None
    secret: str | None = None

    async def token(self) -> AccessToken | None:
        """Return the visitor's verified token, None if none is required.

        Raises:
            SignedOut: there is none, or it was revoked or has expired.
            NotProvable: the issuer's keys are not available now.
        """
        if self.verifier is None:
            return None
        try:
            found = await self.verifier.verify_token(self.secret) if self.secret else None
        except AuthenticationError as error:
            raise NotProvable(str(error)) from None
        if found is None:
            raise SignedOut("sign in again: your token is no longer valid", field="token")
        return found
