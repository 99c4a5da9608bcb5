"""The `reasoning` toolset (reference: mcp-langbase-reasoning)."""

from reasonloom.contracts.reasoning import auto, divergent, linear, reflection, tree
from reasonloom.contracts.thought_graph import tools as got
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.toolsets.toolset import Toolset, adds, changes, reads

GOT_TOOLS = (
    adds("reasoning_got_init", "Begin a graph", got.GotInit, got.BegunGraph),
    adds("reasoning_got_generate", "Continue a node", got.GotGenerate, got.GeneratedNodes,
         asks_llm=True),
    changes("reasoning_got_score", "Score a node", got.GotScore, got.ScoredNode, asks_llm=True),
    adds("reasoning_got_refine", "Refine a node", got.GotRefine, got.RefinedNode, asks_llm=True),
    adds("reasoning_got_aggregate", "Merge nodes", got.GotAggregate, got.AggregatedNode,
         asks_llm=True),
    changes("reasoning_got_prune", "Prune a graph", got.ReversiblePrune, got.PrunedGraph,
            asks_llm=True, reference=got.GotPrune),
    changes("reasoning_got_finalize", "Close a graph", got.GotFinalize, got.FinalizedGraph,
            asks_llm=True),
    reads("reasoning_got_state", "Tell a graph's state", got.GotState, got.GraphState),
)  # fmt: skip

TOOLSET = Toolset(
    name="reasoning",
    reference="mcp-langbase-reasoning",
    version="0.1.0",
    envelope=PLAIN,
    advice=(
        "{reasoning_auto} chooses a mode; {reasoning_linear} goes on step by step and "
        "recalls by itself.",
        "{reasoning_tree} compares ways, {reasoning_divergent} points of view.",
        "{reasoning_checkpoint_create} marks a state that {reasoning_backtrack} goes back to.",
        "Graph of Thoughts: {reasoning_got_init}, then {reasoning_got_generate}, "
        "{reasoning_got_score}, {reasoning_got_aggregate}, {reasoning_got_finalize}.",
    ),
    tools=(
        adds("reasoning_linear", "Linear reasoning", linear.SpacedLinear, linear.LinearThought,
             asks_llm=True, reference=linear.ReasoningLinear),
        adds("reasoning_tree", "Tree reasoning", tree.SpacedTree, tree.ExploredTree,
             asks_llm=True, reference=tree.ReasoningTree),
        changes("reasoning_tree_focus", "Focus on a branch", linear.TreeFocus,
                linear.ChangedBranch),
        reads("reasoning_tree_list", "List branches", linear.TreeList, linear.BranchList),
        changes("reasoning_tree_complete", "Complete a branch", linear.TreeComplete,
                linear.ChangedBranch),
        adds("reasoning_divergent", "Divergent reasoning", divergent.SpacedDivergent,
             divergent.DivergentThought, asks_llm=True, reference=divergent.ReasoningDivergent),
        adds("reasoning_reflection", "Reflection", reflection.SpacedReflection,
             reflection.Reflection, asks_llm=True, reference=reflection.ReasoningReflection),
        reads("reasoning_reflection_evaluate", "Evaluate a session", reflection.ReflectionEvaluate,
              reflection.Evaluation, asks_llm=True),
        adds("reasoning_auto", "Choose a mode", auto.SpacedAuto, auto.Recommendation,
             asks_llm=True, reference=auto.ReasoningAuto),
        adds("reasoning_checkpoint_create", "Set a checkpoint", linear.CheckpointCreate,
             linear.SetCheckpoint),
        reads("reasoning_checkpoint_list", "List checkpoints", linear.CheckpointList,
              linear.CheckpointsListed),
        adds("reasoning_backtrack", "Back to a checkpoint", linear.Backtrack, linear.Backtracked,
             asks_llm=True),
        *GOT_TOOLS,
    ),
)  # fmt: skip
