"""The kinds of evals: which there are, what options each takes, how it is run, drawn and listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.evals import suite_file
from reasonloom.cli.evals.request import (
    MODEL_OPTIONS,
    EvalRequest,
    EvalWork,
    Result,
    parse_limits,
    parse_pairs,
)
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.suites.memory.datasets import RETRIEVAL_SUITES
from reasonloom.evals.suites.reasoning.orchestration.catalog import ORCHESTRATION_EVALS

if TYPE_CHECKING:
    from reasonloom.cli.evals.request import EvalWork, Result
    from reasonloom.evals.suites.packaged import Packaged


SuiteBuilder = Callable[[EvalRequest], "Packaged"]


def packaged_work(made: SuiteBuilder) -> Callable[[EvalRequest], EvalWork]:
    """Return what runs the suite that is made of what was asked."""

    def of(asked: EvalRequest) -> EvalWork:
        from reasonloom.evals.core.system import System  # noqa: PLC0415
        from reasonloom.evals.suites.packaged import run_packaged  # noqa: PLC0415

        chosen, own = asked.options, made(asked)
        prompts = dict(parse_versions(chosen.get("prompt", ())))
        if len(prompts) < len(chosen.get("prompt", ())):
            raise InvalidArgument(
                "--prompt: name each once here, and hold two runs against each other by `eval"
                " compare`",
                field="prompt",
            )
        system, purse = System(prompts=prompts, llm=chosen.get("llm")), parse_limits(chosen)
        seed, at_once = chosen.get("seed", 0), chosen.get("parallel", 1)
        return lambda tell: run_packaged(
            own, asked.log, system=system, purse=purse, seed=seed, at_once=at_once, tell=tell
        )

    return of


def packaged_draw(table: str) -> Callable[[Result], None]:
    """Return what prints the notes of a run, and its figures by a module of tables."""

    def of(result: Result) -> None:
        from rich.console import Console  # noqa: PLC0415

        for note in result["notes"]:
            Console().print(f"note: {note}", markup=False)
        if result["notes"]:
            Console().print("figures are of whole runs: there are none yet")
        else:
            module, _, name = table.partition(":")
            getattr(import_module(f"reasonloom.cli.{module}"), name)(result)

    return of


def split_suite(module: str) -> SuiteBuilder:
    """Return what makes a suite that has halves, and may have another's own data."""

    def made(asked: EvalRequest) -> Packaged:
        suite: Any = import_module(f"reasonloom.evals.{module}")
        own: Packaged = suite.packaged(asked.options.get("half", "dev"), asked.data)
        return own

    return made


def recall_suite(asked: EvalRequest) -> Packaged:
    """Return a suite of recall."""
    from reasonloom.evals.suites.memory.datasets import (
        Source,
        retrieval_suite,
    )
    from reasonloom.evals.suites.memory.retrieval import packaged  # noqa: PLC0415

    chosen = asked.options
    source = Source(asked.data, chosen.get("half", "all"))
    epochs = chosen.get("epochs", 1)
    return packaged(retrieval_suite(asked.name), source, epochs, ablate="ablate" in chosen)


def orchestration_suite(asked: EvalRequest) -> Packaged:
    """Return an eval of orchestration."""
    from reasonloom.evals.suites.reasoning.orchestration.catalog import (
        Choices,
        load_orchestration,
    )
    from reasonloom.evals.suites.reasoning.orchestration.suite import packaged  # noqa: PLC0415

    chosen = asked.options
    settings = parse_pairs(chosen.get("set", ()), "set")
    choices = Choices(asked.data, chosen.get("items"), settings)
    only = chosen.get("row", ())
    return packaged(load_orchestration(asked.name), choices, chosen.get("seeds", 10), only)


def history_suite(asked: EvalRequest) -> Packaged:
    """Return the questions about past conversations."""
    from reasonloom.evals.suites.history.suite import packaged  # noqa: PLC0415

    chosen = asked.options
    return packaged(chosen.get("half", "dev"), asked.data, chosen.get("asked", "other"))


