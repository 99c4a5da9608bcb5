"""One stream of thinking, or four in parallel that are brought together."""

from __future__ import annotations

from typing import Any

from langgraph.graph import StateGraph

from reasonloom.contracts.thinking.think import Think
from reasonloom.graphs.graph import Graph
from reasonloom.graphs.streams import NODES, OF_LLM, PARTS, WORDS, wired
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thinking.begin import PARALLEL, begin_think
from reasonloom.nodes.thinking.streams import STREAMS


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of thinking: the streams have one quarter, the whole."""
    return wired(begin_think)


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps: each stream is one, and each check of a conclusion."""
    think = Think.model_validate(request)
    streams = len(STREAMS) if think.mode == PARALLEL else 1
    checks = 1 + (streams if streams > 1 else 0)
    checked = checks if think.context and think.context.constraints else 0
    return 4 + streams + checked - NODES


GRAPH = Graph(
    "think",
    1,
    build,
    saved=True,
    writes=True,
    components=PARTS,
    of_llm=OF_LLM,
    more_steps=more_steps,
    words=WORDS,
)
