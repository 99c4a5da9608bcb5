"""The drawing of a breakdown: what Mermaid takes, whatever the problems say."""

from __future__ import annotations

import re

import pytest

from reasonloom.nodes.thinking.breakdown.dependencies import (
    critical_path,
    predecessors,
    topological_order,
)
from reasonloom.nodes.thinking.breakdown.diagram import LONGEST_CHART, MOST_DRAWN, draw_breakdown
from reasonloom.nodes.thinking.breakdown.state import ROOT, Link, Problem
from tests.nodes.thinking.breakdown.test_order import tree_of

LINE = re.compile(
    r"flowchart TD|p[\d_]+\[\"[^\"\[\]]*\"\](:::\w+)?"
    r"|p[\d_]+ (-->|-\.->\|needs\||==>\|blocks\|) p[\d_]+"
    r"|(more|edges)\[\"\d+ more [\w-]+, not drawn\"\]|classDef .*"
)


def drawn(problems: list[Problem], links: list[Link]) -> str:
    before = predecessors(problems, links)
    return draw_breakdown(
        problems, links, critical_path(problems, before, topological_order(before)).problems
    )


@pytest.mark.parametrize("said", ["plain", "\U0001f600" * 60, '"]; click p0 "x" %% <b>', "1. a: b"])
@pytest.mark.parametrize("count", [1, 8, 199])
def test_every_line_is_one_that_mermaid_takes(said: str, count: int) -> None:
    problems = tree_of([place // 6 for place in range(count)])
    for each in problems:
        each["description"] = said
    ids = [each["id"] for each in problems]
    links = [
        Link(before=one, after=other, type="blocks")
        for far in range(1, 6)
        for one, other in zip(ids, ids[far:], strict=False)
        if one.count("-") == other.count("-")
    ]
    text = drawn(problems, links)
    assert len(text) <= LONGEST_CHART
    assert [line for line in text.splitlines() if not LINE.fullmatch(line)] == []
    assert ("more sub-problems, not drawn" in text) == (count > MOST_DRAWN)


def test_the_critical_path_and_duplicates_look_otherwise() -> None:
    problems = tree_of([0, 0, 0])
    problems[3] |= {"reason": "duplicate", "duplicate_of": f"{ROOT}-0"}
    text = drawn(problems, [Link(before=f"{ROOT}-0", after=f"{ROOT}-1", type="needs")])
    assert 'p0_0["1 p"]:::critical' in text and 'p0_1["2 p"]:::critical' in text
    assert 'p0_2["3 p"]:::duplicate' in text
    assert "p0_0 -.->|needs| p0_1" in text
