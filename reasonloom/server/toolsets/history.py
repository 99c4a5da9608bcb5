"""The `history` toolset (reference: Causantic)."""

from reasonloom.contracts import history
from reasonloom.server.envelopes.plain_json import TEXT
from reasonloom.server.toolsets.toolset import Toolset, destroys, reads

FINDING = (
    reads("history_search", "Search past conversations", history.HeldHistorySearch,
          history.HistoryFound, reference=history.HistorySearch,
          reference_answer=history.ReferenceFound),
    reads("history_recall", "Recall what led to it", history.HistoryRecall, history.HistoryFound,
          reference_answer=history.ReferenceFound),
    reads("history_predict", "Show what came next", history.HistoryPredict, history.HistoryFound,
          reference_answer=history.ReferenceFound),
)  # fmt: skip
LISTING = (
    reads("history_list_projects", "List projects", history.HistoryListProjects,
          history.ProjectsListed),
    reads("history_list_sessions", "List sessions", history.HostListSessions,
          history.SessionsListed, reference=history.HistoryListSessions,
          reference_answer=history.ReferenceSessions),
    reads("history_reconstruct", "Show a time span", history.HistoryReconstruct,
          history.Reconstructed, reference_answer=history.ReferenceReconstructed),
    reads("history_hook_status", "Status of the hooks", history.HistoryHookStatus,
          history.HookStatus),
    reads("history_stats", "Count history", history.HistoryStats, history.HistoryCounted),
)  # fmt: skip
FORGETTING = (
    destroys("history_forget", "Forget past conversations", history.HistoryForget,
             history.HistoryForgotten),
)  # fmt: skip
TOOLSET = Toolset(
    name="history",
    reference="causantic",
    version="0.5.2",
    envelope=TEXT,
    advice=(
        "Past conversations: {history_search} finds what is about a matter, "
        "{history_recall} tells how it came about, {history_predict} what came next after "
        "moments like this.",
        "{history_reconstruct} shows a session or a day; {history_list_projects} names the "
        "projects.",
    ),
    tools=(*FINDING, *LISTING, *FORGETTING),
)
