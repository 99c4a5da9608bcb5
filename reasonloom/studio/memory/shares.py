"""What the score of a memory that was recalled is made of: a bar of shares, and the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.nodes.memory.retrieval.nodes_scoring import Parts
from reasonloom.studio.widgets.charts import SERIES
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.contracts.memory.tools import Explanation

NAMES = ("cosine", "words", "tag", "date", "session", "before", "after")
PLAIN = ("salience", "recency", "link")
COLOURS = {
    **dict(zip(NAMES, (*SERIES[:6], SERIES[7]), strict=True)),
    **dict(zip(PLAIN, ("#c06c9a", "#b7a66a", SERIES[6]), strict=True)),
}
LEAST = 0.0005


def shares_of(explained: Explanation) -> dict[str, float]:
    """Return what each signal brings to the score; their sum is the score.

    The similarity is squashed: each of its signals gets its part of what is left by that.
    """
    asked = None if explained.similarity is None else 0.0
    plain = {
        "salience": Parts(explained.salience, 0, 0, asked).score,
        "recency": Parts(0, explained.recency, 0, asked).score,
        "link": Parts(0, 0, explained.link_weight, asked).score,
    }
    if explained.similarity is None:
        return plain
    brought = Parts(0, 0, 0, explained.similarity).score
    signals = explained.signals or {}
    whole = sum(signals.values())
    if whole <= 0:
        return {"similarity": brought, **plain}
    return {**{name: brought * each / whole for name, each in signals.items()}, **plain}


def bar(shares: dict[str, float]) -> None:
    """Draw a bar from 0 to 1 of what adds to the score, and every number below it."""
    shown = {name: share for name, share in shares.items() if abs(share) >= LEAST}
    label = ", ".join(f"{name} {share:.3f}" for name, share in shown.items())
    frame = ui.element("div").classes("studio-shares")
    frame.props.update({"role": "img", "aria-label": f"The score is made of {label}"})
    with frame:
        for name, share in shown.items():
            if share > 0:
                part = ui.element("span")
                part.style(f"width: {min(1.0, share):.2%}; background: {_colour(name)}")
    with ui.element("ul").classes("studio-legend"):
        for name, share in shown.items():
            with ui.element("li"):
                ui.element("i").style(f"background: {_colour(name)}").props("aria-hidden=true")
                tag("span", f"{name} {share:+.3f}" if share < 0 else f"{name} {share:.3f}")


def _colour(name: str) -> str:
    return COLOURS.get(name, SERIES[4])
