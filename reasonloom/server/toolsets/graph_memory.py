"""The `graph_memory` toolset (reference: AgenticMemory)."""

from dataclasses import replace

from reasonloom.contracts.graph_memory import (
    grounding,
    nodes,
    queries,
    sessions,
    shared,
    workspaces,
)
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.toolsets.open_pairs import contradicting_pair
from reasonloom.server.toolsets.toolset import Toolset, adds, changes, reads

WRITING = (
    adds("conversation_log", "Log a conversation", sessions.ConversationLog,
         sessions.ConversationLogged),
    adds("memory_add", "Add to memory", nodes.MemoryAdd, nodes.MemoryAdded),
)  # fmt: skip
FINDING = (
    reads(
        "memory_query",
        "List nodes",
        queries.HeldMemoryQuery,
        shared.NodesFound,
        reference=queries.MemoryQuery,
    ),
    reads("memory_traverse", "Walk the graph", queries.MemoryTraverse, queries.Walked),
    reads("memory_context", "Show what is around", queries.MemoryContext, queries.Walked),
    reads("memory_similar", "Find alike", queries.MemorySimilar, shared.NodesScored),
)
CORRECTING = (
    changes("memory_correct", "Correct", nodes.MemoryCorrect, nodes.MemoryCorrected),
    reads("memory_resolve", "Newest version", nodes.MemoryResolve, nodes.MemoryResolved),
)
SURVEYING = (
    reads("memory_causal", "What depends on it", queries.MemoryCausal, queries.Impact),
    reads("memory_temporal", "Compare two times", queries.MemoryTemporal, queries.Compared),
    reads("memory_quality", "Quality of memory", queries.MemoryQuality, queries.QualityReport),
    reads("memory_stats", "Count memory", queries.MemoryStats, queries.GraphStats),
)
GROUNDING = (
    replace(reads("memory_ground", "Check a claim", grounding.HeldMemoryGround,
                  grounding.Grounded, asks_llm=True, reference=grounding.MemoryGround),
            unsettled=contradicting_pair),
    reads("memory_evidence", "Show evidence", grounding.MemoryEvidence, grounding.EvidenceFound),
    reads("memory_suggest", "Suggest memories", grounding.MemorySuggest, shared.NodesScored),
)  # fmt: skip
WORKSPACES = (
    adds("memory_workspace_create", "Make a workspace", workspaces.MemoryWorkspaceCreate,
         workspaces.WorkspaceCreated),
    adds("memory_workspace_add", "Add a memory file", workspaces.MemoryWorkspaceAdd,
         workspaces.ContextAdded),
    reads("memory_workspace_list", "List memory files", workspaces.MemoryWorkspaceList,
          workspaces.ContextsListed),
    reads("memory_workspace_query", "Search memory files", workspaces.MemoryWorkspaceQuery,
          workspaces.WorkspaceFound),
    reads("memory_workspace_compare", "Compare memory files", workspaces.MemoryWorkspaceCompare,
          workspaces.WorkspaceCompared),
    reads("memory_workspace_xref", "Cross-reference memory files", workspaces.MemoryWorkspaceXref,
          workspaces.CrossReferenced),
)  # fmt: skip
SESSIONS = (
    adds("session_start", "Begin a session", sessions.SessionStart, sessions.SessionStarted),
    adds("session_end", "End a session", sessions.SessionEnd, sessions.SessionEnded, asks_llm=True),
    reads("memory_session_resume", "Resume", sessions.MemorySessionResume, sessions.SessionResumed),
)
TOOLSET = Toolset(
    name="graph_memory",
    reference="agentic-memory",
    version="0.4.2",
    envelope=PLAIN,
    advice=(
        "Keep facts, decisions and skills with {memory_add}; find them with "
        "{memory_similar} or {memory_query}.",
        "What turned out wrong: {memory_correct}, never a second {memory_add}.",
        "Before you state something about the user or the project, check it with {memory_ground}.",
        "Begin with {session_start}, end with {session_end}, come back with "
        "{memory_session_resume}.",
    ),
    tools=(*WRITING, *FINDING, *CORRECTING, *SURVEYING, *GROUNDING, *WORKSPACES, *SESSIONS),
)
