"""The perspectives of divergent reasoning, each generated through its lens, and their synthesis."""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, TypedDict

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Cost, Execution
from reasonloom.nodes.offline import open_question, undecided
from reasonloom.nodes.reasoning.attempts import first_sentences, most_confident
from reasonloom.nodes.reasoning.divergent.constraint_check import check_constraints
from reasonloom.nodes.reasoning.divergent.lenses import LENSES, Lens
from reasonloom.nodes.reasoning.lookup import ask_informed_or_note, first_variables
from reasonloom.nodes.runs.budget import ReservePolicy, cost_of
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, saved_fault
from reasonloom.nodes.similarity import Similarity

PROMPT = "divergent/synthesise"
SYNTHESIS_SENTENCES = 3
"""Sentences per perspective in the extract that replaces a missing synthesis."""

LABEL = re.compile(r"\bP(\d+)\b")
FOUND = "the synthesis named no source; those it is most like are named instead"
UNKNOWN = "the synthesis named sources that do not exist: {names}"
EXTRACTED = "there is no synthesis: the perspectives' first sentences are used instead"


def label(view: Mapping[str, Any]) -> str:
    """Return the label by which the synthesis refers to a perspective."""
    return f"P{view['number']}"


def novelty(
    view: Mapping[str, Any], views: Sequence[Mapping[str, Any]], likeness: Similarity
) -> float:
    """Return 1 minus the highest cosine similarity to another perspective or the plain answer."""
    others = [
        each["viewpoint"]
        for each in views
        if "viewpoint" in each and each["number"] != view["number"]
    ]
    return 1.0 - max((likeness.cosine(view["viewpoint"], other) for other in others), default=0.0)


def confidence(views: Sequence[Mapping[str, Any]], made: Mapping[str, Any]) -> float:
    """Return the confidence a synthesis states, or else the perspectives' mean confidence.

    The mean is halved without a synthesis, since nobody has weighed the perspectives then.
    """
    if made["claim"] is not None:
        return float(made["claim"])
    mean = fmean(float(each["confidence"]) for each in views)
    return mean if made["made"] else mean / 2


def variables(
    request: ReasoningDivergent, views: Sequence[Mapping[str, Any]], doubt: str = ""
) -> dict[str, Any]:
    """Return the variables of the synthesis prompt."""
    return {
        "content": request.content,
        "perspectives": [
            {"label": label(each), "broken": broken_constraints(each), **each} for each in views
        ],
        "constraints": request.constraints or [],
        "doubt": doubt,
    }


def broken_constraints(view: Mapping[str, Any]) -> list[str]:
    """Return the constraints that a perspective violates."""
    return [each["constraint"] for each in view["constraints"] if each["kept"] is False]


