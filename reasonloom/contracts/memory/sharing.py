"""The tools of the `extras` toolset that share spaces with others."""

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import CamelAnswer, CamelRequest, Name

Right = Literal["read", "write", "promote", "admin"]
SpaceName = Annotated[
    Name, Field(alias="space", description='Such as "me/notes" or "team/payments"')
]
Grantee = Annotated[
    Name, Field(description='A person, "team/NAME", or "group/NAME" for a group of tokens')
]


class SpaceList(CamelRequest):
    """List the spaces you can use, with your rights and who else has any."""


class ListedGrant(CamelAnswer):
    """What somebody may do in a space that the caller administers."""

    to: str
    rights: list[Right]
    granted_by: str
    granted_at: str


class ListedSpace(CamelAnswer):
    """A space; `grants` are listed for those who administer it."""

    space: str
    rights: list[Right]
    grants: list[ListedGrant] | None = None


class SpacesListed(CamelAnswer):
    """The caller's own spaces first, then those that others share."""

    spaces: list[ListedSpace]


class SpaceGrant(CamelRequest):
    """Let others use a space: it replaces what they may do there.

    write and promote include read; admin includes all.
    """

    place: SpaceName
    to: Grantee
    rights: Annotated[list[Right], Field(min_length=1, max_length=4)]


class SpaceGranted(CamelAnswer):
    """What is granted now."""

    space: str
    to: str
    rights: list[Right]


class SpaceRevoke(CamelRequest):
    """End what somebody may do in a space, at once."""

    place: SpaceName
    from_: Annotated[Grantee, Field(alias="from")]


class SpaceRevoked(CamelAnswer):
    """What was revoked."""

    space: str
    from_: Annotated[str, Field(alias="from")]


class MemoryPromote(CamelRequest):
    """Copy a memory into a shared space; the original stays where it is."""

    memory_id: Name
    place: SpaceName


class MemoryPromoted(CamelAnswer):
    """The copy, and where it came from."""

    memory_id: str
    space: str
    promoted_from: str
