"""Graph of Thoughts, one operation a call (reference: mcp-langbase-reasoning)."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Answer, Content, Kind, Name, Request, Unit, Whole
from reasonloom.contracts.brief import Brief

NodeType = Literal[
    "thought", "hypothesis", "conclusion", "aggregation", "root", "refinement", "terminal"
]
EdgeType = Literal["generates", "refines", "aggregates", "supports", "contradicts"]
Check = Literal["none", "local check", "judge", "oracle"]
Problem = Annotated[Content | None, Field(description="For this call (default the graph's)")]


class GotConfig(Request):
    """The limits of a graph."""

    max_depth: Annotated[Whole, Field(ge=1, le=20)] = 5
    max_branches: Annotated[Whole, Field(ge=1, le=10, description="Children of one node")] = 5
    prune_threshold: Annotated[Unit, Field()] = 0.3


class GotInit(Request):
    """Begin a Graph of Thoughts with your thought as root.

    Then generate, score, aggregate, refine, prune, finalize.
    """

    content: Content
    session_id: Annotated[Name | None, Field(description="Session (default new)")] = None
    problem: Annotated[Content | None, Field(description="Default the content")] = None
    config: GotConfig | None = None


class OfGraph(Request):
    """A request about a graph that must exist."""

    graph_id: Name


class GotGenerate(OfGraph):
    """Let k unlike thoughts continue one node; their diversity is measured."""

    node_id: Name
    k: Annotated[Whole, Field(ge=1, le=10)] = 3
    problem: Problem = None


class GotScore(OfGraph):
    """Score a node by relevance, validity, depth and novelty.

    Blind ballots judge, novelty is measured.
    """

    node_id: Name
    problem: Problem = None


class GotAggregate(OfGraph):
    """Merge nodes of one graph into one thought that keeps what is best in each."""

    node_ids: Annotated[list[Name], Field(min_length=2, max_length=20)]
    problem: Problem = None


class GotRefine(OfGraph):
    """Criticise and improve a node.

    The better of the two stays active, as blind ballots say.
    """

    node_id: Name
    problem: Problem = None


class GotPrune(OfGraph):
    """Take out nodes that score below the threshold and lead to nothing better.

    Unscored ones are scored first.
    """

    threshold: Annotated[
        Unit | None,
        Field(
            description="Least score that stays (default the graph's)",
            json_schema_extra={"default": 0.3},
        ),
    ] = None


class ReversiblePrune(GotPrune):
    """Take out nodes that score below the threshold and lead to nothing better.

    Unscored ones are scored first.
    """

    preview: Annotated[bool, Field(description="Only tell what would go")] = False
    restore: Annotated[bool, Field(description="Undo the newest pruning instead")] = False

    @field_validator("restore")
    @classmethod
    def restore_alone(cls, value: bool, info: ValidationInfo) -> bool:
        """Refuse to put back and to take out at once."""
        if value and (info.data.get("preview") or info.data.get("threshold") is not None):
            raise PydanticCustomError("restore", "goes with neither threshold nor preview")
        return value


class GotFinalize(OfGraph):
    """Close a graph: its terminal nodes become one conclusion, a thought of the session."""

    terminal_node_ids: Annotated[
        list[Name] | None,
        Field(min_length=1, max_length=20, description="Nodes it ends in (default best leaves)"),
    ] = None


class GotState(OfGraph):
    """Tell a graph's size, depth, activity, and whether it has a cycle."""


class GraphNode(Answer):
    """One thought of a graph.

    `check` says who stands behind `score`; where it is `none`, that is `confidence`, which the
    node's maker claims. `parts` are the parts of the score. An inactive node was pruned
    (`pruned`) or beaten by another (`replaced_by`).
    """

    brief = Brief(main="content", text=("id", "node_type", "score"), drop=("parts",))

    id: str
    graph_id: str
    content: str
    node_type: NodeType
    score: float
    depth: int
    is_active: bool
    is_terminal: bool
    created_at: str
    number: int
    confidence: float
    check: Check
    parts: dict[str, float] | None = None
    pruned: bool | None = None
    replaced_by: str | None = None


class GraphEdge(Answer):
    """One edge; it points the way that thought went, `reason` tells why where that is open."""

    brief = Brief(main="reason", text=("from_node", "to_node", "edge_type"))

    id: str
    graph_id: str
    from_node: str
    to_node: str
    edge_type: EdgeType
    weight: float
    created_at: str
    reason: str | None = None


class ByLlm(Answer):
    """What an answer says of how it was made; `partial` marks one of which something is missing."""

    llm: str
    run_id: str
    partial: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None


