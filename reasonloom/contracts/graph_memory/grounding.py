"""Checking claims against what is stored (reference: AgenticMemory)."""

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Request, Unit
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.graph_memory.shared import NODE, Count, MemoryEdge, ScoredNode
from reasonloom.contracts.space import SpacedRequest
from reasonloom.contracts.validity import HeldRequest

Status = Literal["verified", "partial", "ungrounded"]
Relation = Literal["supports", "contradicts", "related"]
By = Literal["words", "llm", "both"]


class MemoryGround(Request):
    """Check a claim against memory before you state it: verified, partial or ungrounded.

    Names the evidence, what is not covered, and what contradicts it.
    """

    claim: Annotated[Content, Field(description="What you are about to state")]
    threshold: Annotated[Unit, Field(description="Least coverage for partial")] = 0.3


class HeldMemoryGround(SpacedRequest, HeldRequest, MemoryGround):
    """Check a claim against memory before you state it: verified, partial or ungrounded."""


class Evidence(ScoredNode):
    """A node that speaks of the claim; `covers` are the claim's words that it holds.

    `why` says in words what contradicts, or the language model's reason; None without either.
    """

    brief = Brief(main="content", text=("relation", "score", *NODE, "why"), drop=("covers",))

    relation: Relation
    covers: list[str]
    why: str | None


class Grounded(Answer):
    """The verdict.

    Attributes:
        confidence: how sure the verdict is, 0..1.
        coverage: the share of the claim that current memories cover, 0..1.
        evidence: the nodes that decide, best first.
        uncovered: parts of the claim that no memory covers.
        contradicted: a current memory says otherwise.
        suggestions: nodes that come near, where the claim is ungrounded.
        superseded: nodes that said it before they were corrected.
    """

    brief = Brief(
        text=(
            "status",
            "confidence",
            "coverage",
            "contradicted",
            "evidence",
            "uncovered",
            "suggestions",
            "superseded",
        )
    )

    status: Status
    claim: str
    confidence: float
    coverage: float
    contradicted: bool
    evidence: list[Evidence]
    uncovered: list[str]
    suggestions: list[ScoredNode]
    superseded: list[int]
    judged_by: By


class MemoryEvidence(Request):
    """Show the memories that speak of something, with their sessions, times and edges."""

    query: Content
    max_results: Count = 10


class EvidenceNode(ScoredNode):
    """A node with the edges that lead to and from it."""

    brief = Brief(main="content", text=("score", *NODE, "edges"))

    edges: list[MemoryEdge]


class EvidenceFound(Answer):
    """Nodes with their edges, best first."""

    brief = Brief(text=("results",))

    results: list[EvidenceNode]
    count: int


class MemorySuggest(Request):
    """Find what is stored nearest to something half remembered or misspelt."""

    query: Content
    limit: Count = 5
