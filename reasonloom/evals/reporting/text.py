"""Renders a report as plain text to be committed: equal runs give equal lines.

One figure per line, in a fixed order; nothing is aligned, dated, or measured by a clock.
"""

from collections.abc import Iterator
from typing import Any

from reasonloom.evals.comparison.changes import prompt_text, text_difference
from reasonloom.evals.reporting.facts import cost_name, run_facts
from reasonloom.evals.reporting.formatting import MINUS, escape_hidden, shortened_line
from reasonloom.evals.reporting.items import OUTCOMES, item_rows
from reasonloom.evals.reporting.report import Compared, Report, ReportedRun
from reasonloom.evals.reporting.verdict import verdict, verdict_on_single_run

WIDEST = 300
"""Displayed characters of a text."""

BY_CLOCK = ("latency_ms",)
OMITTED = ("file",)
"""Facts that differ between two runs of one system."""


def render_text(report: Report) -> str:
    """Return a report as text."""
    lines = [f"# {report.title}", "", *_opening(report)]
    for run in report.runs:
        lines += ["", *_run(report, run)]
    for each in report.compared:
        lines += ["", *_compared(report, each)]
    lines += ["", *_items(report)]
    return "\n".join(escape_hidden(line).replace("\n", "␊").rstrip() for line in lines) + "\n"


def _opening(report: Report) -> list[str]:
    """Return the verdicts, with ASCII minus signs."""
    found = [verdict(report, each) for each in report.compared]
    sentences = [sentence for each in found for sentence in (each.headline, each.remark)]
    if not found:
        sentences = [verdict_on_single_run(report, report.base)]
    return [sentence.replace(MINUS, "-") for sentence in sentences if sentence]


def _run(report: Report, run: ReportedRun) -> Iterator[str]:
    role = " (base)" if report.compared and run is report.base else ""
    yield f"## {run.label}{role}"
    yield ""
    for name, score in run.summary["scores"].items():
        low, high = score["interval"]
        yield f"score {name}: {score['mean']:.4f}"
        yield f"score {name} 95 %: {low:.4f} to {high:.4f}"
        yield f"score {name} items: {score['items']}"
    for name, value in run.summary["figures"].items():
        yield f"figure {name}: {value:.4f}"
    for name, value in run.summary["usage"].items():
        if value:
            yield f"in all, {cost_name(name, run)}: {value:.10g}"
    for name, fact in run_facts(run).facts:
        if name not in OMITTED:
            yield f"{name}: {fact}"
    if not report.compared:
        yield from (f"note: {note}" for note in run.summary["notes"])


def _compared(report: Report, each: Compared) -> Iterator[str]:
    yield f"## {each.run.label} against {report.base.label}"
    yield ""
    yield from _figures(report, each.found)
    for name, cost in each.found["costs"].items():
        if name not in BY_CLOCK and (cost["base"] or cost["run"]):
            yield from _cost(cost_name(name, report.base, each.run), cost)
    yield from (f"note: {note}" for note in each.found["notes"])
    for prompt in each.found["prompts"]:
        yield from ("", *_prompt(report, each, prompt["prompt"]))
    for way in ("to_wrong", "to_right"):
        flips = each.found["flips"][way]
        yield from ("", f"### {_named(way)}: {len(flips)} of {each.found['items']}")
        for flip in flips:
            yield from ("", *_flip(flip))


def _figures(report: Report, found: dict[str, Any]) -> Iterator[str]:
    low, high = found["interval"]
    yield f"compared by: {report.score}, {report.reducer} of epochs"
    if report.lower:
        yield "better: lower"
    yield f"items: {found['items']}"
    yield f"clusters: {found['clusters']}"
    yield f"base score: {found['base_score']:.4f}"
    yield f"score: {found['score']:.4f}"
    yield f"difference: {found['difference']:+.4f}"
    yield f"difference 95 %: {low:+.4f} to {high:+.4f}"
    yield f"p: {found['p']:.4f}, {found['test']}"
    if len(report.compared) > 1:
        yield f"p after Holm, of {len(report.compared)}: {found['p_holm']:.4f}"
    if table := found["mcnemar"]:
        yield f"McNemar exact: {table['exact']:.4f}"
        yield f"McNemar mid-p: {table['mid_p']:.4f}"
    if found["least_effect"] is not None:
        yield f"found 8 times out of 10: {found['least_effect']:.4f}"


def _cost(name: str, cost: dict[str, Any]) -> Iterator[str]:
    low, high = cost["interval"]
    yield f"{name} an item: {cost['base']:.6g} to {cost['run']:.6g}"
    more = "" if cost["change"] is None else f", {cost['change']:+.1%}"
    yield f"{name} difference: {cost['difference']:+.6g}{more}"
    yield f"{name} difference 95 %: {low:+.4g} to {high:+.4g}"


def _prompt(report: Report, each: Compared, name: str) -> Iterator[str]:
    before, after = (prompt_text(run.log.head, name) for run in (report.base, each.run))
    yield from (f"### prompt {name}", "", *text_difference(before, after, name))


def _flip(flip: dict[str, Any]) -> Iterator[str]:
    yield f"{shortened_line(flip['item'], 80)}: {flip['base_score']:.4f} to {flip['run_score']:.4f}"
    yield f"  asked: {shortened_line(flip['input'], WIDEST)}"
    if flip["target"] is not None:
        yield f"  right: {shortened_line(flip['target'], WIDEST)}"
    for side in ("base", "run"):
        first = flip[side][0]
        yield f"  {side}: {shortened_line(first['error'] or first['output'], WIDEST)}"


def _items(report: Report) -> Iterator[str]:
    """Yield a line per item, sorted by name, so that a changed item changes one line."""
    found = item_rows(report)
    yield from (f"## items: {len(found)}", "")
    for row in sorted(found, key=lambda row: row.key):
        scores = ["none" if score is None else f"{score:.4f}" for score in row.scores]
        flips = [_named(way) for way in row.ways if way in OUTCOMES[:2]]
        outcome = f" ({', '.join(flips)})" if flips else ""
        yield f"{shortened_line(row.item, 80)}: {' to '.join(scores)}{outcome}"


def _named(way: str) -> str:
    return f"became {way.removeprefix('to_')}"