def best_attempt(attempts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the most confident synthesis, or an extract if none was generated."""
    return most_confident([each for each in attempts if each["made"]] or attempts)


def read_synthesis(heard: OptionalReply, views: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Read the synthesis and its source labels, limited to those of `views`.

    `claim` is the confidence it states, or None.
    """
    if heard.parsed is None and not heard.text:
        return {
            "content": first_sentences(
                ((label(each), each["viewpoint"]) for each in views), SYNTHESIS_SENTENCES
            ),
            "sources": [label(each) for each in views],
            "notes": [EXTRACTED],
            "claim": None,
            "made": False,
        }
    parsed = heard.parsed or {"synthesis": heard.text, "sources": []}
    known = {label(each) for each in views}
    named = dict.fromkeys(
        [*parsed["sources"], *(f"P{n}" for n in LABEL.findall(parsed["synthesis"]))]
    )
    unknown = [each for each in named if each not in known]
    return {
        "content": parsed["synthesis"],
        "sources": sorted(
            (each for each in named if each in known), key=lambda each: int(each[1:])
        ),
        "notes": [UNKNOWN.format(names=", ".join(unknown[:5]))] if unknown else [],
        "claim": parsed.get("confidence"),
        "made": True,
    }


PLAIN_ANSWER = 0
"""The number of the plain answer, a baseline for novelty; lenses count from 1."""

FIRST = 1
"""The perspective that is generated even if no budget would remain for a synthesis."""

NODE = "take_perspective"


class PerspectiveTask(TypedDict):
    """The payload of one perspective task: the shared context and the perspective's number."""

    session: dict[str, Any]
    history: list[dict[str, str]]
    memories: list[dict[str, Any]]
    number: int


async def take_perspective(task: PerspectiveTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Generate one perspective and check it against the constraints.

    If the language model fails, the view has the fault's type and message instead of a viewpoint.
    """
    execution = runtime.context
    request = execution.request(ReasoningDivergent)
    number = task["number"]
    lens = LENSES[number - 1] if number else None
    view: dict[str, Any] = {"number": number, "lens": lens.name if lens else "plain answer"}
    constraints = request.constraints or []
    if execution.loom.llm.offline:
        return {"views": [_open_view(view, lens, request.content, constraints)] if lens else []}
    reply, notes, added = await _ask_for_perspective(execution, task, request, lens)
    view |= reply
    if "viewpoint" not in view or lens is None:
        return {"views": [{**view, "constraints": []}], "notes": notes, **added}
    question = Question(
        node="check_constraints",
        prompt="divergent/check",
        blind=True,
        variables={
            "content": request.content,
            "viewpoint": view["viewpoint"],
            "constraints": constraints,
        },
        pipe="divergent",
        task=str(number),
        aside=ReservePolicy(leave=_synthesis(execution, request)),
    )
    checked, more = await check_constraints(execution, question)
    return {"views": [{**view, "constraints": checked}], "notes": [*notes, *more], **added}


def _open_view(
    view: dict[str, Any], lens: Lens, content: str, constraints: Sequence[str]
) -> dict[str, Any]:
    viewpoint = open_question(lens.question, content)
    return {
        **view, "viewpoint": viewpoint, "confidence": 0.0, "constraints": undecided(constraints),
    }  # fmt: skip


async def _ask_for_perspective(
    execution: Execution, task: PerspectiveTask, request: ReasoningDivergent, lens: Lens | None
) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    question = Question(
        node=NODE,
        prompt="divergent/view",
        variables={
            "content": request.content,
            "history": task["history"],
            "memories": task["memories"],
            "lens": {"name": lens.name, "told": lens.instruction} if lens else None,
            "constraints": request.constraints or [],
        },
        pipe="divergent",
        task=str(task["number"]),
        thread=task["session"]["id"],
        aside=ReservePolicy(
            leave=_synthesis(execution, request) if task["number"] != FIRST else None,
            read=lens is not None,
        ),
    )
    what = f"the perspective {lens.name}" if lens else "the plain answer"
    informed = await ask_informed_or_note(execution, question, what)
    heard, notes = informed.reply, [*informed.reply.notes, *informed.notes]
    if heard.fault:
        return saved_fault(heard.fault), notes, {}
    parsed = heard.parsed or {"viewpoint": heard.text, "confidence": DEFAULT_CONFIDENCE}
    view = {"viewpoint": parsed["viewpoint"], "confidence": parsed["confidence"]}
    return view, notes, informed.added


def _synthesis(execution: Execution, request: ReasoningDivergent) -> Cost:
    """Return the cost of the synthesis call, excluding the viewpoints in its prompt."""
    given = first_variables(execution, PROMPT, variables(request, []))
    return cost_of(execution, execution.loom.prompts.get(PROMPT).render(**given))


def usable_views(views: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the perspectives that succeeded, in lens order, without the plain answer."""
    return [
        each
        for each in latest_views(views)
        if "viewpoint" in each and each["number"] != PLAIN_ANSWER
    ]


def latest_views(views: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest view per number, in order, since views may have been regenerated."""
    by_number = {each["number"]: dict(each) for each in views}
    return [by_number[number] for number in sorted(by_number)]
