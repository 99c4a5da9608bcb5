"""The graphs of the history tools, one node each."""

from reasonloom.graphs.graph import by_name, one_node
from reasonloom.nodes.history.chains.recall import history_predict, history_recall
from reasonloom.nodes.history.forget import history_forget
from reasonloom.nodes.history.hook_status import history_hook_status
from reasonloom.nodes.history.lists import (
    history_list_projects,
    history_list_sessions,
    history_stats,
)
from reasonloom.nodes.history.reconstruction.reconstruct import history_reconstruct
from reasonloom.nodes.history.search import history_search

GRAPHS = by_name(
    one_node("history_forget", history_forget, writes=True),
    one_node("history_hook_status", history_hook_status),
    one_node("history_list_projects", history_list_projects),
    one_node("history_list_sessions", history_list_sessions),
    one_node("history_predict", history_predict),
    one_node("history_recall", history_recall),
    one_node("history_reconstruct", history_reconstruct),
    one_node("history_search", history_search),
    one_node("history_stats", history_stats),
)
