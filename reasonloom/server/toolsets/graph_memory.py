"""The `graph_memory` toolset (reference: AgenticMemory)."""

from reasonloom.contracts.graph_memory import (
    grounding,
    nodes,
    queries,
    sessions,
    shared,
    workspaces,
)
from reasonloom.server.envelopes.plain import PLAIN
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

WRITING = (
    ToolLine(
        "conversation_log",
        "Log a conversation",
        sessions.ConversationLog,
        sessions.ConversationLogged,
        "conversation_log",
        Effect.ADDS,
    ),
    ToolLine(
        "memory_add",
        "Add to memory",
        nodes.MemoryAdd,
        nodes.MemoryAdded,
        "memory_add",
        Effect.ADDS,
    ),
)
FINDING = (
    ToolLine(
        "memory_query",
        "List nodes",
        queries.MemoryQuery,
        shared.NodesFound,
        "memory_query",
        Effect.READS,
    ),
    ToolLine(
        "memory_traverse",
        "Walk the graph",
        queries.MemoryTraverse,
        queries.Walked,
        "memory_traverse",
        Effect.READS,
    ),
    ToolLine(
        "memory_context",
        "Show what is around",
        queries.MemoryContext,
        queries.Walked,
        "memory_context",
        Effect.READS,
    ),
    ToolLine(
        "memory_similar",
        "Find alike",
        queries.MemorySimilar,
        shared.NodesScored,
        "memory_similar",
        Effect.READS,
    ),
)
CORRECTING = (
    ToolLine(
        "memory_correct",
        "Correct",
        nodes.MemoryCorrect,
        nodes.MemoryCorrected,
        "memory_correct",
        Effect.CHANGES,
    ),
    ToolLine(
        "memory_resolve",
        "Newest version",
        nodes.MemoryResolve,
        nodes.MemoryResolved,
        "memory_resolve",
        Effect.READS,
    ),
)
SURVEYING = (
    ToolLine(
        "memory_causal",
        "What depends on it",
        queries.MemoryCausal,
        queries.Impact,
        "memory_causal",
        Effect.READS,
    ),
    ToolLine(
        "memory_temporal",
        "Compare two times",
        queries.MemoryTemporal,
        queries.Compared,
        "memory_temporal",
        Effect.READS,
    ),
    ToolLine(
        "memory_quality",
        "Quality of memory",
        queries.MemoryQuality,
        queries.QualityReport,
        "memory_quality",
        Effect.READS,
    ),
    ToolLine(
        "memory_stats",
        "Count memory",
        queries.MemoryStats,
        queries.GraphStats,
        "memory_stats",
        Effect.READS,
    ),
)
GROUNDING = (
    ToolLine(
        "memory_ground",
        "Check a claim",
        grounding.MemoryGround,
        grounding.Grounded,
        "memory_ground",
        Effect.READS,
        open_world=True,
    ),
    ToolLine(
        "memory_evidence",
        "Show evidence",
        grounding.MemoryEvidence,
        grounding.EvidenceFound,
        "memory_evidence",
        Effect.READS,
    ),
    ToolLine(
        "memory_suggest",
        "Suggest memories",
        grounding.MemorySuggest,
        shared.NodesScored,
        "memory_suggest",
        Effect.READS,
    ),
)
WORKSPACES = (
    ToolLine(
        "memory_workspace_create",
        "Make a workspace",
        workspaces.MemoryWorkspaceCreate,
        workspaces.WorkspaceCreated,
        "memory_workspace_create",
        Effect.ADDS,
    ),
    ToolLine(
        "memory_workspace_add",
        "Add a memory file",
        workspaces.MemoryWorkspaceAdd,
        workspaces.ContextAdded,
        "memory_workspace_add",
        Effect.ADDS,
    ),
    ToolLine(
        "memory_workspace_list",
        "List memory files",
        workspaces.MemoryWorkspaceList,
        workspaces.ContextsListed,
        "memory_workspace_list",
        Effect.READS,
    ),
    ToolLine(
        "memory_workspace_query",
        "Search memory files",
        workspaces.MemoryWorkspaceQuery,
        workspaces.WorkspaceFound,
        "memory_workspace_query",
        Effect.READS,
    ),
    ToolLine(
        "memory_workspace_compare",
        "Compare memory files",
        workspaces.MemoryWorkspaceCompare,
        workspaces.WorkspaceCompared,
        "memory_workspace_compare",
        Effect.READS,
    ),
    ToolLine(
        "memory_workspace_xref",
        "Cross-reference memory files",
        workspaces.MemoryWorkspaceXref,
        workspaces.CrossReferenced,
        "memory_workspace_xref",
        Effect.READS,
    ),
)
SESSIONS = (
    ToolLine(
        "session_start",
        "Begin a session",
        sessions.SessionStart,
        sessions.SessionStarted,
        "session_start",
        Effect.ADDS,
    ),
    ToolLine(
        "session_end",
        "End a session",
        sessions.SessionEnd,
        sessions.SessionEnded,
        "session_end",
        Effect.ADDS,
        open_world=True,
    ),
    ToolLine(
        "memory_session_resume",
        "Resume",
        sessions.MemorySessionResume,
        sessions.SessionResumed,
        "memory_session_resume",
        Effect.READS,
    ),
)
TOOLSET = Toolset(
    name="graph_memory",
    reference="agentic-memory",
    version="0.4.2",
    form=PLAIN,
    advice=(
        "Keep facts, decisions and skills with {memory_add}; find them with "
        "{memory_similar} or {memory_query}.",
        "What turned out wrong: {memory_correct}, never a second {memory_add}.",
        "Before you state something about the user or the project, check it with {memory_ground}.",
        "Begin with {session_start}, end with {session_end}, come back with "
        "{memory_session_resume}.",
    ),
    tools=(
        *WRITING,
        *FINDING,
        *CORRECTING,
        *SURVEYING,
        *GROUNDING,
        *WORKSPACES,
        *SESSIONS,
    ),
)
