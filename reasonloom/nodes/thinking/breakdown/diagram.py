"""Draws a breakdown as a Mermaid flowchart: tree, dependencies and critical path.

Mermaid rejects more than 50,000 characters or 500 edges, so of a large tree only the upper levels
are drawn, and the chart states how much is omitted.
"""

from collections.abc import Collection, Iterator, Sequence

from reasonloom.nodes.thinking.breakdown.state import Link, Problem, outline, place_of
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

MOST_DRAWN = 100
MOST_EDGES = 300
LONGEST_CHART = 45_000
LONGEST_LABEL = 48
LINES = {"needs": "-.->|needs|", "blocks": "==>|blocks|"}
LOOKS = (
    "classDef critical stroke:red,stroke-width:3px",
    "classDef duplicate opacity:0.4,stroke-dasharray:4",
)


def draw_breakdown(
    problems: Sequence[Problem], links: Sequence[Link], critical: Collection[str]
) -> str:
    """Return the source of the flowchart."""
    most = MOST_DRAWN
    while len(text := "\n".join(_lines(problems, links, critical, most))) > LONGEST_CHART:
        most //= 2
    return text


def _lines(
    problems: Sequence[Problem], links: Sequence[Link], critical: Collection[str], most: int
) -> Iterator[str]:
    first = sorted(problems, key=lambda each: (each["depth"], place_of(each["id"])))[:most]
    drawn = {each["id"] for each in first}
    yield "flowchart TD"
    for each in first:
        look = ":::duplicate" if "duplicate_of" in each else ""
        look = ":::critical" if each["id"] in critical else look
        yield f"{_name(each['id'])}{_label(each)}{look}"
    for each in first:
        if each["parent"]:
            yield f"{_name(each['parent'])} --> {_name(each['id'])}"
    edges = [each for each in links if {each["before"], each["after"]} <= drawn]
    for link in edges[:MOST_EDGES]:
        yield f"{_name(link['before'])} {LINES[link['type']]} {_name(link['after'])}"
    if len(problems) > len(first):
        yield f'more["{len(problems) - len(first)} more sub-problems, not drawn"]'
    if len(edges) > MOST_EDGES:
        yield f'edges["{len(edges) - MOST_EDGES} more dependencies, not drawn"]'
    yield from LOOKS


def _name(problem_id: str) -> str:
    return "p" + "_".join(str(each) for each in place_of(problem_id))


def _label(problem: Problem) -> str:
    label = in_mermaid(shortened(problem["description"], LONGEST_LABEL))
    return f'["{in_mermaid(outline(problem["id"]))} {label}"]'
