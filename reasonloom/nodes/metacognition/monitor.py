"""Compares a monitored call with the same caller's earlier monitored ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from reasonloom.nodes.loom import Execution
from reasonloom.stores.runs import monitored

LOOKED_BACK = 20
"""Earlier calls that are looked at, the newest."""

SHIFTED = 0.1
"""Difference of a bias's confidence from which it is told of."""


async def compared(execution: Execution, biases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what has changed since the caller's last monitored call, and what repeats itself."""
    async with execution.loom.database.begin(execution.caller) as tx:
        earlier = await monitored.last(
            tx,
            tool=execution.run.tool,
            space=execution.caller.space,
            client=execution.caller.client,
            before=execution.run.created_at,
            limit=LOOKED_BACK,
        )
    now = {each["type"]: each["confidence"] for each in biases}
    if not earlier:
        return _changes(0, None, now, now, Counter())
    calls = [{each["type"]: each["confidence"] for each in call.biases} for call in earlier]
    repeated = Counter(bias for call in calls for bias in call if bias in now)
    return _changes(len(earlier), earlier[-1].at.isoformat(), calls[0], now, repeated)


def _changes(
    calls: int,
    since: str | None,
    before: dict[str, float],
    now: dict[str, float],
    repeated: Counter[str],
) -> dict[str, Any]:
    appeared = [bias for bias in now if bias not in before]
    gone = [bias for bias in before if bias not in now]
    shifted = [
        {"type": bias, "before": before[bias], "now": now[bias]}
        for bias in now
        if bias in before and abs(now[bias] - before[bias]) >= SHIFTED
    ]
    told = _told(calls, appeared, gone, shifted, repeated)
    changes = {"appeared": appeared, "gone": gone, "shifted": shifted, "repeated": dict(repeated)}
    return {"calls": calls, **({"since": since} if since else {}), **changes, "told": told}


def _told(
    calls: int,
    appeared: Sequence[str],
    gone: Sequence[str],
    shifted: Sequence[dict[str, Any]],
    repeated: Counter[str],
) -> str:
    if not calls:
        return "This is your first monitored call; later ones are compared with it."
    said = [f"new since your last call: {', '.join(appeared)}"] if appeared else []
    said += [f"gone: {', '.join(gone)}"] if gone else []
    said += [
        f"{each['type']} went from {each['before']:.2f} to {each['now']:.2f}" for each in shifted
    ]
    said += [
        f"{bias} was in {times} of your last {calls} calls"
        for bias, times in repeated.most_common()
        if times > 1
    ]
    return "; ".join(said).capitalize() + "." if said else "Nothing changed since your last call."
