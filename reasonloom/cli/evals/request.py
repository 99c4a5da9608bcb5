"""What `reasonloom eval run` was asked, and what runs it, as kinds of evals take and give it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonloom.evals.core.system import Purse

Result = dict[str, Any]
ReportProgress = Callable[[str, int, int], None]
EvalWork = Callable[[ReportProgress], Awaitable[Result]]

MODEL_OPTIONS = (
    "prompt", "llm", "seed", "calls", "tokens", "usd", "limit", "parallel", "cache", "lenient",
)  # fmt: skip
"""The options of whatever asks a language model."""

LIMIT = re.compile(r"(?:(?P<provider>[\w.-]+)=)?(?P<calls>[1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """What the command was asked: an eval, its data, the log, and options that were given."""

    name: str
    data: Path | None
    log: Path
    options: Mapping[str, Any]


def parse_limits(chosen: Mapping[str, Any]) -> Purse:
    """Return the budget, the limits and the cache that were chosen.

    Raises:
        InvalidArgument: one is not of its form.
    """
    from reasonloom.evals.core.budget import Budget  # noqa: PLC0415
    from reasonloom.evals.core.llm_calls import Limits  # noqa: PLC0415
    from reasonloom.evals.core.system import Purse  # noqa: PLC0415

    limits = Limits()
    for each in chosen.get("limit", ()):
        match = LIMIT.fullmatch(each)
        if not match:
            raise InvalidArgument("--limit: must be CALLS or PROVIDER=CALLS", field="limit")
        if match["provider"]:
            limits.own = {**limits.own, match["provider"]: int(match["calls"])}
        else:
            limits.default = int(match["calls"])
    budget = Budget(chosen.get("calls"), chosen.get("tokens"), chosen.get("usd"))
    return Purse(budget, limits, chosen.get("cache"), count_errors="lenient" in chosen)


def parse_pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """Return what was given as NAME=VALUE, by name.

    Raises:
        InvalidArgument: one is not of this form, or is given twice.
    """
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not name or not sign or not value or name in found:
            raise InvalidArgument(f"--{option}: must be NAME=VALUE, each name once", field=option)
        found[name] = value
    return found
