"""The kinds of evals: which there are, what options each takes, how it is run, drawn and listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from reasonloom.cli import eval_suite
from reasonloom.cli.eval_asked import ASKING, Asked, Result, Work
from reasonloom.cli.eval_packaged import (
    conversed,
    draw,
    halved,
    orchestrated,
    recalled,
    remembered,
    work,
)
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.orchestration.suites import WHERE
from reasonloom.evals.suites import SUITES


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
    Kind(tuple(SUITES), ("half", "epochs", "ablate"), work(recalled), draw("retrieval_table")),
    Kind(
        tuple(WHERE),
        ("seeds", "items", "row", "set"),
        work(orchestrated),
        draw("orchestration_table"),
    ),
    Kind(
        ("metacognition",),
        ("half", *ASKING),
        work(halved("metacognition")),
        draw("metacognition_table"),
    ),
    Kind(("grounding",), ("half", *ASKING), work(halved("grounding")), draw("grounding_table")),
    Kind(("triggers",), ("half",), work(halved("models")), draw("triggers_table")),
    Kind(("outcomes",), ("half",), work(halved("outcomes")), draw("outcomes_table")),
    Kind(("poisoning",), ("half",), work(halved("poisoning")), draw("poisoning_table")),
    Kind(("history",), ("half", "asked"), work(remembered), draw("history_table")),
    Kind(("locomo-history",), (), work(conversed), draw("retrieval_table")),
    Kind((eval_suite.FILE,), eval_suite.OPTIONS, eval_suite.work, eval_suite.draw),
)
NAMES = tuple(name for kind in KINDS for name in kind.names)


def kind_of(name: str) -> Kind:
    """Return the kind of an eval.

    Raises:
        UnknownName: there is no such eval.
    """
    wanted = eval_suite.FILE if Path(name).suffix.lower() in eval_suite.FILES else name
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
