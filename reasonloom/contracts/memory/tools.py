"""The memory tools of the `thought` toolset (reference: ThoughtMCP 0.5)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import (
    CamelAnswer,
    CamelRequest,
    Content,
    Moment,
    Name,
    Names,
    OpenObject,
    Unit,
    WholeNumber,
    parse_moment,
)
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.validity import HeldRequest

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
    """What classifies a memory beside its content; what is absent stays as it is.

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


class DateRange(CamelRequest):
    """A span of creation times, both ends included."""

    start: Moment | None = None
    end: Moment | None = None

    @model_validator(mode="after")
    def run_forward(self) -> DateRange:
        """Refuse a span that ends before it starts."""
        if self.start and self.end and parse_moment(self.start) > parse_moment(self.end):
            raise PydanticCustomError("span", "must have a start that is not after its end")
        return self


class MetadataFilter(OpenObject):
    """Keeps memories that carry any of the keywords, any of the tags, and the category.

    A key of the caller's own keeps those that carry it with this value.
    """

    keywords: Names | None = None
    tags: Names | None = None
    category: Name | None = None


class Selection(UserRequest):
    """What `recall` and `search` alike narrow their answer by."""

    text: Content | None = None
    sectors: Annotated[list[Sector] | None, Field(max_length=5)] = None
    primary_sector: Annotated[Sector | None, Field(description="Only this sector")] = None
    min_strength: Unit | None = None
    min_salience: Unit | None = None
    date_range: Annotated[DateRange | None, Field(description="Created within")] = None
    metadata: MetadataFilter | None = None
    limit: Annotated[WholeNumber, Field(ge=1, le=100)] = 10
    offset: Annotated[WholeNumber, Field(ge=0, le=1_000_000)] = 0


class Recall(Selection):
    """Find memories by meaning and words, best first.

    Score = 0.6 similarity + 0.2 salience + 0.1 recency + 0.1 link weight.
    """

    text: Annotated[Content | None, Field(description="What to look for")] = None
    sectors: Annotated[
        list[Sector] | None, Field(max_length=5, description="Sectors to search (default all)")
    ] = None


class AtMoment(HeldRequest, CamelRequest):
    """What was current at a time, rather than now; the owner's memories by default."""

    user_id: OwnerByDefault


class ExplainedRecall(AtMoment, Recall):
    """Find memories by meaning and words, best first."""

    explain: bool = False


class StoredMetadata(CamelAnswer):
    """What classifies a stored memory, with the keys that its caller added."""

    model_config = ConfigDict(extra="allow")

    brief = Brief(few={"keywords": 3})

    keywords: list[str]
    tags: list[str]
    category: str | None = None
    context: str | None = None
    importance: float | None = None


class Provenance(CamelAnswer):
    """Who stored a memory, by which tool, in which session and run; `trust` is in 0..1."""

    brief = Brief(text=("source_kind", "trust"), drop=("session_id", "run_id"))

    principal: str
    tool: str
    source_kind: str
    trust: float
    session_id: str | None = None
    run_id: str | None = None


class Explanation(CamelAnswer):
    """What a score is made of, each part in 0..1.

    `signals` are the shares of similarity = tanh(their sum / 2); absent without a text.
    `reading` is the logarithm of the odds that it answers the question, where it was read.
    """

    salience: float
    recency: float
    link_weight: float
    similarity: float | None = None
    signals: dict[str, float] | None = None
    reading: float | None = None


class RecalledMemory(CamelAnswer):
    """One memory found; `score` is in 0..1 and comparable within one answer.

    `valid_from` is when it was said, if earlier; `superseded_by` the memory that replaced it;
    `nearest` is true where nothing stored answers the question, and this is only near to it.
    """

    brief = Brief(
        main="content",
        text=(
            "id",
            "created_at",
            "valid_from",
            "superseded_by",
            "primary_sector",
            "score",
            "nearest",
            "provenance",
            "explanation",
        ),
    )

    id: str
    content: str
    created_at: str
    valid_from: str | None = None
    superseded_by: str | None = None
    last_accessed: str
    strength: float
    salience: float
    primary_sector: str
    metadata: StoredMetadata
    score: float
    nearest: bool | None = None
    provenance: Provenance | None = None
    explanation: Explanation | None = None


class Recalled(CamelAnswer):
    """The memories found, best first; empty where nothing is relevant.

    `answerable` is the probability that one of the best answers the question.
    """

    brief = Brief(text=("memories", "total_count", "answerable"))

    memories: list[RecalledMemory]
    total_count: int
    scores: dict[str, float]
    answerable: float | None = None


class Search(Selection):
    """Find memories by exact words: AND, OR, NOT, "a phrase", parentheses.

    Words side by side must all occur, in any form (prefers, preference). Without text all
    memories that pass the filters. For questions use recall.
    """

    text: Annotated[
        Content | None, Field(description='Such as: (dark OR night) NOT "high contrast"')
    ] = None
    sectors: Annotated[
        list[Sector] | None, Field(max_length=5, description="Memories' sectors (default all)")
    ] = None


class ExplainedSearch(AtMoment, Search):
    """Find memories by exact words: AND, OR, NOT, "a phrase", parentheses.

    Words side by side must all occur, in any form (prefers, preference). For questions use recall.
    """

    explain: bool = False


class TermRanks(CamelAnswer):
    """The rank that a memory would have by each of the query's terms alone, 0..1."""

    terms: dict[str, float]


class MatchedMemory(CamelAnswer):
    """One memory found; `highlight` is its content as stored, not escaped, with <b> added.

    `rank` is in 0..1 on a scale that other memories do not move; `matched_terms` are the
    query's words as they were written.
    """

    brief = Brief(
        main="content",
        text=("id", "created_at", "primary_sector", "rank", "explanation"),
        gist=("highlight",),
    )

    id: str
    content: str
    created_at: str
    strength: float
    salience: float
    primary_sector: str
    rank: float
    highlight: str
    matched_terms: list[str]
    explanation: TermRanks | Explanation | None = None


class SearchResult(CamelAnswer):
    """One page of what matches, best first; `total_count` counts all that matches."""

    brief = Brief(text=("memories", "total_count"))

    memories: list[MatchedMemory]
    total_count: int
    search_type: Literal["full-text", "metadata"]


class UpdateMemory(UserRequest):
    """Change a memory: its content, strength, salience, or parts of its metadata.

    What is not given stays. New content is embedded and linked anew; salience and automatic
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


class UpdatedMemory(CamelAnswer):
    """The memory as it is now, and what was made anew."""

    memory_id: str
    embeddings_regenerated: bool
    connections_updated: int
    strength: float
    salience: float


class Forget(UserRequest):
    """Delete a memory: for good, or softly so that it can be restored."""

    memory_id: Name
    soft: Annotated[bool, Field(description="Hide it and keep the data")] = False


class Forgotten(CamelAnswer):
    """What was deleted, and how."""

    memory_id: str
    deletion_type: Literal["soft", "hard"]
    message: str
