"""Steps of divergent reasoning: generate all perspectives in parallel, synthesise."""

from operator import add
from typing import Annotated, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
from reasonloom.errors import ServiceFault
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import open_thought, quotes_on
from reasonloom.nodes.reasoning.attempts import is_enough, render_doubt
from reasonloom.nodes.reasoning.divergent.perspectives import (
    FOUND,
    PLAIN_ANSWER,
    PROMPT,
    PerspectiveTask,
    confidence,
    label,
    latest_views,
    novelty,
    read_synthesis,
    usable_views,
    variables,
)
from reasonloom.nodes.reasoning.lookup import Informed, MemoryState, ask_informed_or_note
from reasonloom.nodes.runs.budget import ReservePolicy
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, restored_fault
from reasonloom.nodes.similarity import similarity_of

MODE = "divergent"
TOGETHER = "What do the perspectives come to together?"


class DivergentState(MemoryState, total=False):
    """The state of divergent reasoning; `views` are added by parallel tasks, in any order.

    `redone` is `CurrentRun.started` of the process that regenerated all perspectives because none
    had succeeded.
    """

    session: dict[str, Any]
    history: list[dict[str, str]]
    views: Annotated[list[dict[str, Any]], add]
    novelty: dict[str, float]
    attempts: list[dict[str, Any]]
    redone: float


def perspective_tasks(state: DivergentState, runtime: Runtime[Execution]) -> list[Send]:
    """Return one task per perspective, and one for the plain answer."""
    count = runtime.context.request(ReasoningDivergent).num_perspectives
    numbers = [*range(1, count + 1), PLAIN_ANSWER]
    return [
        Send(
            "take_perspective",
            PerspectiveTask(
                session=state["session"],
                history=state["history"],
                memories=state["memories"],
                number=number,
            ),
        )
        for number in numbers
    ]


async def synthesise(state: DivergentState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Synthesise the perspectives, or retry if confidence is too low.

    If no perspective succeeded, all are regenerated, once each time the run is resumed.

    Raises:
        ServiceFault: no perspective succeeded; the fault of the first one.
    """
    execution = runtime.context
    views, attempts = usable_views(state["views"]), state["attempts"]
    if not views:
        run = execution.run
        if run.retries and state.get("redone") != run.started:
            return {"redone": run.started}
        raise _fault(latest_views(state["views"]))
    if execution.loom.llm.offline:
        return _open_synthesis(state, views)
    informed = await _ask_for_synthesis(execution, state, views)
    heard = informed.reply
    made = read_synthesis(heard, views)
    all_views = latest_views(state["views"])
    texts = [each["viewpoint"] for each in all_views if "viewpoint" in each]
    likeness = await similarity_of(execution.loom.embedder, [*texts, made["content"]])
    if not made["sources"]:
        viewpoints = {label(each): each["viewpoint"] for each in views}
        made["sources"] = likeness.nearest(made["content"], viewpoints)
        made["notes"].append(FOUND)
    sure = confidence(views, made)
    notes = [*heard.notes, *informed.notes, *made.pop("notes"), *likeness.notes]
    return {
        "attempts": [*attempts, {**made, "confidence": sure}],
        "novelty": {label(each): novelty(each, all_views, likeness) for each in views},
        "notes": notes,
    }


def _open_synthesis(state: DivergentState, views: list[dict[str, Any]]) -> dict[str, Any]:
    content = state["request"]["content"]
    thought = open_thought(TOGETHER, content, quotes_on(content, state["memories"]))
    return {
        "attempts": [{**thought, "sources": [], "made": False}],
        "novelty": {label(each): 0.0 for each in views},
    }


def _fault(views: list[dict[str, Any]]) -> ServiceFault:
    fault = min(views, key=lambda each: each["number"] or len(views))["fault"]
    return restored_fault(fault["kind"], f"no perspective came: {fault['message']}")


async def _ask_for_synthesis(
    execution: Execution, state: DivergentState, views: list[dict[str, Any]]
) -> Informed[OptionalReply]:
    request = execution.request(ReasoningDivergent)
    question = Question(
        node="synthesise",
        prompt=PROMPT,
        variables=variables(request, views, render_doubt(state["attempts"], request.confidence)),
        pipe=MODE,
        n=len(state["attempts"]),
        thread=state["session"]["id"],
        aside=ReservePolicy(last=True),
    )
    memories = state.get("memories", [])
    return await ask_informed_or_note(execution, question, "the synthesis", against=memories)


def after_synthesis(state: DivergentState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Persist the synthesis if it is confident enough, the last allowed, or could not be generated.

    Otherwise retry it, or regenerate all perspectives if none succeeded.
    """
    attempts = state["attempts"]
    if not attempts:
        return perspective_tasks(state, runtime)
    enough = not attempts[-1]["made"] or is_enough(
        attempts, runtime.context.request(ReasoningDivergent).confidence
    )
    return "keep_perspectives" if enough else "synthesise"
