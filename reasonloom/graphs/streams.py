"""The wiring of streams that think side by side, with a barrier after each quarter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thinking.answer import persist_thinking
from reasonloom.nodes.thinking.exchange import after_exchange, exchange
from reasonloom.nodes.thinking.quality import check_conclusion, dispatch_checks
from reasonloom.nodes.thinking.quarter import dispatch_streams, run_stream
from reasonloom.nodes.thinking.state import ThinkingState
from reasonloom.nodes.thinking.synthesis import synthesise

NODES = 6
"""Nodes of the wiring."""

PARTS = ("reasoningStreams", "synthesisEngine", "memoryRepository", "embeddingEngine")
OF_LLM = ("languageModel",)
WORDS = {
    "begin": "recall",
    "carry_stream": "think in streams",
    "exchange": "exchange insights",
    "check_conclusion": "check constraints",
}


def wired(begin: Callable[..., Any]) -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring that begins with `begin`.

    The streams of a quarter are tasks of one step: `exchange` runs when all have ended, and
    only it begins the next quarter. A task that has ended is not taken again after a kill.
    """
    graph = StateGraph(ThinkingState, context_schema=Execution)
    graph.add_node("begin", begin)
    graph.add_node("carry_stream", run_stream)
    graph.add_node("exchange", exchange)
    graph.add_node("synthesise", synthesise)
    graph.add_node("check_conclusion", check_conclusion)
    graph.add_node("keep_thinking", persist_thinking)
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", dispatch_streams, ["carry_stream"])
    graph.add_edge("carry_stream", "exchange")
    graph.add_conditional_edges("exchange", after_exchange, ["carry_stream", "synthesise"])
    graph.add_conditional_edges(
        "synthesise", dispatch_checks, ["check_conclusion", "keep_thinking"]
    )
    graph.add_edge("check_conclusion", "keep_thinking")
    graph.add_edge("keep_thinking", END)
    return graph
