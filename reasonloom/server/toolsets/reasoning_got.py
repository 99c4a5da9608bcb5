"""The Graph of Thoughts tools of the `reasoning` toolset."""

from reasonloom.contracts import reasoning_got as got
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
)
