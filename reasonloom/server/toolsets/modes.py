"""The modes of reasoning: the tool of each, and `reason`, one tool that runs any of them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, cast

from reasonloom import __version__
from reasonloom.contracts.base import Request
from reasonloom.contracts.example_calls import example_call, parse_leniently
from reasonloom.contracts.leniency import wire_names
from reasonloom.contracts.reasoning.reason import Reason, Reasoned
from reasonloom.errors import InvalidArgument
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.toolsets import extras, reasoning, thought
from reasonloom.server.toolsets.toolset import Front, Target, ToolLine, Toolset, adds

Json = dict[str, Any]
LINES = {
    line.name: line
    for toolset in (thought.TOOLSET, reasoning.TOOLSET, extras.REASONING)
    for line in toolset.tools
}
PLACE = re.compile(r"(^|; |parameter: |, )(\w+)(?=[:.,;]|$)")
"""Where a message names an argument."""

OWN_SESSION = "sessionId: is not used, because {mode} begins a session of its own"


@dataclass(frozen=True, slots=True)
class Parts:
    """Items of an answer that are steps or alternatives.

    `items` is the path of the list; the others are keys of its objects. `name` is the label of all.
    """

    items: str
    text: str | None = None
    label: str | None = None
    confidence: str | None = None
    name: str | None = None

    def read(self, answer: Json) -> list[Json]:
        """Return the parts that an answer has."""
        return [self._part(each) for each in at_path(answer, self.items) or ()]

    def _part(self, item: Any) -> Json:
        if not isinstance(item, dict):
            return without_none(text=str(item), label=self.name)
        keys = {"text": self.text, "label": self.label, "confidence": self.confidence, "id": "id"}
        found = {name: item.get(key) for name, key in keys.items() if key}
        return without_none(**{"label": self.name, **found})


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode: its tool, and where that tool's request and answer have what all modes have.

    Attributes:
        line: the tool.
        text, session, context: keys of its request; `context` is None where the text has it.
        given: arguments that are always given.
        conclusion, confidence: paths in its answer, or a function of it.
        steps, alternatives: lists in its answer.
    """

    line: ToolLine
    text: str = "content"
    session: str | None = "session_id"
    context: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    conclusion: str | Callable[[Json], str] = "content"
    confidence: str = "confidence"
    steps: tuple[Parts, ...] = ()
    alternatives: tuple[Parts, ...] = ()

    def arguments(self, request: Reason) -> Json:
        """Return the arguments of the mode's tool."""
        text, given = request.text, {**(request.options or {}), **self.given}
        if self.session and request.session_id:
            given[self.session] = request.session_id
        if request.context and self.context == "context":
            given["context"] = {"background": request.context, **given.get("context", {})}
        elif request.context and self.context:
            given.setdefault(self.context, request.context)
        elif request.context:
            text = f"{text}\n\nWhat is known: {request.context}"
        return {**given, self.text: text}


def at_path(answer: Json, path: str) -> Any:
    """Return the value at a dotted path, None if there is none."""
    return reduce(lambda value, key: (value or {}).get(key), path.split("."), cast("Any", answer))


def without_none(**values: Any) -> Json:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _order(answer: Json) -> str:
    """Return in which order the parts of a problem are to be done."""
    names = {each["id"]: each["description"] for each in answer["subProblems"]}
    levels = [
        "; ".join(names.get(each, each) for each in level) for level in answer["parallelLevels"]
    ]
    return "\n".join(f"{place}. {level}" for place, level in enumerate(levels, 1))


STREAMS = Parts("streams", "conclusion", "stream", "confidence")
MODES: Mapping[str, Mode] = {
    "auto": Mode(LINES["reasoning_auto"], given={"execute": True}, conclusion="rationale"),
    "linear": Mode(LINES["reasoning_linear"]),
    "tree": Mode(
        LINES["reasoning_tree"], alternatives=(Parts("branches", "content", "name", "score"),)
    ),
    "divergent": Mode(
        LINES["reasoning_divergent"],
        conclusion="synthesis",
        alternatives=(Parts("perspectives", "viewpoint", "lens", "confidence"),),
    ),
    "reflection": Mode(
        LINES["reasoning_reflection"],
        context="question",
        conclusion="improved_reasoning",
        steps=(
            Parts("weaknesses", name="weakness"),
            Parts("recommendations", name="recommendation"),
        ),
    ),
    "backtrack": Mode(LINES["reasoning_backtrack"], text="new_direction"),
    "got": Mode(LINES["reasoning_got_run"], text="problem", confidence="score"),
    "ponder": Mode(
        LINES["ponder"],
        text="problem",
        session=None,
        context="context",
        conclusion="conclusion",
        steps=(Parts("recommendations", "description", confidence="confidence"),),
        alternatives=(STREAMS,),
    ),
    "analyze": Mode(
        LINES["analyze"],
        text="problem",
        session=None,
        context="context",
        conclusion="result.conclusion",
        confidence="result.confidence",
        steps=(Parts("outputs", "output", "step", "confidence"),),
    ),
    "breakdown": Mode(
        LINES["breakdown"],
        text="problem",
        session=None,
        context="context",
        conclusion=_order,
        steps=(Parts("subProblems", "description"),),
    ),
}
"""The modes of `reason`."""

