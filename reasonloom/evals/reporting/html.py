"""A report as one page of HTML that asks for nothing outside and runs only its own script."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reasonloom.evals.reporting import formatting
from reasonloom.evals.reporting.comparison import parts
from reasonloom.evals.reporting.facts import Facts, facts, took
from reasonloom.evals.reporting.flips import Shown, worst
from reasonloom.evals.reporting.items import MOST, Row, rows
from reasonloom.evals.reporting.plot import axis
from reasonloom.evals.reporting.report import Report
from reasonloom.evals.reporting.shown import Room, short, visible
from reasonloom.evals.reporting.verdict import alone

WAYS = {
    "to_wrong": "became wrong",
    "to_right": "became right",
    "other": "changed otherwise",
    "wrong": "wrong",
    "right": "right",
}


def page(report: Report) -> str:
    """Return a report as HTML; every text of others is escaped, and its hidden characters shown."""
    environment = _environment(report.written)
    style, script = (_source(environment, name) for name in ("style.css", "filter.js"))
    common = {
        "report": report,
        "reduced": "" if report.reducer == "mean" else f" ({report.reducer} of epochs)",
        "style": Markup(style),  # noqa: S704  # a file of the package
        "script": Markup(script),  # noqa: S704  # likewise
        "policy": policy(style, script),
        "runs": [_told(each) for each in map(facts, report.runs)],
    }
    if report.compared:
        return environment.get_template("comparison.html").render(common | _comparison(report))
    return environment.get_template("single.html").render(common | _single(report))


def policy(style: str, script: str) -> str:
    """Return the policy that lets this style and this script in, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _environment(written: formatting.Written) -> Environment:
    environment = Environment(
        loader=PackageLoader("reasonloom.evals.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "score": written.score,
        "mark": written.mark,
        "ends": written.ends,
        "by": written.by,
        "tick": written.tick,
        "together": formatting.together,
        "change": formatting.change,
        "chance": formatting.chance,
        "number": formatting.number,
        "count": formatting.count,
        "short": short,
    }
    return environment


def _finalized(value: Any) -> Any:
    """Show hidden characters in all that templates print; markup of their own stays."""
    return visible(value) if type(value) is str else value


def _source(environment: Environment, name: str) -> str:
    return environment.loader.get_source(environment, name)[0] if environment.loader else ""


def _comparison(report: Report) -> dict[str, Any]:
    found = parts(report)
    ends = [end for part in found for end in part.found["interval"]]
    shown = {
        f"{way}-{part.place}-{place}": item
        for part in found
        for way, some in part.flips.items()
        for place, item in enumerate(some.shown, 1)
    }
    return {"parts": found, "axis": axis([0.0, *ends]), **_items(report, shown)}


def _single(report: Report) -> dict[str, Any]:
    scores = report.base.summary["scores"]
    some = worst(report, Room())
    shown = {f"answer-{place}": item for place, item in enumerate(some.shown, 1)}
    return {
        "said": alone(report, report.base),
        "shown": some,
        "took": took(report.base),
        "axis": axis([0.0, 1.0, *(end for score in scores.values() for end in score["interval"])]),
        "plots": {name: _plot(report, name, score) for name, score in scores.items()},
        **_items(report, shown),
    }


def _plot(report: Report, name: str, score: dict[str, Any]) -> str:
    written = report.written
    return (
        f"{name}: {written.score(score['mean'])}, 95 % interval {written.ends(score['interval'])},"
        f" on {formatting.count(score['items'])} items"
    )


def _items(report: Report, shown: dict[str, Shown]) -> dict[str, Any]:
    """Return the rows, the anchors of items that are shown, and the ways that there are."""
    every: list[Row] = rows(report)
    anchors: dict[str, str] = {}
    for anchor, item in shown.items():
        anchors.setdefault(item.item, anchor)
    known = {way for row in every for way in row.ways}
    return {
        "rows": every[:MOST],
        "rows_of": len(every),
        "anchors": anchors,
        "ways": [(way, name) for way, name in WAYS.items() if way in known],
    }


def _told(found: Facts) -> dict[str, Any]:
    room = Room()
    return {
        "label": found.label,
        "facts": found.facts,
        "texts": [(name, room.cut(text, most=20_000)) for name, text in found.texts],
    }
