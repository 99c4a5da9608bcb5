"""The tools that store, change and delete memories (reference: ThoughtMCP 0.5)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import (
    CamelAnswer,
    CamelRequest,
    Content,
    Name,
    Names,
    OpenObject,
    Unit,
)
from reasonloom.contracts.brief import Brief

Sector = Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
SECTORS: tuple[Sector, ...] = ("episodic", "semantic", "procedural", "emotional", "reflective")


class UserRequest(CamelRequest):
    """A request that names whose memories it is about; another user is another space."""

    user_id: Annotated[Name, Field(description="Whose memories")]

    def space(self) -> str | None:
        """Return the user's id: the owner's own name, or none, is the default space."""
        return self.user_id or None


OwnerByDefault = Annotated[Name, Field(default_factory=str)]
"""Leave it out unless several users share one owner."""


class MetadataChange(OpenObject):
    """What classifies a memory in addition to its content; absent fields stay as they are.

    Keys of the caller's own are kept and returned.
    """

    keywords: Annotated[Names | None, Field(description="Default: taken from content")] = None
    tags: Names | None = None
    category: Name | None = None
    context: Annotated[
        str | None, Field(max_length=4_000, description="When, where, with whom")
    ] = None
    importance: Unit | None = None


class MemoryMetadata(MetadataChange):
    """What classifies a new memory."""

    importance: Unit = 0.5


class Remember(UserRequest):
    """Store a fact, event, how-to, feeling or insight for later.

    It is embedded in five sector views and linked to its nearest memories.
    """

    content: Annotated[Content, Field(description="What to remember, non-empty")]
    session_id: Annotated[Name, Field(description="Session it belongs to")]
    primary_sector: Sector
    metadata: MemoryMetadata | None = None


class SupersedingRemember(Remember):
    """Store a fact, event, how-to, feeling or insight for later.

    The answer names older memories that it may replace; supersede settles that.
    """

    user_id: OwnerByDefault
    session_id: Annotated[
        Name, Field(default_factory=str, description="Default: the day's session")
    ]
    primary_sector: Annotated[
        Sector,
        Field(
            default_factory=lambda: "semantic",
            description="Default: by content",
        ),
    ]
    supersede: Annotated[
        list[Name] | None,
        Field(max_length=20, description="Ids of memories that it replaces"),
    ] = None
    place: Annotated[
        Name | None, Field(alias="space", description='Shared space, such as "team/payments"')
    ] = None


class ReplacedMemory(CamelAnswer):
    """An older memory that a new one may replace; `confidence` is a probability, 0..1."""

    id: str
    content: str
    why: str
    confidence: float


class Remembered(CamelAnswer):
    """What was stored; `deduplicated` where the same was there and was strengthened instead.

    `may_replace` lists older memories that may no longer hold, `superseded` the ids of those
    that are no longer current.
    """

    brief = Brief(text=("memory_id", "deduplicated", "superseded", "may_replace", "links_created"))

    memory_id: str
    embeddings_generated: int
    links_created: int
    salience: float
    strength: float
    deduplicated: bool | None = None
    may_replace: list[ReplacedMemory] | None = None
    superseded: list[str] | None = None


class UpdateMemory(UserRequest):
    """Change a memory: its content, strength, salience, or parts of its metadata.

    What is not given stays. New content is embedded and linked again; salience and automatic
    keywords follow it.
    """

    memory_id: Name
    content: Annotated[Content | None, Field(description="Replaces the old content")] = None
    strength: Unit | None = None
    salience: Unit | None = None
    metadata: Annotated[MetadataChange | None, Field(description="Keys to replace")] = None

    @model_validator(mode="after")
    def change_something(self) -> UpdateMemory:
        """Refuse a request that says nothing new; empty metadata says nothing."""
        if not (
            self.model_fields_set & {"content", "strength", "salience"}
            or (self.metadata and self.metadata.model_fields_set)
        ):
            raise PydanticCustomError(
                "nothing", "must hold at least one of content, strength, salience, metadata"
            )
        return self


class OwnersUpdateMemory(UpdateMemory):
    """Change a memory: its content, strength, salience, or parts of its metadata.

    What is not given stays.
    """

    user_id: OwnerByDefault


class UpdatedMemory(CamelAnswer):
    """The memory as it is now, and what was recomputed."""

    memory_id: str
    embeddings_regenerated: bool
    connections_updated: int
    strength: float
    salience: float


class Forget(UserRequest):
    """Delete a memory: for good, or softly so that it can be restored."""

    memory_id: Name
    soft: Annotated[bool, Field(description="Hide it and keep the data")] = False


class OwnersForget(Forget):
    """Delete a memory: for good, or softly so that it can be restored."""

    user_id: OwnerByDefault


class Forgotten(CamelAnswer):
    """What was deleted, and how."""

    memory_id: str
    deletion_type: Literal["soft", "hard"]
    message: str
