"""The kinds of evals: which there are, what options each takes, how it is run, drawn and listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from reasonloom.cli.evals import suite_file
from reasonloom.cli.evals.eval_packaged import (
    conversed,
    draw,
    halved,
    orchestrated,
    recalled,
    remembered,
    work,
)
from reasonloom.cli.evals.request import ASKING, Asked, Result, Work
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.suites.memory.suites import SUITES
from reasonloom.evals.suites.reasoning.orchestration.suites import WHERE


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
    work: Callable[[Asked], Work]
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
        tuple(SUITES), ("half", "epochs", "ablate"), work(recalled), draw("evals.retrieval_table")
    ),
    Kind(
        tuple(WHERE),
        ("seeds", "items", "row", "set"),
        work(orchestrated),
        draw("evals.orchestration_tables"),
    ),
    Kind(
        ("metacognition",),
        ("half", *ASKING),
        work(halved("suites.metacognition.suite")),
        draw("evals.check_tables"),
    ),
    Kind(
        ("grounding",),
        ("half", *ASKING),
        work(halved("suites.graph_memory.grounding.grounding_suite")),
        draw("evals.grounding_table"),
    ),
    Kind(
        ("triggers",),
        ("half",),
        work(halved("suites.mental_models.triggers")),
        draw("evals.triggers_table"),
    ),
    Kind(
        ("outcomes",),
        ("half",),
        work(halved("suites.mental_models.outcomes")),
        draw("evals.outcomes_table"),
    ),
    Kind(
        ("poisoning",),
        ("half",),
        work(halved("suites.memory.poisoning.suite")),
        draw("evals.poisoning_table"),
    ),
    Kind(("history",), ("half", "asked"), work(remembered), draw("evals.memory_tables")),
    Kind(("locomo-history",), (), work(conversed), draw("evals.retrieval_table")),
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


def line_of(path: Path) -> str:
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
