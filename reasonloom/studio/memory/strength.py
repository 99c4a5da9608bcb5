"""The strength of a memory over time, computed by the decay formula."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from reasonloom.errors import MemoryNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import decay
from reasonloom.stores.memory.decay import FLOOR
from reasonloom.stores.memory.memory_lists import OneMemory
from reasonloom.studio.widgets.charts import INK, SERIES, chart
from reasonloom.studio.widgets.elements import short_moment, table, tag

AHEAD = {"now": 0, "in a week": 7, "in a month": 30, "in three months": 91, "in a year": 365}
STEPS = 60
NARROW = 0.12
"""The share of the width below which two labels would overlap."""

DAY = 86_400.0

Curve = Sequence[tuple[datetime, float]]


class Decay(NamedTuple):
    """Strength over time: a curve back to the last access and ahead, and a few named points."""

    curve: Curve
    short: Sequence[tuple[str, datetime, float]]


async def decay_of(tx: Transaction, memory: OneMemory, now: datetime) -> Decay:
    """Compute a memory's strength from its last access to a year from now."""
    known = await decay.strength_basis(tx, memory.id)
    if known is None:
        raise MemoryNotFound(f"mem-{memory.id}", field="memoryId")
    moments = [now + timedelta(days=days) for days in AHEAD.values()]
    begun = min(known.since, now)
    span = moments[-1] - begun
    steps = [begun + span * (step / STEPS) for step in range(STEPS + 1)]
    ahead = await decay.strength_at(tx, memory.id, steps)
    short = await decay.strength_at(tx, memory.id, moments)
    names = [(name, when, value) for name, (when, value) in zip(AHEAD, short, strict=True)]
    return Decay([*_before(memory, known), *ahead], names)


def _before(memory: OneMemory, known: decay.StrengthBasis) -> list[tuple[datetime, float]]:
    """Compute back from the stored strength; impossible once that has reached the floor."""
    days = (known.since - memory.last_accessed).total_seconds() / DAY
    if days <= 0 or known.strength <= FLOOR:
        return []
    back = [days * (1 - step / STEPS) for step in range(STEPS)]
    return [
        (known.since - timedelta(days=each), min(1.0, known.strength * math.exp(known.rate * each)))
        for each in back
    ]


def draw_strength(memory: OneMemory, found: Decay, now: datetime) -> None:
    """Draw the curve, its unknown part, and its numbers."""
    tag("p", _description(memory), "studio-quiet studio-small")
    end = found.short[-1][1]
    when = _moments(memory, now, (end - memory.created_at) * NARROW)
    options = {
        "grid": {"left": 44, "right": 20, "top": 36, "bottom": 30},
        "xAxis": {
            "type": "time",
            "axisLabel": {"color": INK},
            "min": _ms(memory.created_at),
            "max": _ms(end),
        },
        "yAxis": {
            "type": "value",
            "min": 0,
            "max": 1,
            "axisLabel": {"color": INK},
            "splitLine": {"lineStyle": _faint()},
        },
        "tooltip": {"trigger": "axis"},
        "series": [_line(found.curve, when, memory)],
    }
    last = found.short[-1][2]
    chart(options, f"Strength from storing to a year ahead, then {last:.2f}", height="15rem")
    rows = [(name, short_moment(at), f"{value:.3f}") for name, at, value in found.short]
    table("If nobody reads it until then. Times are UTC.", ("when", "time", "#strength"), rows)


def _moments(memory: OneMemory, now: datetime, narrow: timedelta) -> dict[str, datetime]:
    """Return events by time; overlapping ones share a label."""
    known = {"stored": memory.created_at, "last access": memory.last_accessed, "now": now}
    if not memory.access_count:
        del known["last access"]
    names: list[tuple[str, datetime]] = []
    for name, at in known.items():
        if names and at - names[-1][1] < narrow:
            names[-1] = (f"{names[-1][0]}, {name}", names[-1][1])
        else:
            names.append((name, at))
    return dict(names)


def _description(memory: OneMemory) -> str:
    reckoned = "Computed by the formula by which memories fade, from the strength that is stored."
    if not memory.access_count:
        return f"{reckoned} It was never accessed."
    return (
        f"{reckoned} Of its {memory.access_count:,} accesses only the last one's time is kept: "
        "how strong it was before is not known, and not drawn."
    )


def _line(curve: Curve, when: dict[str, datetime], memory: OneMemory) -> dict[str, Any]:
    unknown = [[{"xAxis": _ms(memory.created_at)}, {"xAxis": _ms(memory.last_accessed)}]]
    return {
        "type": "line",
        "name": "strength",
        "showSymbol": False,
        "lineStyle": {"width": 2.5, "color": SERIES[0]},
        "data": [[_ms(at), round(value, 4)] for at, value in curve],
        "markLine": {
            "silent": True,
            "symbol": "none",
            "lineStyle": {"color": INK, "type": "dashed"},
            "label": {"color": INK, "formatter": "{b}", "align": "left"},
            "data": [{"name": name, "xAxis": _ms(at)} for name, at in when.items()],
        },
        "markArea": {
            "silent": True,
            "itemStyle": {"color": INK, "opacity": 0.12},
            "data": unknown if memory.access_count else [],
        },
    }


def _faint() -> dict[str, Any]:
    return {"color": INK, "opacity": 0.25}


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
