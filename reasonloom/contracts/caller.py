"""Who asks: the owner whose data it is, the space within it, and the client in between."""

from __future__ import annotations

from dataclasses import dataclass, replace

DEFAULT_SPACE = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of one call.

    Attributes:
        owner: the token's subject, or `REASONLOOM_USER` where no token names one.
        space: a part of the owner's memories of its own; "" is the default one.
        client: the connecting program's name, None where it gave none.
        authenticated: True where a token proved the owner.
        project: the project that new memories belong to, if any.
    """

    owner: str
    space: str = DEFAULT_SPACE
    client: str | None = None
    authenticated: bool = False
    project: str | None = None

    def within(self, user: str | None) -> Caller:
        """Return this caller in the space of `user`; absent or the owner's own name: default."""
        space = DEFAULT_SPACE if user in (None, self.owner) else str(user)
        return replace(self, space=space)