class BegunGraph(Answer):
    """A graph as it begins; `confidence` is a default: nobody has judged the root."""

    brief = Brief(text=("graph_id", "root_node_id", "session_id"))

    graph_id: str
    session_id: str
    root_node_id: str
    content: str
    confidence: float
    problem: str
    config: dict[str, int | float]
    run_id: str


class GeneratedNodes(ByLlm):
    """New nodes; `diversity` is the mean distance between them, 0..1, null for one alone."""

    brief = Brief(text=("nodes", "diversity", "partial", "suggestion", "kind"), drop=("edges",))

    graph_id: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    diversity: float | None
    memories_used: list[str]


class ScoredNode(ByLlm):
    """A node's score and its parts, each 0..1; `score` is their weighted mean.

    `agreement` is 1 minus the spread of the ballots, null where fewer than two were cast.
    """

    brief = Brief(
        text=(
            "score",
            "relevance",
            "validity",
            "depth",
            "novelty",
            "check",
            "node_id",
            "partial",
            "suggestion",
            "kind",
        ),
        drop=("weights", "edges"),
    )

    graph_id: str
    node_id: str
    score: float
    relevance: float
    validity: float
    depth: float
    novelty: float
    weights: dict[str, float]
    check: Check
    ballots: int
    agreement: float | None
    edges: list[GraphEdge]
    node: GraphNode


class AggregatedNode(ByLlm):
    """The node that others were merged into; `used` are those whose content it kept.

    `preferred` is the merged node, or the best of its inputs if the merged one does not beat it.
    """

    brief = Brief(text=("node", "conflicts", "partial", "suggestion", "kind"), drop=("edges",))

    graph_id: str
    node_id: str
    node: GraphNode
    edges: list[GraphEdge]
    used: list[str]
    conflicts: list[str]
    preferred: str
    accepted: bool
    reason: str


class RefinedNode(ByLlm):
    """A refinement and its parent: `preferred` is the one that stays active, `reason` why."""

    brief = Brief(
        text=(
            "node",
            "accepted",
            "preferred",
            "critique",
            "reason",
            "partial",
            "suggestion",
            "kind",
        ),
        drop=("edges",),
    )

    graph_id: str
    node_id: str
    node: GraphNode
    edges: list[GraphEdge]
    preferred: str
    accepted: bool
    critique: list[str]
    reason: str
    check: Check


class PrunedGraph(ByLlm):
    """What a pruning took out, or would (`preview`), or put back (`restored`).

    `kept_below` scored too low, but lead to what did not; `unscored` could not be scored.
    """

    brief = Brief(
        text=(
            "pruned",
            "remaining",
            "threshold",
            "kept_below",
            "unscored",
            "preview",
            "restored",
            "partial",
            "suggestion",
        )
    )

    graph_id: str
    pruned: list[str]
    remaining: int
    threshold: float
    scored: list[str]
    kept_below: list[str]
    unscored: list[str]
    preview: bool | None = None
    restored: list[str] | None = None
    pruning_id: str | None = None


class FinalizedGraph(ByLlm):
    """What a graph came to; the conclusion is a thought of its session."""

    brief = Brief(
        main="conclusion",
        text=(
            "confidence",
            "terminal_nodes",
            "partial",
            "suggestion",
            "kind",
            "thought_id",
            "session_id",
        ),
        within={
            "terminal_nodes": Brief(
                main="content",
                text=("id", "score"),
                gist=("content",),
                drop=("parts",),
            )
        },
    )

    graph_id: str
    terminal_nodes: list[GraphNode]
    conclusion: str
    confidence: float
    session_id: str
    thought_id: str
    branch_id: str
    sources: list[str]
    agreement: float | None


class GraphState(Answer):
    """A graph in figures; `max_depth` is the depth that it has reached, of `config.max_depth`."""

    brief = Brief(
        text=(
            "node_count",
            "edge_count",
            "max_depth",
            "active_nodes",
            "terminal_nodes",
            "has_cycle",
            "pruned_nodes",
            "unscored_nodes",
            "best_node_id",
            "leaves",
            "finalized",
            "conclusion",
        ),
        drop=("mermaid",),
    )

    graph_id: str
    session_id: str
    node_count: int
    edge_count: int
    max_depth: int
    active_nodes: int
    terminal_nodes: int
    has_cycle: bool
    cycle: list[str] | None
    root_node_id: str
    pruned_nodes: int
    replaced_nodes: int
    unscored_nodes: int
    leaves: list[str]
    best_node_id: str | None
    node_types: dict[str, int]
    edge_types: dict[str, int]
    config: dict[str, int | float]
    problem: str
    finalized: bool
    conclusion: str | None
    mermaid: str