def locomo_history_suite(asked: EvalRequest) -> Packaged:
    """Return LoCoMo's questions, asked of past conversations."""
    from reasonloom.evals.suites.memory.locomo_history import packaged  # noqa: PLC0415

    return packaged(asked.data)


@dataclass(frozen=True, slots=True)
class Kind:
    """Evals that are run alike.

    Attributes:
        names: the evals.
        options: the options that they take beside those of all.
        work: returns what runs one.
        draw: prints a result.
    """

    names: Sequence[str]
    options: Sequence[str]
    work: Callable[[EvalRequest], EvalWork]
    draw: Callable[[Result], None]

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


KINDS = (
    Kind(
        tuple(RETRIEVAL_SUITES),
        ("half", "epochs", "ablate"),
        packaged_work(recall_suite),
        packaged_draw("evals.memory_tables:draw_retrieval"),
    ),
    Kind(
        tuple(ORCHESTRATION_EVALS),
        ("seeds", "items", "row", "set"),
        packaged_work(orchestration_suite),
        packaged_draw("evals.orchestration_tables:draw_orchestration"),
    ),
    Kind(
        ("metacognition",),
        ("half", *MODEL_OPTIONS),
        packaged_work(split_suite("suites.metacognition.suite")),
        packaged_draw("evals.check_tables:draw_metacognition"),
    ),
    Kind(
        ("grounding",),
        ("half", *MODEL_OPTIONS),
        packaged_work(split_suite("suites.graph_memory.grounding.suite")),
        packaged_draw("evals.check_tables:draw_grounding"),
    ),
    Kind(
        ("triggers",),
        ("half",),
        packaged_work(split_suite("suites.mental_models.triggers")),
        packaged_draw("evals.check_tables:draw_triggers"),
    ),
    Kind(
        ("outcomes",),
        ("half",),
        packaged_work(split_suite("suites.mental_models.outcomes")),
        packaged_draw("evals.check_tables:draw_outcomes"),
    ),
    Kind(
        ("poisoning",),
        ("half",),
        packaged_work(split_suite("suites.memory.poisoning.suite")),
        packaged_draw("evals.memory_tables:draw_poisoning"),
    ),
    Kind(
        ("history",),
        ("half", "asked"),
        packaged_work(history_suite),
        packaged_draw("evals.memory_tables:draw_history"),
    ),
    Kind(
        ("locomo-history",),
        (),
        packaged_work(locomo_history_suite),
        packaged_draw("evals.memory_tables:draw_retrieval"),
    ),
    Kind((suite_file.FILE,), suite_file.OPTIONS, suite_file.work, suite_file.draw),
)
NAMES = tuple(name for kind in KINDS for name in kind.names)


def kind_of(name: str) -> Kind:
    """Return the kind of an eval.

    Raises:
        UnknownName: there is no such eval.
    """
    wanted = suite_file.FILE if Path(name).suffix.lower() in suite_file.FILES else name
    for kind in KINDS:
        if wanted in kind.names:
            return kind
    raise UnknownName(f"there is no eval {name}; known: {', '.join(NAMES)}", field="name")


def log_summary(path: Path) -> str:
    """Return how much of a log's run is done, of what, and its first score so far."""
    from reasonloom.evals.log import EvalLog  # noqa: PLC0415

    try:
        log = EvalLog(path)
    except InvalidArgument:
        return "is no run of an eval"
    head = log.head
    if "items_sha256" not in head:  # of an earlier version, or no run of an eval
        return " ".join([f"{len(log.records)} records", *filter(None, [head.get("eval", "")])])
    told = [f"{len(log.records)} of {head['items'] * head['epochs']} results of {head['eval']}"]
    told += [f"{name} {head[name]}" for name in ("half", "seeds", "asked") if name in head]
    told += [f"llm {head['system']['llm']}"] if head["system"]["llm"] else []
    name = head["scorers"][0]["scorer"]
    scores = [each.scores[name] for each in log.records if name in each.scores]
    return "  ".join([*told, *([f"{name} {fmean(scores):.3f}"] if scores else [])])
