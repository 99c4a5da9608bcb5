"""Who asks: the owner whose data it is, the space within it, and the client in between."""

from __future__ import annotations

from dataclasses import dataclass, replace

DEFAULT_SPACE = ""

NOWHERE = "\x1f"
"""A space whose name no contract allows, so that it is always empty."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of one call.

    Attributes:
        owner: the token's subject, or `REASONLOOM_USER` where no token names one.
        space: a part of the owner's memories of its own; "" is the default one.
        client: the connecting program's name, None where it gave none.
        authenticated: True where a token proved the owner.
        project: the project that new memories belong to, if any.
        spaces: the spaces that recall and search read where the call names none.
        groups: the groups that the token claims.
        host: the owner whose space it is, where that is another one.
        address: the name of the space where the call named one, "" for the caller's own.
        home_space: the space of the call itself, where it works in another one.
    """

    owner: str
    space: str = DEFAULT_SPACE
    client: str | None = None
    authenticated: bool = False
    project: str | None = None
    spaces: tuple[str, ...] = ("me",)
    groups: tuple[str, ...] = ()
    host: str | None = None
    address: str = ""
    home_space: str | None = None

    def within(self, user: str | None) -> Caller:
        """Return this caller in the space of `user`; absent or the owner's own name: default."""
        space = DEFAULT_SPACE if user in (None, self.owner) else str(user)
        return replace(self, space=space)

    def reading(self, user: str | None) -> Caller:
        """Return the caller that reads the space of `user`; other spaces of a token's are empty."""
        placed = self.within(user)
        is_closed = self.authenticated and placed.space != DEFAULT_SPACE
        return self.within(NOWHERE) if is_closed else placed

    def at(self, owner: str | None, space: str, address: str) -> Caller:
        """Return this caller in a named space, of another owner unless that is its own."""
        host = None if owner in (None, self.owner) else owner
        return replace(
            self, space=space, host=host, address=address, home_space=self.recorded_space
        )

    @property
    def host_or_owner(self) -> str:
        """The owner whose memories the call uses."""
        return self.host or self.owner

    @property
    def recorded_space(self) -> str:
        """The space under which the call itself is recorded."""
        return self.space if self.home_space is None else self.home_space

    def memory_id(self, number: int) -> str:
        """Return the id of a memory in this space, such as `mem-42` or `team/payments:mem-42`."""
        return f"{self.address}:mem-{number}" if self.address else f"mem-{number}"
