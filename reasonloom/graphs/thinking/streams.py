"""The graphs of `think` and `ponder`: parallel streams with a barrier after each quarter.

`ponder` follows the quarters of its reference; `deliberate` implements it in the combined server.
"""

from collections.abc import Callable, Mapping
from typing import Any

from reasonloom.contracts.thinking.think import LongPonder, Think
from reasonloom.graphs.graph import Graph, Node, Route, by_name, wiring
from reasonloom.nodes.thinking.answer import persist_thinking
from reasonloom.nodes.thinking.begin import PARALLEL, QUARTERS, begin_ponder, begin_think
from reasonloom.nodes.thinking.deliberation import (
    ROUNDS,
    after_closing,
    after_weighing,
    begin_deliberation,
    close_round,
    weigh_round,
)
from reasonloom.nodes.thinking.exchange import after_exchange, exchange
from reasonloom.nodes.thinking.quality import check_conclusion, dispatch_checks
from reasonloom.nodes.thinking.quarter import dispatch_streams, run_stream
from reasonloom.nodes.thinking.state import RUN_SHARE, ThinkingState
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.nodes.thinking.synthesis import synthesise

NODES = 6
"""Number of nodes in the graph."""

QUARTERLY: Mapping[str, Node] = {"exchange": exchange, "synthesise": synthesise}
ROUTES: Mapping[str, Route] = {
    "exchange": (after_exchange, ["carry_stream", "synthesise"]),
    "synthesise": (dispatch_checks, ["check_conclusion", "keep_thinking"]),
}
"""The steps after each quarter, and where they lead."""

WARM_UP = 60.0
"""Seconds beyond its `timeout` that a deliberation may take to open database and embedder."""


def _streams(
    name: str,
    begin: Node,
    more_steps: Callable[[dict[str, Any]], int],
    rounds: Callable[[dict[str, Any]], int],
    seconds: Callable[[dict[str, Any]], float] | None = None,
    steps: Mapping[str, Node] = QUARTERLY,
    routes: Mapping[str, Route] = ROUTES,
) -> Graph:
    """Return a graph of streams that starts with `begin`.

    The streams of a quarter are parallel tasks of one step: `exchange` runs once all have ended,
    and only it starts the next quarter. After a kill, they are run again from recorded replies.
    """
    return Graph(
        name,
        1,
        wiring(
            ThinkingState,
            {
                "begin": begin,
                "carry_stream": run_stream,
                **steps,
                "check_conclusion": check_conclusion,
                "keep_thinking": persist_thinking,
            },
            routes={"begin": (dispatch_streams, ["carry_stream"]), **routes},
        ),
        saved=True,
        rounds=rounds,
        writes=True,
        components=(
            "reasoningStreams", "synthesisEngine", "memoryRepository", "embeddingEngine",
        ),
        of_llm=("languageModel",),
        more_steps=more_steps,
        seconds=seconds,
        words={
            "begin": "recall",
            "carry_stream": "think in streams",
            "exchange": "exchange insights",
            "check_conclusion": "check constraints",
        },
    )  # fmt: skip


def _steps_of_thinking(request: dict[str, Any]) -> int:
    """Return the number of additional steps: one per stream and per check of a conclusion."""
    think = Think.model_validate(request)
    streams = len(STREAMS) if think.mode == PARALLEL else 1
    checks = 1 + (streams if streams > 1 else 0)
    checked = checks if think.context and think.context.constraints else 0
    return 4 + streams + checked - NODES


def _steps_of_pondering(request: dict[str, Any]) -> int:
    """Return the number of additional steps: per quarter, one per stream and one barrier."""
    return 3 + QUARTERS * (len(STREAMS) + 1) + _checked(request) - NODES


def _steps_of_deliberating(request: dict[str, Any]) -> int:
    """Return the number of additional steps: per round, one per stream and two to close it."""
    return 2 + ROUNDS * (len(STREAMS) + 2) + _checked(request) - NODES


def _checked(request: dict[str, Any]) -> int:
    return _checks(request) * (len(STREAMS) + 1)


def _seconds_of_deliberating(request: dict[str, Any]) -> float:
    """Return a time limit that leaves the whole `timeout` to the streams."""
    return LongPonder.model_validate(request).timeout / 1000 / RUN_SHARE + WARM_UP


def _checks(request: dict[str, Any]) -> int:
    return 1 if (request.get("context") or {}).get("constraints") else 0


GRAPHS = by_name(
    _streams("think", begin_think, _steps_of_thinking, lambda request: 2 + _checks(request)),
    _streams(
        "ponder", begin_ponder, _steps_of_pondering, lambda request: QUARTERS + 1 + _checks(request)
    ),
    _streams(
        "deliberate",
        begin_deliberation,
        _steps_of_deliberating,
        lambda request: 2 * ROUNDS + _checks(request),
        _seconds_of_deliberating,
        {"exchange": close_round, "synthesise": weigh_round},
        {
            "exchange": (after_closing, ["carry_stream", "synthesise"]),
            "synthesise": (after_weighing, ["carry_stream", "check_conclusion", "keep_thinking"]),
        },
    ),
)
