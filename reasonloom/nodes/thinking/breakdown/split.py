"""Splits one problem with the language model."""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.breakdown import Breakdown, BreakdownContext, Reason
from reasonloom.errors import BudgetExceeded
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.lookup import ask_informed_or_note
from reasonloom.nodes.runs.budget import ReservePolicy
from reasonloom.nodes.runs.llm_call import OptionalReply, Question
from reasonloom.nodes.thinking.breakdown.dependencies import relation_reserve
from reasonloom.nodes.thinking.breakdown.offline_split import split_offline
from reasonloom.nodes.thinking.breakdown.state import ROOT, Problem, Split, SplitTask, outline

TWO = 2
TOO_FEW = "the division of {number} has fewer than two sub-problems; it was left undivided"
UNREAD = "the answer could not be read"


async def split_problem(state: SplitTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask for the parts of one problem; if the call fails, it is marked as failed and not split.

    Raises:
        ServiceFault: the call for the root failed.
    """
    execution, problem = runtime.context, state["problem"]
    what = f"the division of {outline(problem['id'])}"
    informed = await ask_informed_or_note(execution, _question(execution, state), what)
    heard = informed.reply
    if heard.fault and problem["id"] == ROOT:
        raise heard.fault
    split, notes = _parse_split(heard, problem, execution.request(Breakdown))
    of_call = [] if split.get("reason") == "budget" else heard.notes  # reported once in total
    return {"splits": [split], "notes": [*of_call, *informed.notes, *notes], **informed.added}


def _question(execution: Execution, state: SplitTask) -> Question:
    request, problem = execution.request(Breakdown), state["problem"]
    context = request.context or BreakdownContext()
    reserve = None if problem["id"] == ROOT else relation_reserve(execution, request.problem)
    return Question(
        node="split_problem",
        prompt="breakdown/split",
        variables={
            "problem": request.problem,
            "part": problem["text"],
            "line": state["line"],
            "others": state["others"],
            "background": context.known(),
            "constraints": context.constraints or [],
            "memories": state["memories"],
            "levels": request.max_depth - problem["depth"] - 1,
        },
        pipe="breakdown",
        task=problem["id"],
        aside=ReservePolicy(leave=reserve, read=True),
    )


def _parse_split(
    heard: OptionalReply, problem: Problem, request: Breakdown
) -> tuple[Split, list[str]]:
    """Convert a reply to a split, with notes on it."""
    if heard.fault:
        spent = isinstance(heard.fault, BudgetExceeded)
        reason: Reason = "budget" if spent else "failed"
        return Split(id=problem["id"], reason=reason, why=heard.fault.message), []
    if heard.parsed is None:
        if problem["id"] == ROOT:
            return split_offline(problem, request), []
        return Split(id=problem["id"], reason="failed", why=UNREAD), []
    return _parse_parts(heard.parsed, problem)


def _parse_parts(parsed: dict[str, Any], problem: Problem) -> tuple[Split, list[str]]:
    made = Split(id=problem["id"], why=parsed["reason"], sure=float(parsed["confidence"]))
    if parsed["atomic"]:
        return {**made, "reason": "indivisible"}, []
    places: dict[int, int] = {}
    parts: list[dict[str, Any]] = []
    for number, part in enumerate(parsed["sub_problems"], 1):
        text = part["description"].strip()
        same = [at for at, each in enumerate(parts) if each["text"].casefold() == text.casefold()]
        places[number] = same[0] if same else len(parts)
        if not same:
            parts.append({"text": text, **({"effort": e} if (e := part.get("effort")) else {})})
    if len(parts) < TWO:
        return {**made, "reason": "failed"}, [TOO_FEW.format(number=outline(problem["id"]))]
    links = [
        {**each, "before": places[each["before"]], "after": places[each["after"]]}
        for each in parsed["dependencies"]
        if {each["before"], each["after"]} <= places.keys()
    ]
    real = [each for each in links if each["before"] != each["after"]]
    lost = len(parsed["dependencies"]) - len(real)
    note = f"{lost} dependencies named with {outline(problem['id'])} are none of two of its parts"
    notes = [f"{note}; left out"] if lost else []
    return {**made, "parts": parts, "links": real, "split_by": "llm"}, notes
