"""One comparison as displayed on a page, and the wording differences of its prompts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from reasonloom.evals.comparison.changes import prompt_text
from reasonloom.evals.reporting.facts import MISSING, comparison_costs, version_text
from reasonloom.evals.reporting.formatting import ROOM, DisplayBudget
from reasonloom.evals.reporting.items import DisplayedItems, count_outcomes, flipped_items
from reasonloom.evals.reporting.report import Compared, Report
from reasonloom.evals.reporting.verdict import Verdict, interval_of, on_items, verdict

AROUND = 3
"""Displayed lines around a change."""

WORDS = re.compile(r"\w+|\s+|[^\w\s]")
LONGEST = 2_000
"""Longer lines are not compared word by word."""

ALIKE = 0.4
"""Share of common words from which a line counts as an edit of another."""

Pieces = Sequence[tuple[bool, str]]
"""Parts of a line, each with whether it changed."""


@dataclass(frozen=True, slots=True)
class Line:
    """An unchanged (`same`), removed (`gone`) or added (`new`) line, or a `gap` between them."""

    kind: str
    pieces: Pieces = ()


def diff_wording(base: dict[str, Any], run: dict[str, Any], name: str) -> list[Line]:
    """Return the difference of a prompt's text between two run heads."""
    before, after = (prompt_text(head, name).splitlines() for head in (base, run))
    found: list[Line] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(AROUND):
        if found:
            found.append(Line("gap"))
        for kind, start, end, new_start, new_end in group:
            gone, new = before[start:end], after[new_start:new_end]
            found += (
                [_whole("same", each) for each in gone] if kind == "equal" else _edit(gone, new)
            )
    return found


def _whole(kind: str, line: str) -> Line:
    return Line(kind, ((False, line),))


def _edit(gone: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    """Yield removed and added lines; the n-th of both are compared word by word."""
    pairs = [word_difference(one, two) for one, two in zip(gone, new, strict=False)]
    yield from (Line("gone", one) for one, _ in pairs)
    yield from (_whole("gone", each) for each in gone[len(pairs) :])
    yield from (Line("new", two) for _, two in pairs)
    yield from (_whole("new", each) for each in new[len(pairs) :])


def word_difference(one: str, two: str) -> tuple[Pieces, Pieces]:
    """Return both texts in pieces, with changed words separated; whole if they are too unlike."""
    before, after = WORDS.findall(one), WORDS.findall(two)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if max(len(one), len(two)) > LONGEST or matcher.ratio() < ALIKE:
        return ((False, one),), ((False, two),)
    codes = matcher.get_opcodes()
    return (
        [(kind != "equal", "".join(before[a:b])) for kind, a, b, _, _ in codes if b > a],
        [(kind != "equal", "".join(after[c:d])) for kind, _, _, c, d in codes if d > c],
    )


MOST_LINES = 1_000
"""Displayed lines of a prompt's difference."""


@dataclass(frozen=True, slots=True)
class PromptDiff:
    """How one prompt differs: its versions, and its lines up to a limit."""

    name: str
    before: str
    after: str
    lines: Sequence[Line]
    left_out: int

    @property
    def alone(self) -> str:
        """Which run alone uses it; empty if both do."""
        if MISSING not in (self.before, self.after):
            return ""
        return (
            "only this run asks with it" if self.before == MISSING else "only the base asks with it"
        )


@dataclass(frozen=True, slots=True)
class ComparisonPart:
    """One comparison on a page; `plot` is the text alternative of its chart."""

    place: int
    label: str
    found: dict[str, Any]
    plans: Sequence[dict[str, Any]]
    verdict: Verdict
    plot: str
    counts: Mapping[str, Any]
    flips: Mapping[str, DisplayedItems]
    costs: Sequence[tuple[str, dict[str, Any]]]
    prompts: Sequence[PromptDiff]


def comparison_parts(report: Report) -> list[ComparisonPart]:
    """Return the parts of every comparison; they share the page's budget for transcripts."""
    share = ROOM // (2 * len(report.compared))
    return [
        ComparisonPart(
            place=place,
            label=each.run.label,
            found=each.found,
            plans=each.plans,
            verdict=verdict(report, each),
            plot=_plot(report, each),
            counts=count_outcomes(report, each),
            flips={
                way: flipped_items(report, each, way, DisplayBudget(share))
                for way in ("to_wrong", "to_right")
            },
            costs=comparison_costs(each.found, report.base, each.run),
            prompts=[_wording(report, each, prompt["prompt"]) for prompt in each.found["prompts"]],
        )
        for place, each in enumerate(report.compared, 1)
    ]


def _plot(report: Report, each: Compared) -> str:
    written = report.written
    return (
        f"{each.run.label} against {report.base.label}:"
        f" {written.by(each.found['difference'])}{written.unit},"
        f" 95 % interval {interval_of(report, each)}, {on_items(each.found)}"
    )


def _wording(report: Report, each: Compared, name: str) -> PromptDiff:
    before, after = report.base.log.head, each.run.log.head
    lines = diff_wording(before, after, name)
    return PromptDiff(
        name=name,
        before=_version(before, name),
        after=_version(after, name),
        lines=lines[:MOST_LINES],
        left_out=max(0, len(lines) - MOST_LINES),
    )


def _version(head: dict[str, Any], name: str) -> str:
    return version_text((head.get("prompts") or {}).get(name, {}))
