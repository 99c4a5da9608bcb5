"""All pages for hosts with MCP Apps, and the tools whose answers they draw."""

from reasonloom.server.apps.page import AppPage

PAGES = (
    AppPage("recall", "Recall", ("recall",)),
    AppPage(
        "session",
        "Session",
        (
            "reason", "reasoning_answer", "reasoning_linear", "reasoning_tree",
            "reasoning_divergent", "reasoning_reflection", "reasoning_backtrack",
            "reasoning_tree_list", "reasoning_checkpoint_list",
        ),
        ("view_session", "view_thought"),
    ),
    AppPage(
        "graph",
        "Graph of Thoughts",
        (
            "reasoning_got_run", "reasoning_got_generate", "reasoning_got_refine",
            "reasoning_got_aggregate", "reasoning_got_prune", "reasoning_got_finalize",
            "reasoning_got_state",
        ),
        ("view_graph",),
    ),
    AppPage("compare", "Versions compared", ("eval_compare",)),
    AppPage("streams", "Streams", ("ponder", "think"), ("view_streams",)),
)  # fmt: skip
