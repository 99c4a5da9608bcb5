"""Holds what the thinking came to against the constraints: each conclusion by itself, blind."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.divergent.constraint_check import check
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.thinking.state import Brief, ThinkingState, last_of
from reasonloom.nodes.thinking.timing import CHECKS, left_until

WHOLE = "conclusion"
"""The name of what all streams came to together, or of a stream that is alone."""


class Checked(TypedDict):
    """What one check is given: whose conclusion it is, and the text."""

    brief: Brief
    name: str
    text: str


def to_check(state: ThinkingState) -> list[Send] | str:
    """Return one task for each conclusion, of all together and of each stream."""
    brief, synthesis = state["brief"], state["synthesis"]
    if not brief["constraints"]:
        return "keep_thinking"
    advice = [each["description"] for each in synthesis["advice"]] if synthesis["made"] else []
    texts = {WHOLE: "\n".join([synthesis["conclusion"], *advice])}
    if len(brief["streams"]) > 1:
        ends = last_of(brief, state["said"])
        texts |= {name: end["conclusion"] for name, end in ends.items()}
    return [
        Send("check_conclusion", Checked(brief=brief, name=name, text=text))
        for name, text in texts.items()
    ]


async def check_conclusion(state: Checked, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Hold one conclusion against all constraints; the judge is not told whose it is."""
    execution, brief = runtime.context, state["brief"]
    question = Question(
        node="check_conclusion",
        prompt="divergent/check",
        variables={
            "content": brief["problem"],
            "viewpoint": state["text"],
            "constraints": brief["constraints"],
        },
        pipe=brief["tool"],
        task=state["name"],
        seconds=left_until(execution, brief, CHECKS),
    )
    verdicts, notes = await check(execution, state["text"], question, brief["constraints"])
    return {"checks": [{"name": state["name"], "constraints": verdicts}], "notes": notes}
