"""The kinds of evals: which there are, what options each takes, how it is run, drawn and listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.cli import eval_suite
from reasonloom.cli.eval_asked import Asked, Result, Work
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.orchestration.suites import WHERE
from reasonloom.evals.suites import SUITES

if TYPE_CHECKING:
    from reasonloom.evals.log import EvalLog


@dataclass(frozen=True, slots=True)
class Kind:
    """Evals that are run alike.

    Attributes:
        names: the evals.
        options: the options that they take beside those of all.
        work: returns what runs one.
        draw: prints a result.
        line: tells of a log how much of its run is done.
    """

    names: Sequence[str]
    options: Sequence[str]
    work: Callable[[Asked], Work]
    draw: Callable[[Result], None]
    line: Callable[[EvalLog], str]

    def refuse_foreign(self, name: str, options: Mapping[str, Any]) -> None:
        """Refuse an option of another kind.

        Raises:
            InvalidArgument: there is one.
        """
        for option in options:
            if option not in self.options:
                own = ", ".join(f"--{each}" for each in self.options)
                raise InvalidArgument(
                    f"--{option}: is not an option of {name}, which has {own}", field=option
                )


def _retrieval(asked: Asked) -> Work:
    from reasonloom.evals.retrieval.collection import Source  # noqa: PLC0415
    from reasonloom.evals.retrieval.run import Plan, run  # noqa: PLC0415
    from reasonloom.evals.suites import suite  # noqa: PLC0415

    chosen = asked.options
    plan = Plan(
        suite(asked.name),
        Source(asked.data, chosen.get("half", "all")),
        asked.log,
        chosen.get("epochs", 1),
        ablate="ablate" in chosen,
    )
    return lambda tell: run(plan, tell)


def _draw_retrieval(result: Result) -> None:
    from reasonloom.cli.retrieval_table import draw  # noqa: PLC0415

    draw(result)


def _retrieval_line(log: EvalLog) -> str:
    from reasonloom.evals.report import summary  # noqa: PLC0415

    overall = summary(log.records, apart=SUITES[log.head["eval"]].apart)["overall"]
    return f"{len(log.records)} items  recall@10 {overall.get('recall@10')}"


def _orchestration(asked: Asked) -> Work:
    from reasonloom.evals.orchestration.row import Choices  # noqa: PLC0415
    from reasonloom.evals.orchestration.run import Plan, run  # noqa: PLC0415
    from reasonloom.evals.orchestration.suites import orchestration  # noqa: PLC0415

    chosen = asked.options
    choices = Choices(asked.data, chosen.get("items"), _settings(chosen.get("set", ())))
    suite = orchestration(asked.name)
    plan = Plan(suite, choices, asked.log, chosen.get("seeds", 10), chosen.get("row", ()))
    return lambda tell: run(plan, tell)


def _settings(given: Sequence[str]) -> dict[str, str]:
    """Return settings by name.

    Raises:
        InvalidArgument: one is not NAME=VALUE, or is given twice.
    """
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not name or not sign or name in found:
            raise InvalidArgument(
                "--set: must be NAME=VALUE, each name once, such as concurrency=8", field="set"
            )
        found[name] = value
    return found


def _draw_orchestration(result: Result) -> None:
    from reasonloom.cli.orchestration_table import draw  # noqa: PLC0415

    draw(result)


def _orchestration_line(log: EvalLog) -> str:
    head = log.head
    total = len(head["rows"]) * head["items"] * head["seeds"]
    return (
        f"{len(log.records)} of {total} results  {len(head['rows'])} rows,"
        f" {head['items']} items, {head['seeds']} seeds"
    )


def _metacognition(asked: Asked) -> Work:
    from reasonloom.evals.metacognition.run import Plan, run  # noqa: PLC0415

    plan = Plan(asked.log, asked.options.get("half", "dev"), asked.data)
    return lambda tell: run(plan, tell)


def _draw_metacognition(result: Result) -> None:
    from reasonloom.cli.metacognition_table import draw  # noqa: PLC0415

    draw(result)


def _metacognition_line(log: EvalLog) -> str:
    head = log.head
    return (
        f"{len(log.records)} of {head['questions']} answers  half {head['half']}, llm {head['llm']}"
    )


def _grounding(asked: Asked) -> Work:
    from reasonloom.evals.grounding.run import Plan, run  # noqa: PLC0415

    plan = Plan(asked.log, asked.options.get("half", "dev"), asked.data)
    return lambda tell: run(plan, tell)


def _draw_grounding(result: Result) -> None:
    from reasonloom.cli.grounding_table import draw  # noqa: PLC0415

    draw(result)


def _grounding_line(log: EvalLog) -> str:
    head = log.head
    return f"{len(log.records)} of {head['claims']} claims  half {head['half']}, llm {head['llm']}"


def _history(asked: Asked) -> Work:
    from reasonloom.evals.history.run import Plan, run  # noqa: PLC0415

    plan = Plan(asked.log, asked.options.get("half", "dev"), asked.data)
    return lambda tell: run(plan, tell)


def _draw_history(result: Result) -> None:
    from reasonloom.cli.history_table import draw  # noqa: PLC0415

    draw(result)


def _history_line(log: EvalLog) -> str:
    head = log.head
    return f"{len(log.records)} of {head['questions']} answers  half {head['half']}"


def _locomo_history(asked: Asked) -> Work:
    from reasonloom.evals.locomo.history import Plan, run  # noqa: PLC0415

    plan = Plan(asked.data, asked.log)
    return lambda tell: run(plan, tell)


def _locomo_history_line(log: EvalLog) -> str:
    from reasonloom.evals.report import summary  # noqa: PLC0415

    overall = summary(log.records, apart=("adversarial",))["overall"]
    return f"{len(log.records)} items  search {overall.get('search')}"


def _triggers(asked: Asked) -> Work:
    from reasonloom.evals.models.run import Plan, run  # noqa: PLC0415

    plan = Plan(asked.log, asked.options.get("half", "dev"), asked.data)
    return lambda tell: run(plan, tell)


def _draw_triggers(result: Result) -> None:
    from reasonloom.cli.triggers_table import draw  # noqa: PLC0415

    draw(result)


def _triggers_line(log: EvalLog) -> str:
    head = log.head
    return f"{len(log.records)} of {head['messages']} messages  half {head['half']}"


KINDS = (
    Kind(
        names=tuple(SUITES),
        options=("half", "epochs", "ablate"),
        work=_retrieval,
        draw=_draw_retrieval,
        line=_retrieval_line,
    ),
    Kind(
        names=tuple(WHERE),
        options=("seeds", "items", "row", "set"),
        work=_orchestration,
        draw=_draw_orchestration,
        line=_orchestration_line,
    ),
    Kind(
        names=("metacognition",),
        options=("half",),
        work=_metacognition,
        draw=_draw_metacognition,
        line=_metacognition_line,
    ),
    Kind(
        names=("grounding",),
        options=("half",),
        work=_grounding,
        draw=_draw_grounding,
        line=_grounding_line,
    ),
    Kind(
        names=("triggers",),
        options=("half",),
        work=_triggers,
        draw=_draw_triggers,
        line=_triggers_line,
    ),
    Kind(
        names=("history",),
        options=("half",),
        work=_history,
        draw=_draw_history,
        line=_history_line,
    ),
    Kind(
        names=("locomo-history",),
        options=(),
        work=_locomo_history,
        draw=_draw_retrieval,
        line=_locomo_history_line,
    ),
    Kind(
        names=(eval_suite.FILE,),
        options=eval_suite.OPTIONS,
        work=eval_suite.work,
        draw=eval_suite.draw,
        line=eval_suite.line,
    ),
)
NAMES = tuple(name for kind in KINDS for name in kind.names)


def kind_of(name: str) -> Kind:
    """Return the kind of an eval.

    Raises:
        UnknownName: there is no such eval.
    """
    wanted = eval_suite.FILE if Path(name).suffix in eval_suite.FILES else name
    for kind in KINDS:
        if wanted in kind.names:
            return kind
    raise UnknownName(f"there is no eval {name}; known: {', '.join(NAMES)}", field="name")


def line_of(log: EvalLog) -> str:
    """Return how much of a log's run is done; of an eval that is not known, its records."""
    name = eval_suite.FILE if log.head.get("kind") == "system" else log.head.get("eval")
    return kind_of(name).line(log) if name in NAMES else f"{len(log.records)} records"
