"""Four streams in columns: insights of each quarter or round, and reactions to each other."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from nicegui import ui

from reasonloom.studio.widgets.elements import tag

MOST = 60
"""Maximum insights and reactions drawn per quarter."""

QUARTERS = 4


def streams(
    names: Sequence[str], quarters: Sequence[Mapping[str, Any]], *, rounds: bool = False
) -> None:
    """Draw each quarter or round as a row of columns, one per stream, after the reactions."""
    part = "Round" if rounds else "Quarter"
    ordered = sorted(quarters, key=lambda each: each["quarter"])
    last = ordered[-1]["quarter"] if ordered else 0
    for quarter, group in groupby(ordered, key=lambda each: each["quarter"]):
        heard = {each["stream"]: each for each in group}
        before = f"after round {quarter - 1}" if rounds else _percent(quarter - 1)
        _crossed(
            quarter, before, [one for each in heard.values() for one in each.get("reactions", [])]
        )
        tag("h3", f"{part} {quarter}", "studio-quarter")
        with ui.element("div").classes("studio-streams"):
            for name in names:
                _column(name, heard.get(name), last=quarter == last)


def _column(name: str, answer: Mapping[str, Any] | None, *, last: bool) -> None:
    with ui.element("section").classes(f"studio-stream {name}"):
        tag("h4", name)
        if answer is None:
            tag("p", "It did not come to this.", "studio-quiet")
            return
        if "fault" in answer:
            tag("p", f"It failed: {answer['fault'].get('message', '')}", "studio-away", dir="auto")
            return
        with ui.element("ul").classes("studio-list"):
            for each in answer["insights"][:MOST]:
                with tag("li", "", ""):
                    tag("span", each["content"], dir="auto")
                    weight = f" ({each['importance']:.2f} important, {each['confidence']:.2f} sure)"
                    tag("span", weight, "studio-quiet studio-small")
        if last and answer.get("conclusion"):
            tag("p", answer["conclusion"], "studio-conclusion", dir="auto")


def _percent(quarters: int) -> str:
    return f"at {100 * quarters // QUARTERS} %"


def _crossed(quarter: int, before: str, reactions: Sequence[Mapping[str, Any]]) -> None:
    """Draw the reactions of streams to the previous quarter."""
    if quarter == 1:
        return
    with ui.element("section").classes("studio-crossed"):
        tag("h3", f"What crossed {before}")
        if not reactions:
            tag("p", "Nobody answered what the others had said.", "studio-quiet")
            return
        with ui.element("ul").classes("studio-list"):
            for each in reactions[:MOST]:
                with ui.element("li"):
                    tag("strong", f"{each['by']} {_verb(each['stance'])} {each['to']}")
                    tag("span", f": {_about(each)}", dir="auto")
        if len(reactions) > MOST:
            tag("p", f"{len(reactions) - MOST} more are not shown.", "studio-quiet")


def _verb(stance: str) -> str:
    return {"agree": "agrees with", "disagree": "disagrees with", "builds_on": "builds on"}.get(
        stance, f"{stance}s"
    )


def _about(reaction: Mapping[str, Any]) -> str:
    quote = f"“{reaction['quote']}” " if reaction.get("quote") else ""
    return f"{quote}{reaction.get('why') or ''}".strip()
