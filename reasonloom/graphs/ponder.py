"""Four streams that hear and answer each other after each quarter, and are brought together."""

from __future__ import annotations

from typing import Any

from langgraph.graph import StateGraph

from reasonloom.contracts.thinking.think import Ponder
from reasonloom.graphs.graph import Graph
from reasonloom.graphs.streams import NODES, OF_LLM, PARTS, WORDS, wired
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thinking.begin import QUARTERS, begin_ponder
from reasonloom.nodes.thinking.streams import STREAMS


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of pondering: four quarters at most."""
    return wired(begin_ponder)


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps: each quarter is one for each stream, and one for the barrier."""
    ponder = Ponder.model_validate(request)
    checked = len(STREAMS) + 1 if ponder.context and ponder.context.constraints else 0
    return 3 + QUARTERS * (len(STREAMS) + 1) + checked - NODES


GRAPH = Graph(
    "ponder",
    1,
    build,
    saved=True,
    writes=True,
    components=PARTS,
    of_llm=OF_LLM,
    more_steps=more_steps,
    words=WORDS,
)
"""What four quarters of four streams came to is recorded reply by reply."""
