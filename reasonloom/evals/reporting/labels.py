"""Names for runs by what tells them apart: prompts' versions, the way, the language model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from reasonloom.evals.log import EvalLog
from reasonloom.evals.reporting.shown import short

MOMENT = re.compile(r"-[0-9]{8}T[0-9]{6}(-[0-9]+)?")
"""What the command adds to a file's name; it says nothing of the run."""

MOST_PROMPTS = 2
"""Prompts that a label names; more are no name."""

LONGEST = 80
PROMPT = "prompt:"


def labels(logs: Sequence[EvalLog]) -> list[str]:
    """Return a name for each run, no two alike."""
    told = [_told(log.head) for log in logs]
    alike = {part for part in set().union(*told) if len({each.get(part) for each in told}) == 1}
    if len(logs) == 1:
        alike = {"seed", "epochs"}
    found = [_joined(each, alike) for each in told]
    if not all(found) or len(set(found)) < len(found):
        found = [MOMENT.sub("", log.path.stem) for log in logs]
    found = [short(name, LONGEST) for name in found]
    return [
        f"{name} ({found[:place].count(name) + 1})" if found.count(name) > 1 else name
        for place, name in enumerate(found)
    ]


def _joined(told: dict[str, str], alike: set[str]) -> str:
    apart = {part: text for part, text in told.items() if part not in alike}
    if sum(part.startswith(PROMPT) for part in apart) > MOST_PROMPTS:
        apart = {part: text for part, text in apart.items() if not part.startswith(PROMPT)}
    return ", ".join(apart.values())


def _told(head: dict[str, Any]) -> dict[str, str]:
    """Return what may tell a run apart, by kind."""
    system = head.get("system") or {}
    prompts = head.get("prompts") or {}
    told = {
        f"{PROMPT}{name}:{each.get('hash')}": f"{name} v{each.get('version')}"
        for name, each in prompts.items()
    }
    way = way_of(head)
    return {
        **({"way": way} if way and way not in prompts else {}),
        **told,
        **({"llm": str(system["llm"])} if system.get("llm") else {}),
        **({"arguments": short(system["arguments"], 40)} if system.get("arguments") else {}),
        **{name: f"{name} {head[name]}" for name in ("seed", "epochs") if name in head},
    }


def way_of(head: dict[str, Any]) -> str:
    """Return how items were answered: the name of a tool, a prompt or a function."""
    system = head.get("system") or {}
    return str(system.get("tool") or system.get("prompt") or system.get("function") or "")
