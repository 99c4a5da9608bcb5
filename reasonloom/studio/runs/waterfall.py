"""A run as a waterfall: each step and each call of a language model on a time axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from nicegui import ui

from reasonloom.stores.runs.run_lineage import RunStep
from reasonloom.studio.widgets.elements import tag

MAX_BARS = 120
"""Bars drawn; a search may have made hundreds of calls."""

MIN_WIDTH = 0.4
"""Minimum width of a bar, in per cent."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its time span, kind and note."""

    name: str
    begun: datetime
    ended: datetime
    kind: str
    note: str = ""

    @property
    def ms(self) -> float:
        """Its duration in milliseconds."""
        return (self.ended - self.begun) / timedelta(milliseconds=1)


def bars_of(steps: Sequence[RunStep], calls: Sequence[Mapping[str, Any]]) -> list[Bar]:
    """Return steps and calls as bars, sorted by start; at equal times, steps before calls."""
    bars = [Bar(step.name, step.begun, step.ended, "step") for step in steps]
    bars += map(_call, calls)
    return sorted(bars, key=lambda bar: (bar.begun, bar.kind != "step"))


def _call(call: Mapping[str, Any]) -> Bar:
    ended = call["created_at"]
    cost = "" if call["cost_usd"] is None else f", ${call['cost_usd']:.4f}"
    tokens = call["tokens_in"] + call["tokens_out"]
    return Bar(
        f"{call['prompt']} v{call['prompt_version']}",
        ended - timedelta(milliseconds=call["latency_ms"]),
        ended,
        "call",
        f"{tokens:,} tokens{cost}",
    )


def waterfall(bars: Sequence[Bar]) -> None:
    """Draw bars on a common time axis, with the times also as text."""
    first = min(bar.begun for bar in bars)
    whole = max((max(bar.ended for bar in bars) - first).total_seconds(), 1e-3)
    label = f"Steps and calls over {whole * 1000:,.0f} milliseconds"
    with tag("ol", "", "studio-waterfall", aria_label=label):
        for bar in bars[:MAX_BARS]:
            with tag("li", "", bar.kind):
                tag("span", bar.name, "studio-bar-name", dir="auto")
                with tag("span", "", "studio-bar-way", aria_hidden="true"):
                    left = 100 * (bar.begun - first).total_seconds() / whole
                    wide = max(MIN_WIDTH, bar.ms / whole / 10)
                    at = f"left:{min(left, 100 - MIN_WIDTH):.2f}%;width:{wide:.2f}%"
                    tag("span", "", f"studio-bar {bar.kind}").style(at)
                tag("span", " · ".join(_captions(bar)), "studio-bar-beside")
    if len(bars) > MAX_BARS:
        tag("p", f"{len(bars) - MAX_BARS:,} more bars are not drawn.", "studio-quiet")
    with ui.element("p").classes("studio-quiet studio-small"):
        tag("span", "", "studio-bar step studio-key", aria_hidden="true")
        tag("span", " a step, including waits   ")
        tag("span", "", "studio-bar call studio-key", aria_hidden="true")
        tag("span", " a call of a language model")


def _captions(bar: Bar) -> Iterator[str]:
    yield f"{bar.ms:,.0f} ms" if bar.ms >= 1 else f"{bar.ms:.1f} ms"
    if bar.note:
        yield bar.note
