"""The `reasoning` toolset (reference: mcp-langbase-reasoning)."""

from reasonloom.contracts import reasoning
from reasonloom.server.forms.plain import PLAIN
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="reasoning",
    reference="mcp-langbase-reasoning",
    version="0.1.0",
    form=PLAIN,
    tools=(
        ToolLine(
            "reasoning_linear",
            "Linear reasoning",
            reasoning.ReasoningLinear,
            reasoning.LinearThought,
            "linear",
            Effect.ADDS,
            open_world=True,
        ),
        ToolLine(
            "reasoning_tree_focus",
            "Focus on a branch",
            reasoning.TreeFocus,
            reasoning.ChangedBranch,
            "tree_focus",
            Effect.CHANGES,
        ),
        ToolLine(
            "reasoning_tree_list",
            "List branches",
            reasoning.TreeList,
            reasoning.BranchList,
            "tree_list",
            Effect.READS,
        ),
        ToolLine(
            "reasoning_tree_complete",
            "Complete a branch",
            reasoning.TreeComplete,
            reasoning.ChangedBranch,
            "tree_complete",
            Effect.CHANGES,
        ),
        ToolLine(
            "reasoning_checkpoint_create",
            "Set a checkpoint",
            reasoning.CheckpointCreate,
            reasoning.SetCheckpoint,
            "checkpoint_create",
            Effect.ADDS,
        ),
        ToolLine(
            "reasoning_checkpoint_list",
            "List checkpoints",
            reasoning.CheckpointList,
            reasoning.CheckpointsListed,
            "checkpoint_list",
            Effect.READS,
        ),
        ToolLine(
            "reasoning_backtrack",
            "Back to a checkpoint",
            reasoning.Backtrack,
            reasoning.Backtracked,
            "backtrack",
            Effect.ADDS,
            open_world=True,
        ),
    ),
)
