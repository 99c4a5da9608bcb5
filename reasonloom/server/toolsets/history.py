"""The `history` toolset (reference: Causantic)."""

from reasonloom.contracts import history
from reasonloom.server.envelopes.plain import TEXT
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

FINDING = (
    ToolLine(
        "history_search",
        "Search past conversations",
        history.HistorySearch,
        history.HistoryFound,
        "history_search",
        Effect.READS,
    ),
    ToolLine(
        "history_recall",
        "Recall what led to it",
        history.HistoryRecall,
        history.HistoryFound,
        "history_recall",
        Effect.READS,
    ),
    ToolLine(
        "history_predict",
        "Show what came next",
        history.HistoryPredict,
        history.HistoryFound,
        "history_predict",
        Effect.READS,
    ),
)
LISTING = (
    ToolLine(
        "history_list_projects",
        "List projects",
        history.HistoryListProjects,
        history.ProjectsListed,
        "history_list_projects",
        Effect.READS,
    ),
    ToolLine(
        "history_list_sessions",
        "List sessions",
        history.HistoryListSessions,
        history.SessionsListed,
        "history_list_sessions",
        Effect.READS,
    ),
    ToolLine(
        "history_reconstruct",
        "Show a time span",
        history.HistoryReconstruct,
        history.Reconstructed,
        "history_reconstruct",
        Effect.READS,
    ),
    ToolLine(
        "history_hook_status",
        "Status of the hooks",
        history.HistoryHookStatus,
        history.HookStatus,
        "history_hook_status",
        Effect.READS,
    ),
    ToolLine(
        "history_stats",
        "Count history",
        history.HistoryStats,
        history.HistoryCounted,
        "history_stats",
        Effect.READS,
    ),
)
FORGETTING = (
    ToolLine(
        "history_forget",
        "Forget past conversations",
        history.HistoryForget,
        history.HistoryForgotten,
        "history_forget",
        Effect.DESTROYS,
    ),
)
TOOLSET = Toolset(
    name="history",
    reference="causantic",
    version="0.5.2",
    form=TEXT,
    advice=(
        "Past conversations: {history_search} finds what is about a matter, "
        "{history_recall} tells how it came about, {history_predict} what came next after "
        "moments like this.",
        "{history_reconstruct} shows a session or a day; {history_list_projects} names the "
        "projects.",
    ),
    tools=(*FINDING, *LISTING, *FORGETTING),
)
