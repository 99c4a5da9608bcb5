"""The graph that selects a reasoning mode, and the follow-up call that runs it on request."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from langgraph.graph import END

from reasonloom.contracts.base import CONTENT_LIMIT
from reasonloom.contracts.reasoning.auto import ExecutingAuto
from reasonloom.graphs.graph import FollowUp, Graph, by_name, wiring
from reasonloom.nodes.reasoning.auto import (
    AutoState,
    after_comparing,
    begin_answering,
    hear_vote,
    keep_answer,
    measure_problem,
    recommend_mode,
)
from reasonloom.nodes.reasoning.context import recall_node
from reasonloom.nodes.reasoning.direct_answers import (
    SAMPLES,
    SampleTask,
    answer_directly,
    compare_answers,
    sample_tasks,
)
from reasonloom.nodes.reasoning.routing.choice import TOOLS
from reasonloom.text.shortening import shorten

Json = dict[str, Any]
NO_CHECKPOINT = "there is no checkpoint to go back to: name a session that has one"
BOTH = "{content}\n\nTwo direct answers, of which either may be wrong:\n1. {first}\n2. {second}"
LONGEST_ANSWER, LEAST_ROOM = 4_000, 200
DIRECT_NODES: Mapping[str, Callable[..., Any]] = {
    "recall_context": recall_node(ExecutingAuto, "place"),
    "answer_directly": answer_directly,
    "compare_answers": compare_answers,
    "keep_answer": keep_answer,
}
"""The steps that answer directly; a run takes them only if it also executes the mode."""


def _problem(request: Json, answer: Json) -> str:
    """Return the problem, with the direct answers if they differ."""
    answers = answer.get("direct_answers", [])
    if len(answers) < SAMPLES:
        return str(request["content"])
    room = (CONTENT_LIMIT - len(request["content"]) - len(BOTH)) // SAMPLES
    if room < LEAST_ROOM:
        return str(request["content"])
    longest = min(LONGEST_ANSWER, room)
    first, second = (shorten(each, longest, placeholder=" …") for each in answers)
    return BOTH.format(content=request["content"], first=first, second=second)


def _on_content(request: Json, answer: Json) -> Json:
    session = {"session_id": request["session_id"]} if "session_id" in request else {}
    return {"content": _problem(request, answer), **session}


def _from_checkpoint(request: Json, answer: Json) -> Json:
    session = {"session_id": request["session_id"]} if "session_id" in request else {}
    return {
        "checkpoint_id": answer["checkpoint_id"], "new_direction": request["content"], **session,
    }  # fmt: skip


def _on_problem(request: Json, answer: Json) -> Json:
    return {"problem": _problem(request, answer)}


EXECUTED: Mapping[str, tuple[str, str, Callable[[Json, Json], Json]]] = MappingProxyType(
    {
        "linear": (TOOLS["linear"], "linear", _on_content),
        "tree": (TOOLS["tree"], "tree", _on_content),
        "divergent": (TOOLS["divergent"], "divergent", _on_content),
        "reflection": (TOOLS["reflection"], "reflection", _on_content),
        "backtracking": (TOOLS["backtracking"], "backtrack", _from_checkpoint),
        "got": ("reasoning_got_run", "got_run", _on_problem),
        "ponder": (TOOLS["ponder"], "deliberate", _on_problem),
    }
)
"""For each mode the tool and the graph that run it by one call, and the builder of the request."""


def execution_of(request: Json, answer: Json) -> FollowUp | None:
    """Return the call that runs the recommended mode, or its refusal; None if not requested."""
    if not request.get("execute") or "result" in answer:
        return None
    mode = answer["recommended_mode"]
    if mode == "backtracking" and "checkpoint_id" not in answer:
        return FollowUp(refused=NO_CHECKPOINT)
    tool, graph, request_of = EXECUTED[mode]
    return FollowUp(tool, graph, request_of(request, answer))


GRAPHS = by_name(
    Graph(
        "auto",
        2,
        wiring(
            AutoState,
            {
                "measure_problem": measure_problem,
                **DIRECT_NODES,
                "hear_vote": hear_vote,
                "recommend_mode": recommend_mode,
            },
            routes={
                "measure_problem": (begin_answering, ["recall_context", "hear_vote"]),
                "recall_context": (sample_tasks, ["answer_directly"]),
                "compare_answers": (after_comparing, ["keep_answer", "hear_vote"]),
                "keep_answer": END,
            },
            inputs={"answer_directly": SampleTask},
        ),
        saved=True,
        rounds=lambda request: 3 if request.get("execute") else 1,
        writes=True,
        more_steps=lambda request: None if request.get("execute") else -len(DIRECT_NODES),
        follow=execution_of,
    )
)
