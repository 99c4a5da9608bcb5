"""The tools that find memories, `recall` and `search` (reference: ThoughtMCP 0.5)."""

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
from reasonloom.contracts.memory.tools import OwnerByDefault, Sector, UserRequest
from reasonloom.contracts.places import MOST_PLACES
from reasonloom.contracts.validity import HeldRequest


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
    spaces: Annotated[
        list[Name] | None,
        Field(max_length=MOST_PLACES, description='Such as ["me", "team/payments"]'),
    ] = None


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
    """One memory found; `score`, in 0..1, is that before the best five are reordered.

    `valid_from` is when it was said, if earlier; `superseded_by` the memory that replaced it;
    `nearest` is true where nothing stored answers the question, and this is only near to it;
    `space` and `writer` are there for a memory of another space than the caller's own.
    """

    brief = Brief(
        main="content",
        text=(
            "id",
            "space",
            "writer",
            "created_at",
            "valid_from",
            "superseded_by",
            "primary_sector",
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
    space: str | None = None
    writer: str | None = None
    provenance: Provenance | None = None
    explanation: Explanation | None = None


class Recalled(CamelAnswer):
    """The memories found, most relevant first; empty where nothing is relevant.

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
    spaces: Annotated[list[Name] | None, Field(max_length=MOST_PLACES)] = None


class TermRanks(CamelAnswer):
    """The rank that a memory would have by each of the query's terms alone, 0..1."""

    terms: dict[str, float]


class MatchedMemory(CamelAnswer):
    """One memory found; `highlight` is its content as stored, not escaped, with <b> added.

    `rank` is in 0..1 on a scale that other memories do not move; `matched_terms` are the
    query's words as they were written; `space` and `writer` as for recall.
    """

    brief = Brief(
        main="content",
        text=("id", "space", "writer", "created_at", "primary_sector", "rank", "explanation"),
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
    space: str | None = None
    writer: str | None = None
    explanation: TermRanks | Explanation | None = None


class SearchResult(CamelAnswer):
    """One page of what matches, best first; `total_count` counts all that matches."""

    brief = Brief(text=("memories", "total_count"))

    memories: list[MatchedMemory]
    total_count: int
    search_type: Literal["full-text", "metadata"]