MODE_OF = {mode.line.name: name for name, mode in MODES.items()}


def target(given: Request) -> Target:
    """Return the tool and the request that a call of `reason` runs.

    Raises:
        InvalidArgument: an option is missing, unknown or of a wrong type; it names the field.
    """
    request = cast("Reason", given)
    mode = MODES[request.mode]
    try:
        _require_own_options(mode, request)
        made = parse_leniently(mode.line.request, mode.arguments(request))
    except InvalidArgument as error:
        raise _in_own_names(error, request, mode) from None
    unused = request.session_id is not None and mode.session is None
    return Target(mode.line, made, (OWN_SESSION.format(mode=request.mode),) if unused else ())


def _require_own_options(mode: Mode, request: Reason) -> None:
    for name in (mode.text, mode.session):
        if name in (request.options or {}):
            field_ = f"options.{name}"
            raise InvalidArgument(f"{field_}: give it as {_own_name(mode, name)}", field=field_)


def _own_name(mode: Mode, name: str) -> str:
    """Return what `reason` calls an argument of a mode's tool."""
    return {mode.text: "text", mode.session: "sessionId"}.get(name, f"options.{name}")


def _in_own_names(error: InvalidArgument, request: Reason, mode: Mode) -> InvalidArgument:
    """Return an error about a mode's request in the names of `reason`, with an example."""
    arguments, known = mode.arguments(request), {mode.text, mode.session, "userId", *mode.given}
    names = wire_names(mode.line.request)

    def own(found: re.Match[str]) -> str:
        is_name = found[2] in names or found[2] in arguments
        return found[1] + (_own_name(mode, found[2]) if is_name else found[2])

    def renamed(text: str) -> str:
        return PLACE.sub(own, text)

    problem, unknown, _ = error.message.partition("; the fields are ")
    options = ", ".join(name for name in names if name not in known) if unknown else ""
    more = f"; the options of {request.mode} are {options}" if options else ""
    error.message, error.field = (
        f"mode {request.mode}: {renamed(problem)}{more}",
        renamed(error.field or ""),
    )
    example = example_call(mode.line.request, arguments)
    if example is not None:
        kept = {name: value for name, value in example.items() if name not in known}
        error.example = {"text": example[mode.text], "mode": request.mode} | (
            {"options": kept} if kept else {}
        )
    return error


def reasoned(tool: str, answer: Json, run_id: str) -> Json:
    """Return the answer of a mode's tool as `reason` gives it; that of a chosen mode too."""
    if (executed := answer.get("executed")) and answer.get("result"):
        chosen = reasoned(executed, answer["result"], run_id)
        return {**chosen, "because": answer["rationale"]}
    mode = MODES[MODE_OF[tool]]
    read = mode.conclusion
    text = read(answer) if callable(read) else at_path(answer, read)
    steps, alternatives = (
        [part for parts in each for part in parts.read(answer)]
        for each in (mode.steps, mode.alternatives)
    )
    kept = ("partial", "kind", "suggestion", "session_id", "sessionId", "thought_id", "thoughtId")
    return Reasoned.model_validate(
        {
            "suggestion": answer.get("not_executed"),
            **{name: answer[name] for name in kept if name in answer},
            "mode": answer.get("recommended_mode", MODE_OF[tool]),
            "conclusion": text,
            "confidence": at_path(answer, mode.confidence),
            "steps": steps or None,
            "alternatives": alternatives or None,
            "run_id": run_id,
        }
    ).model_dump(mode="json", by_alias=True, exclude_none=True)


TOOLSET: Toolset = Toolset(
    name="reasoning",
    reference="reasonloom",
    version=__version__,
    envelope=PLAIN,
    advice=("Think a question through with {reason}; it chooses a mode, or takes the one named.",),
    tools=(
        replace(
            adds("reason", "Reason", Reason, Reasoned, asks_llm=True),
            graph=MODES["auto"].line.graph,
            front=Front(frozenset({*MODE_OF, "reasoning_got_init"}), target, reasoned),
        ),
    ),
)
"""`reason`, in the default profile."""
