"""Renders a report as one self-contained HTML page that runs only its own script."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reasonloom.evals.comparison.changes import is_right
from reasonloom.evals.reporting import formatting
from reasonloom.evals.reporting.comparison import comparison_parts
from reasonloom.evals.reporting.facts import Facts, run_facts, usage_facts
from reasonloom.evals.reporting.formatting import DisplayBudget, escape_hidden, shortened_line
from reasonloom.evals.reporting.items import MAX_ITEMS, DisplayedItem, Row, item_rows, worst_items
from reasonloom.evals.reporting.matrix import answer_diffs
from reasonloom.evals.reporting.report import Report
from reasonloom.evals.reporting.verdict import verdict_on_single_run

STEPS = 5
"""Approximate number of steps of an axis."""

LEAST = 1e-4
"""Minimum step of an axis: a hundredth of a point."""

EDGE = 5.0
"""Per cent of the width left free on either side."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high` with its ticks."""

    low: float
    high: float
    ticks: Sequence[float]

    def at(self, value: float) -> str:
        """Return the position of a value in per cent of the width."""
        share = (value - self.low) / (self.high - self.low)
        return f"{EDGE + share * (100 - 2 * EDGE):.3f}%"


def axis(values: Sequence[float]) -> Axis:
    """Return an axis that covers all values, with round ticks."""
    low, high = min(values), max(values)
    step = _round_step(max((high - low) / STEPS, LEAST))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(place * step, 10) for place in range(first, last + 1)]
    if len(ticks) == 1:
        ticks = [ticks[0] - step, ticks[0], ticks[0] + step]
    return Axis(ticks[0], ticks[-1], ticks)


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= least * (1 - 1e-9))


WAYS = {
    "to_wrong": "became wrong", "to_right": "became right", "other": "changed otherwise",
    "wrong": "wrong", "right": "right",
}  # fmt: skip


def render_html(report: Report) -> str:
    """Return a report as HTML; untrusted text is escaped, its hidden characters made visible."""
    environment = _environment(report.written)
    environment.filters["passes"] = lambda score: is_right(score, report.lower)
    style, script = (_source(environment, name) for name in ("style.css", "filter.js"))
    common = {
        "report": report,
        "reduced": "" if report.reducer == "mean" else f" ({report.reducer} of epochs)",
        "style": Markup(style),  # noqa: S704  # a file of the package
        "script": Markup(script),  # noqa: S704  # likewise
        "policy": content_security_policy(style, script),
        "runs": [_run_context(each) for each in map(run_facts, report.runs)],
    }
    if report.compared:
        return environment.get_template("comparison.html").render(common | _comparison(report))
    return environment.get_template("single.html").render(common | _single(report))


def content_security_policy(style: str, script: str) -> str:
    """Return the policy that allows this style and this script, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _environment(written: formatting.ScoreFormat) -> Environment:
    environment = Environment(
        loader=PackageLoader("reasonloom.evals.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        # Hidden characters become visible in everything that templates print except their own
        # markup.
        finalize=lambda value: escape_hidden(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        **{name: getattr(written, name) for name in ("score", "mark", "ends", "by", "tick")},
        "together": formatting.no_break,
        "change": formatting.format_change,
        "chance": formatting.format_p,
        "number": formatting.format_number,
        "count": formatting.format_count,
        "short": shortened_line,
    }
    return environment


def _source(environment: Environment, name: str) -> str:
    return environment.loader.get_source(environment, name)[0] if environment.loader else ""


def _comparison(report: Report) -> dict[str, Any]:
    found = comparison_parts(report)
    ends = [end for part in found for end in part.found["interval"]]
    anchors = {
        f"{way}-{part.place}-{place}": item
        for part in found
        for way, some in part.flips.items()
        for place, item in enumerate(some.displayed, 1)
    }
    return {"parts": found, "axis": axis([0.0, *ends]), **_items(report, anchors)}


def _single(report: Report) -> dict[str, Any]:
    scores = report.base.summary["scores"]
    some = worst_items(report, DisplayBudget())
    anchors = {f"answer-{place}": item for place, item in enumerate(some.displayed, 1)}
    return {
        "headline": verdict_on_single_run(report, report.base),
        "displayed": some,
        "took": usage_facts(report.base),
        "axis": axis([0.0, 1.0, *(end for score in scores.values() for end in score["interval"])]),
        "plots": {name: _plot(report, name, score) for name, score in scores.items()},
        **_items(report, anchors),
    }


def _plot(report: Report, name: str, score: dict[str, Any]) -> str:
    written = report.written
    return (
        f"{name}: {written.score(score['mean'])}, 95 % interval {written.ends(score['interval'])},"
        f" on {formatting.format_count(score['items'])} items"
    )


def _items(report: Report, displayed: dict[str, DisplayedItem]) -> dict[str, Any]:
    """Return the rows, the anchors of displayed items, and the outcomes that occur."""
    every: list[Row] = item_rows(report)
    rows = every[:MAX_ITEMS]
    anchors: dict[str, str] = {}
    for anchor, item in displayed.items():
        anchors.setdefault(item.item, anchor)
    known = {way for row in every for way in row.ways}
    return {
        "rows": rows,
        "diffs": answer_diffs(report, rows),
        "rows_of": len(every),
        "anchors": anchors,
        "ways": [(way, name) for way, name in WAYS.items() if way in known],
    }


def _run_context(found: Facts) -> dict[str, Any]:
    room = DisplayBudget()
    return {
        "label": found.label,
        "facts": found.facts,
        "texts": [(name, room.cut(text, most=20_000)) for name, text in found.texts],
    }
