"""The result of an eval in Python: scores, comparisons, and a table of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.changes import is_right
from reasonloom.evals.comparison.compare import (
    first_score,
    is_lower_better,
    not_worse,
    open_completed,
)
from reasonloom.evals.comparison.pairs import FIGURES
from reasonloom.evals.comparison.summary import incomplete, llm_of, model_note, run_summary
from reasonloom.evals.core.run import RunResult
from reasonloom.evals.log import EvalLog
from reasonloom.evals.reporting.formatting import natural_key, shortened_line
from reasonloom.evals.reporting.report import Report, build_report, labels
from reasonloom.evals.reporting.verdict import Verdict, verdict, verdict_on_single_run
from reasonloom.text.plurals import counted

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMED = 5
"""Items that a failed assertion names."""

LONGEST = 100
"""Characters of an answer in a line."""

EXTRA = "pip install 'reasonloom[notebook]'"


@dataclass(frozen=True)
class EvalResult:
    """One run of an eval.

    Attributes:
        log: the run's file and its records.
        reducer: how an item's epochs become one score.
        failed: errors of items that have no answer; a later run with the same log retries them.
        stopped: why the budget ended the run; empty if it completed.
    """

    log: EvalLog
    reducer: str = "mean"
    failed: Sequence[str] = ()
    stopped: str = ""

    @classmethod
    def open(cls, path: str | Path, *, reducer: str = "mean") -> EvalResult:
        """Return the result of a saved run.

        Raises:
            InvalidArgument: there is no such file, or it is no run of an eval.
        """
        return cls(open_completed(Path(path)), reducer)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Everything that `reasonloom eval run --json` prints of a run."""
        return run_summary(RunResult(self.log, self.failed, self.stopped), self.reducer)

    @property
    def score(self) -> float:
        """The mean of the first scorer's scores."""
        return float(self.summary["scores"][first_score(self.log)]["mean"])

    @property
    def scores(self) -> dict[str, float]:
        """The mean score of each scorer."""
        return {name: each["mean"] for name, each in self.summary["scores"].items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95 % interval of the mean score of each scorer."""
        return {name: tuple(each["interval"]) for name, each in self.summary["scores"].items()}

    @property
    def usage(self) -> dict[str, float]:
        """Calls, tokens and US dollars of the run."""
        return dict(self.summary["usage"])

    @property
    def label(self) -> str:
        """What answered: the tool, prompt or function, and the language model."""
        return labels([self.log])[0]

    @property
    def incomplete(self) -> str:
        """Why items have no answer; empty if all have one."""
        return incomplete(RunResult(self.log, self.failed, self.stopped))

    @property
    def model_note(self) -> str:
        """A note if no real language model answered; empty if one did, or none was needed."""
        return model_note(llm_of(self.log.head))

    def __str__(self) -> str:
        if not self.log.records:
            return f"{self.label}: no answers"
        report = build_report(self.log, reducer=self.reducer)
        return verdict_on_single_run(report, report.base)

    def __repr__(self) -> str:
        return f"<EvalResult {self}>"

    def wrong_answers(self, most: int = MOST_NAMED) -> list[str]:
        """Return lines of the first items that the first scorer marks as wrong: answer, target."""
        score = first_score(self.log) if self.log.records else ""
        lower = is_lower_better(self.log, score)
        wrong = [
            each
            for each in sorted(self.log.records, key=lambda each: natural_key(each.item))
            if score in each.scores and not is_right(each.scores[score], lower)
        ]
        lines = [
            f"wrong: {each.item}: {shortened_line(each.error or each.output, LONGEST)}"
            + ("" if each.target is None else f" (right: {shortened_line(each.target, LONGEST)})")
            for each in wrong[:most]
        ]
        return [*lines, f"and {len(wrong) - most} more"] if len(wrong) > most else lines

    def compare(self, base: EvalResult, *, score: str = "") -> Comparison:
        """Compare with the result of another system on the same items.

        Args:
            base: the other result.
            score: which score; the first scorer's by default.

        Raises:
            InvalidArgument: the results share no item, or lack the score.
        """
        return Comparison(build_report(base.log, self.log, score=score, reducer=self.reducer))

    def assert_not_worse_than(self, base: EvalResult, *, margin: float, score: str = "") -> None:
        """Require that the 95 % interval rules out being worse by `margin` or more.

        Args:
            base: the result to compare with.
            margin: the loss that matters, in units of the score: 0.05 is 5 points of 100.
            score: which score; the first scorer's by default.

        Raises:
            AssertionError: it may be worse; the message is the verdict, and which items changed.
        """
        __tracebackhide__ = True
        if margin < 0:
            raise InvalidArgument("margin: must be 0 or more, such as 0.05", field="margin")
        found = self.compare(base, score=score)
        if not not_worse(found.details, margin):
            loss = found.report.written.size(margin)
            raise AssertionError(f"Not shown to be less than {loss} worse. {found.explanation}")

    def assert_better_than(self, base: EvalResult, *, score: str = "") -> None:
        """Require that the result is better: the 95 % interval and the test agree on it.

        Raises:
            AssertionError: it is not; the message is the verdict, and which items changed.
        """
        __tracebackhide__ = True
        found = self.compare(base, score=score)
        if found.tone != "better":
            raise AssertionError(f"Not shown to be better. {found.explanation}")

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row for each item and epoch: ids, texts, scores, latency and usage.

        The columns are `system` (see `label`), `item`, `epoch`, `cluster`, `group`, `input`,
        `target`, `output`, `error`, `latency_ms`, `calls`, `tokens_in`, `tokens_out`, `usd`, and
        `score_NAME` of each scorer.

        Raises:
            InvalidArgument: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InvalidArgument(f"to_dataframe needs pandas: {EXTRA}") from None
        label = self.label
        return pd.DataFrame(
            {
                "system": label,
                "item": each.item,
                "epoch": each.epoch,
                "cluster": each.cluster,
                "group": each.group,
                "input": each.input,
                "target": each.target,
                "output": each.output,
                "error": each.error,
                "latency_ms": each.latency_ms,
                **{name: each.usage.get(name, 0.0) for name in FIGURES},
                **{f"score_{name}": value for name, value in each.scores.items()},
            }
            for each in self.log.records
        )


@dataclass(frozen=True)
class Comparison:
    """One result compared with another; `report` is what `eval report` renders."""

    report: Report

    @property
    def details(self) -> dict[str, Any]:
        """Everything that `reasonloom eval compare --json` prints of a comparison."""
        return dict(self.report.compared[0].found)

    @property
    def difference(self) -> float:
        """The difference of the mean scores."""
        return float(self.details["difference"])

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference."""
        low, high = self.details["interval"]
        return low, high

    @property
    def p(self) -> float:
        """The p value of the paired test that `details["test"]` names."""
        return float(self.details["p"])

    @property
    def tone(self) -> str:
        """`better`, `worse`, `perhaps` (interval and test disagree), `unclear` or `same`."""
        return self._verdict.tone

    @property
    def verdict(self) -> str:
        """The comparison in a sentence."""
        return self._verdict.headline

    @cached_property
    def _verdict(self) -> Verdict:
        return verdict(self.report, self.report.compared[0])

    @property
    def explanation(self) -> str:
        """The verdict, its remark, the items that changed, and the command that shows them."""
        files = " ".join(run.log.path.name for run in self.report.runs)
        lines = [
            " ".join(filter(None, (self._verdict.headline, self._verdict.remark))),
            *(
                f"became {way}: {_names(self.details['flips'][f'to_{way}'])}"
                for way in ("wrong", "right")
                if self.details["flips"][f"to_{way}"]
            ),
            f"answers side by side: reasonloom eval report {files} --html report.html",
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.verdict


def _names(flips: Sequence[dict[str, Any]]) -> str:
    names = sorted((flip["item"] for flip in flips), key=natural_key)
    named = ", ".join(names[:MOST_NAMED])
    more = len(flips) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else f"{named} ({counted(len(flips), 'item')})"
