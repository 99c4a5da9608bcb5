"""The `reasoning` toolset (reference: mcp-langbase-reasoning)."""

from reasonloom.contracts.reasoning import auto, divergent, linear, reflection, tree
from reasonloom.server.envelopes.plain import PLAIN
from reasonloom.server.toolsets.reasoning_got import GOT_TOOLS
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="reasoning",
    reference="mcp-langbase-reasoning",
    version="0.1.0",
    form=PLAIN,
    advice=(
        "{reasoning_auto} chooses a mode; {reasoning_linear} goes on step by step and "
        "recalls by itself.",
        "{reasoning_tree} compares ways, {reasoning_divergent} points of view.",
        "{reasoning_checkpoint_create} marks a state that {reasoning_backtrack} goes back to.",
        "Graph of Thoughts: {reasoning_got_init}, then {reasoning_got_generate}, "
        "{reasoning_got_score}, {reasoning_got_aggregate}, {reasoning_got_finalize}.",
    ),
    tools=(
        ToolLine(
            "reasoning_linear",
            "Linear reasoning",
            linear.ReasoningLinear,
            linear.LinearThought,
            "linear",
            Effect.ADDS,
            open_world=True,
        ),
        ToolLine(
            "reasoning_tree",
            "Tree reasoning",
            tree.ReasoningTree,
            tree.ExploredTree,
            "tree",
            Effect.ADDS,
            open_world=True,
        ),
        ToolLine(
            "reasoning_tree_focus",
            "Focus on a branch",
            linear.TreeFocus,
            linear.ChangedBranch,
            "tree_focus",
            Effect.CHANGES,
        ),
        ToolLine(
            "reasoning_tree_list",
            "List branches",
            linear.TreeList,
            linear.BranchList,
            "tree_list",
            Effect.READS,
        ),
        ToolLine(
            "reasoning_tree_complete",
            "Complete a branch",
            linear.TreeComplete,
            linear.ChangedBranch,
            "tree_complete",
            Effect.CHANGES,
        ),
        ToolLine(
            "reasoning_divergent",
            "Divergent reasoning",
            divergent.ReasoningDivergent,
            divergent.DivergentThought,
            "divergent",
            Effect.ADDS,
            open_world=True,
        ),
        ToolLine(
            "reasoning_reflection",
            "Reflection",
            reflection.ReasoningReflection,
            reflection.Reflection,
            "reflection",
            Effect.ADDS,
            open_world=True,
        ),
        ToolLine(
            "reasoning_reflection_evaluate",
            "Evaluate a session",
            reflection.ReflectionEvaluate,
            reflection.Evaluation,
            "reflection_evaluate",
            Effect.READS,
            open_world=True,
        ),
        ToolLine(
            "reasoning_auto",
            "Choose a mode",
            auto.ExecutingAuto,
            auto.Recommendation,
            "auto",
            Effect.ADDS,
            open_world=True,
            reference_request=auto.ReasoningAuto,
        ),
        ToolLine(
            "reasoning_checkpoint_create",
            "Set a checkpoint",
            linear.CheckpointCreate,
            linear.SetCheckpoint,
            "checkpoint_create",
            Effect.ADDS,
        ),
        ToolLine(
            "reasoning_checkpoint_list",
            "List checkpoints",
            linear.CheckpointList,
            linear.CheckpointsListed,
            "checkpoint_list",
            Effect.READS,
        ),
        ToolLine(
            "reasoning_backtrack",
            "Back to a checkpoint",
            linear.Backtrack,
            linear.Backtracked,
            "backtrack",
            Effect.ADDS,
            open_world=True,
        ),
        *GOT_TOOLS,
    ),
)
