"""Asks what depends on what across the branches of a tree, and leaves out what cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.budget import Aside, cost_of
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.thinking.breakdown.dependencies import MOST_TOLD, checked
from reasonloom.nodes.thinking.breakdown.state import BreakdownState, Link, in_order, outline

if TYPE_CHECKING:
    from reasonloom.nodes.ledger import Cost
    from reasonloom.nodes.thinking.breakdown.state import Problem

PROMPT = "breakdown/link"
MORE = "{count} more dependencies were left out; droppedDependencies has them"
UNRELATED = "dependencies across the branches were not looked for"


def reserve(execution: Execution, problem: str) -> Cost:
    """Return what the last call may cost besides the parts that it reads."""
    told = {"problem": problem, "parts": [], "known": []}
    return cost_of(execution, execution.loom.prompts.get(PROMPT).render(**told))


async def relate(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Add the links across branches to those of each division, and check them all."""
    execution = runtime.context
    links = list(state["links"])
    notes: list[str] = []
    unrelated = False
    if _may_relate(state["problems"]) and not execution.loom.llm.offline:
        more, notes = await _asked(execution, state)
        links += more
        unrelated = UNRELATED in notes
    found = checked(state["problems"], links)
    notes += found.notes[:MOST_TOLD]
    if len(found.notes) > MOST_TOLD:
        notes.append(MORE.format(count=len(found.notes) - MOST_TOLD))
    return {"links": found.links, "dropped": found.dropped, "unrelated": unrelated, "notes": notes}


def _may_relate(problems: list[Problem]) -> bool:
    """Tell whether a part of one division could depend on one of another."""
    return len({each["parent"] for each in problems if each["parent"]}) > 1


async def _asked(execution: Execution, state: BreakdownState) -> tuple[list[Link], list[str]]:
    numbers = {outline(each["id"]): each["id"] for each in state["problems"]}
    question = Question(
        node="relate",
        prompt=PROMPT,
        variables={
            "problem": state["request"]["problem"],
            "parts": [
                {"number": outline(each["id"]), "description": each["description"]}
                for each in in_order(state["problems"])
                if each["parent"]
            ],
            "known": [
                {"before": outline(each["before"]), "after": outline(each["after"])}
                for each in state["links"]
            ],
        },
        pipe="breakdown",
        aside=Aside(last=True),
    )
    heard = await ask_or_say(execution, question, "the dependencies across branches")
    if heard.parsed is None:
        return [], [*heard.notes, UNRELATED]
    links = [
        Link(
            before=numbers.get(each["before"].strip(), each["before"]),
            after=numbers.get(each["after"].strip(), each["after"]),
            type=each["type"],
            certainty=float(each["certainty"]),
            why=each["why"],
        )
        for each in heard.parsed["dependencies"]
    ]
    return links, heard.notes
