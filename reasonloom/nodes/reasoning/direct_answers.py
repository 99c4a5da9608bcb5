"""Direct answers before a mode is chosen: two independent samples and their agreement.

If they agree, the run stops early (self-consistency); if they differ, the chosen mode receives
both.
"""

import re
from operator import add
from statistics import fmean
from typing import Annotated, Any, TypedDict

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.reasoning.auto import ExecutingAuto
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.attempts import most_confident
from reasonloom.nodes.reasoning.lookup import MemoryState, ask_informed_or_note
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.sessions.context import next_thought
from reasonloom.stores.sessions.thoughts import NewThought

MODE = "linear"
SAMPLES = 2
SAME_RESULT = "both give the same result in the same words"
RESULT = re.compile(r"^\W*(?:final )?answer\s*[:=]\s*(\S.*?)\W*\Z", re.IGNORECASE | re.MULTILINE)
"""The final `Answer: ...` line of an answer that was requested in a specific format."""


class DirectState(MemoryState, total=False):
    """`place` holds the ids of the session, of the branch, and of its head (None at first).

    `samples` are the direct answers: number, content, confidence, and the `faults` that checks
    found (missing in runs started by an earlier version). `agreement` holds whether both agree
    (`same`) and the reason.
    """

    place: dict[str, Any]
    history: list[dict[str, str]]
    samples: Annotated[list[dict[str, Any]], add]
    agreement: dict[str, Any]


class SampleTask(TypedDict):
    """The payload of one direct-answer task."""

    number: int
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]


def sample_tasks(state: DirectState) -> list[Send]:
    """Return one task per direct answer."""
    return [
        Send(
            "answer_directly",
            SampleTask(number=number, history=state["history"], memories=state["memories"]),
        )
        for number in range(SAMPLES)
    ]


async def answer_directly(task: SampleTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Generate one answer without seeing the other; a failed call leaves a note."""
    execution, number = runtime.context, task["number"]
    question = Question(
        node="answer_directly",
        prompt="linear/continue",
        variables={
            "content": execution.request(ExecutingAuto).content,
            "history": task["history"],
            "memories": task["memories"],
            "doubt": "",
        },
        pipe=MODE,
        task=str(number),
        sample=number,
    )
    informed = await ask_informed_or_note(execution, question, "a direct answer")
    heard, faults = informed.reply, informed.faults.notes
    notes = [*heard.notes, *(each for each in informed.notes if each not in faults)]
    if heard.fault:
        return {"samples": [], "notes": notes}
    parsed = heard.parsed or {"thought": heard.text, "confidence": DEFAULT_CONFIDENCE}
    sample = {
        "number": number,
        "content": parsed["thought"],
        "confidence": float(parsed["confidence"]),
        "faults": faults,
    }
    return {"samples": [sample], "notes": notes, **informed.added}


async def compare_answers(state: DirectState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Judge whether both answers agree, unless checks found faults in both."""
    execution = runtime.context
    samples = answers_of(state)
    if len(samples) < SAMPLES:
        return {"agreement": {"same": False}}
    if not _sound(state):
        faults = [note for each in state["samples"] for note in each["faults"]]
        return {"agreement": {"same": False}, "notes": [*dict.fromkeys(faults)]}
    if _result(samples[0]) == _result(samples[1]):
        return {"agreement": {"same": True, "reason": SAME_RESULT}}
    question = Question(
        node="compare_answers",
        prompt="auto/compare",
        variables={
            "content": execution.request(ExecutingAuto).content,
            "first": samples[0],
            "second": samples[1],
        },
        pipe="auto",
        blind=True,
    )
    heard = await ask_or_note(execution, question, "the comparison of both answers")
    return {"agreement": heard.parsed or {"same": False}, "notes": heard.notes}


def _result(answer: str) -> list[str]:
    """Return the normalised words of an answer's final `Answer:` line, or of the whole answer."""
    named = RESULT.search(answer.strip())
    return (named[1] if named else answer).casefold().split()


def answers_of(state: DirectState) -> list[str]:
    """Return the contents of the direct answers in order."""
    samples = sorted(state.get("samples", []), key=lambda each: each["number"])
    return [each["content"] for each in samples]


def agreed_thought(execution: Execution, state: DirectState) -> NewThought:
    """Return the more confident of two agreeing answers as the session's next thought.

    Answers in which checks found no fault take precedence. The confidence is the mean of both.
    """
    return next_thought(
        execution, state["place"], mode=MODE, question=execution.request(ExecutingAuto).content,
        content=most_confident(_sound(state))["content"],
        confidence=fmean(each["confidence"] for each in state["samples"]),
    )  # fmt: skip


def agreed(state: DirectState) -> bool:
    """Return whether both answers agree."""
    return bool(state.get("agreement", {}).get("same"))


def differ(state: DirectState) -> bool:
    """Return whether there are two answers that disagree or both have faults."""
    return len(answers_of(state)) == SAMPLES and not agreed(state)


def _sound(state: DirectState) -> list[dict[str, Any]]:
    """Return the direct answers without faults."""
    return [each for each in state["samples"] if not each.get("faults")]
