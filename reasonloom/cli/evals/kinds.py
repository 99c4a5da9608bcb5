"""The kinds of evals: their options, and the functions that run them and draw their results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from reasonloom.cli.evals.request import MODEL_OPTIONS, EvalRequest, EvalWork, Result
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.log import EvalLog
from reasonloom.evals.suites.memory.datasets import ALL, RETRIEVAL_SUITES
from reasonloom.evals.suites.reasoning.orchestration.catalog import ORCHESTRATION_EVALS

FILE = "FILE"
"""The name under which lists of evals show suites in files."""

SUITE_SUFFIXES = (".py", ".csv", ".jsonl", ".json", ".yaml", ".yml")
FILE_OPTIONS = (
    *MODEL_OPTIONS, "by", "judge", "scorer", "format", "column", "set", "items", "epochs",
    "reducer", "workers", "plan", "effect", "flips",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """Evals that are run the same way.

    Attributes:
        names: the evals.
        options: the options they take in addition to the common ones.
        runner: the function that returns an eval's work, as `module:name` below this package.
        table: the function that draws a result, in the same notation.
    """

    names: Sequence[str]
    options: Sequence[str]
    runner: str
    table: str

    def refuse_foreign(self, name: str, options: Mapping[str, Any]) -> None:
        """Refuse options of another kind.

        Raises:
            InvalidArgument: there is such an option.
        """
        for option in options:
            if option not in self.options:
                own = ", ".join(f"--{each}" for each in self.options)
                raise InvalidArgument(
                    f"--{option}: is not an option of {name}, which has {own}", field=option
                )

    def work(self, request: EvalRequest) -> EvalWork:
        """Return the function that runs an eval."""
        work: EvalWork = _load(self.runner)(request)
        return work

    def draw(self, result: Result) -> None:
        """Print the notes of an incomplete run, or the figures of a complete one."""
        notes = result.get("notes")
        if not notes:
            _load(self.table)(result)
            return
        for note in notes:
            Console().print(f"note: {note}", markup=False)
        Console().print("figures are computed for complete runs: there are none yet")


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(f"reasonloom.cli.evals.{module}"), name)


_OF_MODELS = ("half", *MODEL_OPTIONS)
KINDS = (
    Kind(
        tuple(RETRIEVAL_SUITES), ("half", "epochs", "ablate"), "packaged:recall",
        "memory_tables:draw_retrieval",
    ),
    Kind((ALL.name,), ("half", "epochs"), "packaged:recall", "memory_tables:draw_all_sets"),
    Kind(("answerable",), ("half",), "packaged:split", "memory_tables:draw_answerable"),
    Kind(("context",), ("half",), "packaged:split", "memory_tables:draw_context"),
    Kind(
        tuple(ORCHESTRATION_EVALS), ("seeds", "items", "row", "set"), "packaged:orchestration",
        "orchestration_tables:draw_orchestration",
    ),
    Kind(
        ("reason",), (*_OF_MODELS, "items", "epochs", "row", "set"), "packaged:reason",
        "orchestration_tables:draw_reason",
    ),
    Kind(
        ("calibration",), (*_OF_MODELS, "items", "epochs", "row", "set"), "packaged:reason",
        "orchestration_tables:draw_calibration",
    ),
    Kind(("metacognition",), _OF_MODELS, "packaged:split", "check_tables:draw_metacognition"),
    Kind(("grounding",), _OF_MODELS, "packaged:split", "check_tables:draw_grounding"),
    Kind(("triggers",), ("half",), "packaged:split", "check_tables:draw_triggers"),
    Kind(("outcomes",), ("half",), "packaged:split", "check_tables:draw_outcomes"),
    Kind(("everyday",), _OF_MODELS, "packaged:split", "check_tables:draw_everyday"),
    Kind(("poisoning",), ("half",), "packaged:split", "memory_tables:draw_poisoning"),
    Kind(("history",), ("half", "asked"), "packaged:history", "memory_tables:draw_history"),
    Kind(("locomo-history",), (), "packaged:conversations", "memory_tables:draw_retrieval"),
    Kind((FILE,), FILE_OPTIONS, "suite_file:work", "suite_file:draw"),
)  # fmt: skip
NAMES = tuple(name for kind in KINDS for name in kind.names)


def kind_of(name: str) -> Kind:
    """Return the kind of an eval.

    Raises:
        UnknownName: there is no such eval.
    """
    wanted = FILE if Path(name).suffix.lower() in SUITE_SUFFIXES else name
    for kind in KINDS:
        if wanted in kind.names:
            return kind
    raise UnknownName(f"there is no eval {name}; known: {', '.join(NAMES)}", field="name")


def log_summary(path: Path) -> str:
    """Return how much of a log's run is done, of which eval, and its first score so far."""
    try:
        log = EvalLog(path)
    except InvalidArgument:
        return "is no run of an eval"
    head = log.head
    if "items_sha256" not in head:  # of an earlier version, or not a run of an eval
        return " ".join([f"{len(log.records)} records", *filter(None, [head.get("eval", "")])])
    parts = [f"{len(log.records)} of {head['items'] * head['epochs']} results of {head['eval']}"]
    parts += [f"{name} {head[name]}" for name in ("half", "seeds", "asked") if name in head]
    parts += [f"llm {head['system']['llm']}"] if head["system"]["llm"] else []
    name = head["scorers"][0]["scorer"]
    scores = [each.scores[name] for each in log.records if name in each.scores]
    return "  ".join([*parts, *([f"{name} {fmean(scores):.3f}"] if scores else [])])
