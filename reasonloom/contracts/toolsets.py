"""The names of all seventy tools of the five references, by toolset; a plan, not a promise.

A name that no toolset file serves yet is absent from the server, never faked.
"""

from collections.abc import Mapping
from types import MappingProxyType

REASONING = (
    "reasoning_linear", "reasoning_tree", "reasoning_tree_focus", "reasoning_tree_list",
    "reasoning_tree_complete", "reasoning_divergent", "reasoning_reflection",
    "reasoning_reflection_evaluate", "reasoning_auto", "reasoning_checkpoint_create",
    "reasoning_checkpoint_list", "reasoning_backtrack", "reasoning_got_init",
    "reasoning_got_generate", "reasoning_got_score", "reasoning_got_aggregate",
    "reasoning_got_refine", "reasoning_got_prune", "reasoning_got_finalize",
    "reasoning_got_state",
)  # fmt: skip
THOUGHT = (
    "remember", "recall", "update_memory", "forget", "search", "think", "analyze", "ponder",
    "breakdown", "assess_confidence", "detect_bias", "detect_emotion", "evaluate",
)  # fmt: skip
GRAPH_MEMORY = (
    "conversation_log", "memory_add", "memory_query", "memory_traverse", "memory_context",
    "memory_similar", "memory_correct", "memory_resolve", "memory_causal", "memory_temporal",
    "memory_quality", "memory_stats", "memory_ground", "memory_evidence", "memory_suggest",
    "memory_workspace_create", "memory_workspace_add", "memory_workspace_list",
    "memory_workspace_query", "memory_workspace_compare", "memory_workspace_xref",
    "session_start", "session_end", "memory_session_resume",
)  # fmt: skip
HISTORY = (
    "history_search", "history_recall", "history_predict", "history_list_projects",
    "history_list_sessions", "history_reconstruct", "history_hook_status", "history_stats",
    "history_forget",
)  # fmt: skip
MENTAL_MODELS = ("create_model", "list_models", "get_model", "revise_model")

INVENTORY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "reasoning": REASONING,
        "thought": THOUGHT,
        "graph_memory": GRAPH_MEMORY,
        "history": HISTORY,
        "mental_models": MENTAL_MODELS,
    }
)
"""Tool names of the combined server, by toolset."""

ALL_TOOLS = tuple(name for names in INVENTORY.values() for name in names)

SERVED_AS: Mapping[str, str] = MappingProxyType(
    {
        "langbase-reasoning": "reasoning",
        "thoughtmcp": "thought",
        "agentic-memory": "graph_memory",
        "causantic": "history",
        "mental-models": "mental_models",
    }
)
"""The names under which `serve --as` offers one toolset as its reference does."""


def reference_name(name: str) -> str:
    """Return what the tool's own reference calls it.

    Example: `history_list_projects` -> `list-projects`; all others keep their name.
    """
    if name in HISTORY:
        return name.removeprefix("history_").replace("_", "-")
    return name


EXTRA_TOOLS = (
    "reason", "batch_remember", "batch_recall", "batch_forget", "export_memories", "memory_health",
    "consolidate_memories", "prune_memories", "restore_memory", "memory_promote", "space_list",
    "space_grant", "space_revoke", "reasoning_got_run", "reasoning_feedback",
    "eval_compare", "predict_with_model", "resolve_prediction", "list_basins", "propose_models",
    "activate_model",
)  # fmt: skip
"""Tools beyond the references: the toolset `extras`, not in `all`; `default` has `reason`."""
