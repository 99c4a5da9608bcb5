"""Requests that may name a space; all that their run reads and keeps is in it."""

from typing import Annotated

from pydantic import Field

from reasonloom.contracts.base import Name, Request


class SpacedRequest(Request):
    """A request of one user's memories, the owner's by default.

    The space goes with the caller of a run, so that `userId` is no part of the run's input.
    """

    user_id: Annotated[
        Name,
        Field(alias="userId", default_factory=str, exclude=True),
    ]

    def space(self) -> str | None:
        """Return the user's id; without one it is the owner's default space."""
        return self.user_id or None
