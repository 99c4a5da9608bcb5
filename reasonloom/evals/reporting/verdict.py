"""The verdict of a comparison in a sentence or two."""

from dataclasses import dataclass
from typing import Any

from reasonloom.evals.comparison.power import ALPHA
from reasonloom.evals.comparison.statistics import MIN_CLUSTERS, NOT_ESTIMABLE
from reasonloom.evals.reporting.formatting import LARGE, format_change, format_count, format_p
from reasonloom.evals.reporting.report import Compared, Report, ReportedRun
from reasonloom.text.plurals import counted

FRACTION = 0.0005
"""Smaller relative changes count as none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headline of a comparison, and a remark on costs and the smallest detectable difference.

    `tone`: better, worse, perhaps (interval and test disagree), unclear or same.
    """

    tone: str
    headline: str
    remark: str


def verdict(report: Report, each: Compared) -> Verdict:
    """Return the verdict on one run.

    Better or worse requires that the 95 % interval excludes 0 and that the test, corrected for the
    number of runs, has p <= 0.05.
    """
    tone, written = tone_of(report, each), report.written
    headline = _SENTENCES[tone].format(
        run=each.run.label,
        base=report.base.label,
        by=f"{written.by(each.found['difference'])}{written.unit}",
        size=written.size(abs(each.found["difference"])),
        interval=interval_of(report, each, of_size=tone in ("better", "worse")),
        lower="; lower is better" if report.lower else "",
        on=on_items(each.found),
        doubt=_doubt(each.found, len(report.compared)),
    )
    return Verdict(tone, headline, _compared_value(report, each, tone))


_SENTENCES = {
    "better": "{run} is better than {base} by {size} (95 % {interval}{lower}), {on}.",
    "worse": "{run} is worse than {base} by {size} (95 % {interval}{lower}), {on}.",
    "perhaps": "{run} may differ from {base}: {by} (95 % {interval}{lower}), {on}; {doubt}.",
    "unclear": "No difference is shown between {run} and {base}: {by} (95 % {interval}{lower}),"
    " {on}.",
    "same": "{run} has the same score as {base} {on}; a difference of {interval} is still"
    " possible.",
}


def tone_of(report: Report, each: Compared) -> str:
    """Return the tone of a comparison's verdict."""
    found, (low, high) = each.found, each.found["interval"]
    if found["least_effect"] is None and found["difference"] == 0:
        return "same"
    excludes_zero, unlikely = low > 0 or high < 0, found["p_holm"] <= ALPHA
    if excludes_zero and unlikely:
        return "better" if (low > 0) != report.lower else "worse"
    return "perhaps" if excludes_zero or unlikely else "unclear"


def interval_of(report: Report, each: Compared, *, of_size: bool = False) -> str:
    """Return the ends of an interval; `of_size` drops the sign of a difference."""
    if each.found["clusters"] < MIN_CLUSTERS:
        return NOT_ESTIMABLE
    low, high = each.found["interval"]
    if of_size and high < 0:
        low, high = -high, -low
    return " to ".join(report.written.by(end, plus=False) for end in (low, high))


def on_items(found: dict[str, Any]) -> str:
    """Return the number of items, and of clusters if items depend on each other."""
    items, clusters = found["items"], found["clusters"]
    text = f"on {counted(items, 'item')}"
    return text if clusters == items else f"{text} in {format_count(clusters)} clusters"


def _doubt(found: dict[str, Any], runs: int) -> str:
    low, high = found["interval"]
    corrected = f" corrected for {runs} comparisons" if runs > 1 else ""
    interval = "leaves 0 out" if low > 0 or high < 0 else "has 0 in it"
    return f"the interval {interval}, and p{corrected} is {format_p(found['p_holm'])}"


def _compared_value(report: Report, each: Compared, tone: str) -> str:
    found, written = each.found, report.written
    sentences = [_cost(found["costs"])]
    if tone in ("unclear", "perhaps") and found["least_effect"] is not None:
        least = written.size(found["least_effect"])
        sentences.append(f"A difference of {least} would have been found 8 times out of 10.")
    return " ".join(each for each in sentences if each)


def _cost(costs: dict[str, Any]) -> str:
    tokens = [costs["tokens_in"], costs["tokens_out"]]
    base = sum(each["base"] for each in tokens)
    more = sum(each["difference"] for each in tokens)
    parts = [_relative(more / base, "tokens")] if base else []
    if costs["usd"]["base"]:
        parts.append(_relative(costs["usd"]["change"], "money"))
    return f"It takes {' and '.join(parts)}." if parts else ""


def _relative(share: float, of: str) -> str:
    many, less = ("many", "fewer") if of == "tokens" else ("much", "less")
    if abs(share) < FRACTION:
        return f"as {many} {of}"
    if share >= LARGE:
        return f"{format_change(share)} as {many} {of}"
    return f"{format_change(abs(share)).lstrip('+')} {'more' if share > 0 else less} {of}"


def verdict_on_single_run(report: Report, run: ReportedRun) -> str:
    """Return the sentence on a run that is not compared."""
    found = run.summary["scores"][report.score]
    written = report.written
    one = found["clusters"] < MIN_CLUSTERS
    return (
        f"{run.label} scores {written.score(found['mean'])}"
        f" (95 % {NOT_ESTIMABLE if one else written.ends(found['interval'])}),"
        f" on {counted(found['items'], 'item')}."
    )
