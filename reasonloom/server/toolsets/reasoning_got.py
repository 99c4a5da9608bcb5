"""The Graph of Thoughts tools of the `reasoning` toolset."""

from reasonloom.contracts.thought_graph import tools as got
from reasonloom.server.toolsets.toolset import Effect, ToolLine

GOT_TOOLS = (
    ToolLine(
        "reasoning_got_init",
        "Begin a graph",
        got.GotInit,
        got.BegunGraph,
        "got_init",
        Effect.ADDS,
    ),
    ToolLine(
        "reasoning_got_generate",
        "Continue a node",
        got.GotGenerate,
        got.GeneratedNodes,
        "got_generate",
        Effect.ADDS,
        open_world=True,
    ),
    ToolLine(
        "reasoning_got_score",
        "Score a node",
        got.GotScore,
        got.ScoredNode,
        "got_score",
        Effect.CHANGES,
        open_world=True,
    ),
    ToolLine(
        "reasoning_got_refine",
        "Refine a node",
        got.GotRefine,
        got.RefinedNode,
        "got_refine",
        Effect.ADDS,
        open_world=True,
    ),
    ToolLine(
        "reasoning_got_aggregate",
        "Merge nodes",
        got.GotAggregate,
        got.AggregatedNode,
        "got_aggregate",
        Effect.ADDS,
        open_world=True,
    ),
    ToolLine(
        "reasoning_got_prune",
        "Prune a graph",
        got.ReversiblePrune,
        got.PrunedGraph,
        "got_prune",
        Effect.CHANGES,
        open_world=True,
        reference_request=got.GotPrune,
    ),
    ToolLine(
        "reasoning_got_finalize",
        "Close a graph",
        got.GotFinalize,
        got.FinalizedGraph,
        "got_finalize",
        Effect.CHANGES,
        open_world=True,
    ),
    ToolLine(
        "reasoning_got_state",
        "Tell a graph's state",
        got.GotState,
        got.GraphState,
        "got_state",
        Effect.READS,
    ),
)
