"""The single-node graphs of the graph memory tools, and the graph that ends a session."""

from reasonloom.graphs.graph import Graph, by_name, one_node, wiring
from reasonloom.nodes.graph_memory.evidence import memory_evidence, memory_suggest
from reasonloom.nodes.graph_memory.quality import memory_quality, memory_stats
from reasonloom.nodes.graph_memory.query import memory_query, memory_temporal
from reasonloom.nodes.graph_memory.session_end import EndState, end_session, sum_up_session
from reasonloom.nodes.graph_memory.sessions import (
    conversation_log,
    memory_session_resume,
    session_start,
)
from reasonloom.nodes.graph_memory.similar import memory_similar
from reasonloom.nodes.graph_memory.walking import memory_causal, memory_context, memory_traverse
from reasonloom.nodes.graph_memory.workspaces.compare import memory_workspace_compare
from reasonloom.nodes.graph_memory.workspaces.tools import (
    memory_workspace_add,
    memory_workspace_create,
    memory_workspace_list,
    memory_workspace_query,
    memory_workspace_xref,
)
from reasonloom.nodes.graph_memory.writing import memory_add, memory_correct, memory_resolve

GRAPHS = by_name(
    one_node("conversation_log", conversation_log, writes=True),
    one_node("memory_add", memory_add, writes=True),
    one_node("memory_causal", memory_causal),
    one_node("memory_context", memory_context),
    one_node("memory_correct", memory_correct, writes=True),
    one_node("memory_evidence", memory_evidence),
    one_node("memory_quality", memory_quality),
    one_node("memory_query", memory_query),
    one_node("memory_resolve", memory_resolve),
    one_node("memory_session_resume", memory_session_resume),
    one_node("memory_similar", memory_similar),
    one_node("memory_stats", memory_stats),
    one_node("memory_suggest", memory_suggest),
    one_node("memory_temporal", memory_temporal),
    one_node("memory_traverse", memory_traverse),
    one_node("memory_workspace_add", memory_workspace_add, writes=True),
    one_node("memory_workspace_compare", memory_workspace_compare),
    one_node("memory_workspace_create", memory_workspace_create, writes=True),
    one_node("memory_workspace_list", memory_workspace_list),
    one_node("memory_workspace_query", memory_workspace_query),
    one_node("memory_workspace_xref", memory_workspace_xref),
    one_node("session_start", session_start, writes=True),
    Graph(
        "session_end",
        1,
        wiring(EndState, {"sum_up_session": sum_up_session, "end_session": end_session}),
        saved=True,
        rounds=lambda request: 1,
        saved_offline=False,
        writes=True,
    ),
)
