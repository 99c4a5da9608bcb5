"""The lines of an export: a header, then one memory a line with everything that belongs to it."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import (
    CONTENT_LIMIT,
    Content,
    Moment,
    Name,
    OpenObject,
    Request,
    Unit,
    Whole,
    parse_moment,
)
from reasonloom.contracts.memory.tools import Sector

FORMAT = "reasonloom-memories"
VERSION = 1
EARLIEST, LATEST = 1000, 9998
LARGEST_COUNT = 2**31 - 1

EventType = Literal["fact", "decision", "inference", "correction", "skill", "episode"]
EdgeType = Literal[
    "caused_by", "derived_from", "supports", "contradicts", "supersedes", "related_to", "part_of",
    "temporal_next",
]  # fmt: skip
SOURCE_KINDS = ("user", "tool", "derived", "transcript")


def _in_our_era(value: str) -> str:
    if not EARLIEST <= parse_moment(value).year <= LATEST:
        raise PydanticCustomError("era", f"must lie in the years {EARLIEST} to {LATEST}")
    return value


def _uuid(value: str) -> str:
    try:
        return str(UUID(value))
    except ValueError:
        raise PydanticCustomError("uuid", "must be a uuid") from None


When = Annotated[Moment, AfterValidator(_in_our_era)]
Uuid = Annotated[str, Field(max_length=64), AfterValidator(_uuid)]
Text = Annotated[str, StringConstraints(max_length=CONTENT_LIMIT)]
Texts = Annotated[list[Text], Field(max_length=10_000)]
MemoryId = Annotated[str, Field(pattern=r"^mem-[1-9][0-9]{0,17}$")]


class PortableEmbedder(Request):
    """The embedder whose vectors go along: vectors of another are made anew."""

    model: Name
    dimension: Annotated[Whole, Field(ge=1, le=100_000)]


class PortableHeader(Request):
    """The first line: which format this is, and how much follows."""

    format: Literal["reasonloom-memories"]
    version: Annotated[Whole, Field(ge=1)]
    exported_at: When | None = None
    memories: Annotated[Whole, Field(ge=0)] | None = None
    includes_hidden: bool = False
    embedder: PortableEmbedder | None = None


class PortableSession(Request):
    """The session a memory belongs to, by its outside name if it has one, else by its id."""

    name: Name | None = None
    id: Uuid | None = None


class PortableProvenance(Request):
    """Who stored a memory; `origin` is the same wherever the memory is taken."""

    origin: Uuid | None = None
    principal: Text | None = None
    tool: Text | None = None
    run_id: Uuid | None = None


class PortableEdge(Request):
    """A link that starts at the line's memory."""

    target: MemoryId
    type: EdgeType
    weight: Unit
    origin: Name = "import"
    created_at: When | None = None


class PortableVector(Request):
    """One vector, of the sectors that share it: little-endian float16 numbers in base64."""

    sectors: Annotated[list[Sector], Field(min_length=1, max_length=5)]
    vector: Annotated[str, Field(max_length=1_000_000)]


class PortableMemory(Request):
    """One memory; `content` is all that a line must have."""

    content: Content
    id: MemoryId | None = None
    sector: Sector = "semantic"
    event_type: EventType | None = None
    created_at: When | None = None
    valid_from: When | None = None
    last_accessed: When | None = None
    decayed_at: When | None = None
    hidden_at: When | None = None
    strength: Unit | None = None
    salience: Unit | None = None
    importance: Unit = 0.5
    confidence: Unit = 1.0
    trust: Unit = 1.0
    decay_rate: Annotated[float, Field(ge=0, le=100)] | None = None
    access_count: Annotated[Whole, Field(ge=0, le=LARGEST_COUNT)] = 0
    keywords: Texts | None = None
    tags: Texts | None = None
    category: Text | None = None
    context: Text | None = None
    metadata: OpenObject | None = None
    session: PortableSession | None = None
    project: Text | None = None
    source_kind: Text | None = None
    provenance: PortableProvenance | None = None
    superseded_by: MemoryId | None = None
    edges: Annotated[list[PortableEdge], Field(max_length=100_000)] | None = None
    embeddings: Annotated[list[PortableVector], Field(max_length=5)] | None = None


def in_iso(moment: datetime | None) -> str | None:
    """Return a moment as the format writes it."""
    return moment.isoformat() if moment else None
