"""One perspective of divergent reasoning: seen through its lens, held against the constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
from reasonloom.nodes.ledger import Cost
from reasonloom.nodes.reasoning.attempts import DEFAULT_CONFIDENCE
from reasonloom.nodes.reasoning.divergent.constraint_check import check
from reasonloom.nodes.reasoning.divergent.lenses import LENSES, Lens
from reasonloom.nodes.reasoning.divergent.synthesis import PROMPT, variables
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.budget import Aside, cost_of
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.text.extraction import Findings, as_prose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reasonloom.nodes.loom import Execution

PLAIN = 0
"""The number of the plain answer, against which novelty is measured; lenses count from 1."""

FIRST = 1
"""The perspective that is taken even where nothing would be left for a synthesis."""

NODE = "take_perspective"
SENTENCES = 2


class Task(TypedDict):
    """What one task of the graph is given: what all perspectives see, and which one it takes."""

    request: dict[str, Any]
    session: dict[str, Any]
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]
    number: int


async def seen(execution: Execution, task: Task) -> tuple[dict[str, Any], list[str]]:
    """Return one view as the state keeps it, and what must be said of it.

    Where the language model fails it holds the fault's type and message instead of a viewpoint.
    """
    request = ReasoningDivergent.model_validate(task["request"])
    number = task["number"]
    lens = LENSES[number - 1] if number else None
    view: dict[str, Any] = {"number": number, "lens": lens.name if lens else "plain answer"}
    constraints = request.constraints or []
    if execution.loom.llm.offline:
        view |= _known(task, request.content, lens)
        notes: list[str] = []
    else:
        said, notes = await _asked(execution, task, request, lens)
        view |= said
    if "viewpoint" not in view or lens is None:
        return {**view, "constraints": []}, notes
    question = Question(
        node="check_constraints",
        prompt="divergent/check",
        variables={
            "content": request.content,
            "viewpoint": view["viewpoint"],
            "constraints": constraints,
        },
        pipe="divergent",
        task=str(number),
        aside=Aside(leave=_synthesis(execution, request)),
    )
    checked, more = await check(execution, view["viewpoint"], question, constraints)
    return {**view, "constraints": checked}, [*notes, *more]


async def _asked(
    execution: Execution, task: Task, request: ReasoningDivergent, lens: Lens | None
) -> tuple[dict[str, Any], list[str]]:
    question = Question(
        node=NODE,
        prompt="divergent/view",
        variables={
            "content": request.content,
            "history": task["history"],
            "memories": task["memories"],
            "lens": {"name": lens.name, "told": lens.told} if lens else None,
            "constraints": request.constraints or [],
        },
        pipe="divergent",
        task=str(task["number"]),
        thread=task["session"]["id"],
        aside=Aside(
            leave=_synthesis(execution, request) if task["number"] != FIRST else None,
            read=lens is not None,
        ),
    )
    what = f"the perspective {lens.name}" if lens else "the plain answer"
    heard = await ask_or_say(execution, question, what)
    if heard.fault:
        kind, message = type(heard.fault).__name__, heard.fault.message
        return {"fault": {"kind": kind, "message": message}}, heard.notes
    said = heard.parsed or {"viewpoint": heard.text, "confidence": DEFAULT_CONFIDENCE}
    return {"viewpoint": said["viewpoint"], "confidence": said["confidence"]}, heard.notes


def _synthesis(execution: Execution, request: ReasoningDivergent) -> Cost:
    """Return what the synthesis may cost besides the viewpoints that it reads."""
    prompt = execution.loom.prompts.get(PROMPT).render(**variables(request, []))
    return cost_of(execution, prompt)


def _known(task: Task, content: str, lens: Lens | None) -> dict[str, Any]:
    """Return what can be said without a language model: the lens's question, what is known."""
    material = {"content": content, "history": task["history"], "memories": task["memories"]}
    findings = Findings.of(material)
    known = as_prose(findings.ranked[:SENTENCES])
    parts = [lens.question] if lens else []
    parts += [f"Known of it: {known}"] if known else ["Nothing is known about it."]
    return {"viewpoint": " ".join(parts), "confidence": findings.support}


def usable(views: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the perspectives that came, in the order of their lenses, without the plain answer."""
    return [each for each in latest(views) if "viewpoint" in each and each["number"] != PLAIN]


def latest(views: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest view of each number, in their order: one may have been taken anew."""
    by_number = {each["number"]: dict(each) for each in views}
    return [by_number[number] for number in sorted(by_number)]
