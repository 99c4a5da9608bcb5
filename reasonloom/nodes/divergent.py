"""The steps of divergent reasoning: recall, look through several lenses at once, bring together."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom import errors
from reasonloom.contracts.reasoning_divergent import ReasoningDivergent
from reasonloom.nodes.ask import Question
from reasonloom.nodes.ask_or_say import Heard, ask_or_say
from reasonloom.nodes.attempts import doubt, is_enough, recall_for
from reasonloom.nodes.likeness import likeness_of
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.perspectives import PLAIN, Task, seen, usable
from reasonloom.nodes.session_place import place_in
from reasonloom.nodes.state import ToolState
from reasonloom.nodes.synthesis import (
    FOUND,
    agreement,
    confidence,
    label,
    likest,
    novelty,
    read,
)

MODE = "divergent"
FAULTS: dict[str, type[errors.ServiceFault]] = {
    kind.__name__: kind
    for kind in (errors.LlmUnavailable, errors.LlmRefused, errors.TimedOut, errors.BudgetExceeded)
}


class DivergentState(ToolState, total=False):
    """What divergent reasoning carries; `views` come from tasks at once, in any order."""

    session: dict[str, Any]
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]
    views: Annotated[list[dict[str, Any]], add]
    novelty: dict[str, float]
    attempts: list[dict[str, Any]]


async def recall_context(state: DivergentState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the active branch's history and the memories that the problem calls for."""
    execution = runtime.context
    request = ReasoningDivergent.model_validate(state["request"])
    session, history = await place_in(execution, request.session_id, request.content)
    memories, notes = await recall_for(execution, request.content)
    return {
        "session": session,
        "history": history.steps,
        "memories": memories,
        "attempts": [],
        "notes": [*history.notes, *notes],
    }


def spread(state: DivergentState) -> list[Send]:
    """Return one task for each perspective, and one for the plain answer."""
    request = ReasoningDivergent.model_validate(state["request"])
    numbers = [*range(1, request.num_perspectives + 1), PLAIN]
    return [
        Send(
            "take_perspective",
            Task(
                request=state["request"],
                session=state["session"],
                history=state["history"],
                memories=state["memories"],
                number=number,
            ),
        )
        for number in numbers
    ]


async def take_perspective(state: Task, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Look through one lens, and hold what is seen against the constraints."""
    view, notes = await seen(runtime.context, state)
    return {"views": [view], "notes": notes}


async def synthesise(state: DivergentState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Bring the perspectives that came together, or once more where they agreed too little.

    Raises:
        ServiceFault: no perspective came; the first one's fault.
    """
    execution = runtime.context
    views, attempts = usable(state["views"]), state["attempts"]
    if not views:
        fault = min(state["views"], key=lambda each: each["number"] or len(state["views"]))["fault"]
        raise FAULTS[fault["kind"]](f"no perspective came: {fault['message']}")
    heard = await _heard(execution, state, views)
    made = read(heard, views)
    texts = [each["viewpoint"] for each in state["views"] if "viewpoint" in each]
    likeness = await likeness_of(execution.loom.embedder, [*texts, made["content"]])
    if not made["sources"]:
        made["sources"] = likest(views, made["content"], likeness)
        made["notes"].append(FOUND)
    agreed = agreement(views, made["content"], likeness) if made["made"] else 0.0
    notes = [*heard.notes, *made.pop("notes"), *likeness.notes]
    return {
        "attempts": [*attempts, {**made, "confidence": confidence(views, agreed)}],
        "novelty": {label(each): novelty(each, state["views"], likeness) for each in views},
        "notes": notes,
    }


async def _heard(execution: Execution, state: DivergentState, views: list[dict[str, Any]]) -> Heard:
    if execution.loom.llm.offline:
        return Heard()
    request = ReasoningDivergent.model_validate(state["request"])
    question = Question(
        node="synthesise",
        prompt="divergent/synthesise",
        variables={
            "content": request.content,
            "perspectives": [
                {"label": label(each), "broken": broken(each), **each} for each in views
            ],
            "constraints": request.constraints or [],
            "doubt": doubt(state["attempts"], request.confidence),
        },
        pipe=MODE,
        n=len(state["attempts"]),
        thread=state["session"]["id"],
    )
    return await ask_or_say(execution, question, "the synthesis")


def broken(view: dict[str, Any]) -> list[str]:
    """Return the constraints that a perspective breaks."""
    return [each["constraint"] for each in view["constraints"] if each["kept"] is False]


def is_agreed(state: DivergentState) -> bool:
    """Tell whether the synthesis is sure enough, was the last allowed, or could not be made."""
    attempts = state["attempts"]
    return not attempts[-1]["made"] or is_enough(attempts, state["request"].get("confidence"))
