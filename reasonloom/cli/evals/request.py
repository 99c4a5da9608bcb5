"""The request of `reasonloom eval run`, its options, and the folder of runs."""

import os
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.llm_calls import Limits
from reasonloom.evals.core.system import Purse
from reasonloom.settings import load_settings

Result = dict[str, Any]
ReportProgress = Callable[[str, int, int], None]
EvalWork = Callable[[ReportProgress], Coroutine[Any, Any, Result]]

MODEL_OPTIONS = (
    "prompt", "llm", "seed", "calls", "tokens", "usd", "limit", "parallel", "cache", "lenient",
)  # fmt: skip
"""The options of evals that call a language model."""

MAX_RUN_NAME = 400
"""Maximum characters of a run's name in an error."""

LIMIT = re.compile(r"(?:(?P<provider>[\w.-]+)=)?(?P<calls>[1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """An eval to run: its name or file, its data, the log, and the options given."""

    name: str
    data: Path | None
    log: Path
    options: Mapping[str, Any]


def parse_limits(options: Mapping[str, Any]) -> Purse:
    """Return the budget, the limits and the cache.

    Raises:
        InvalidArgument: a limit is malformed, or a budget is not above 0.
    """
    limits = Limits()
    for each in options.get("limit", ()):
        match = LIMIT.fullmatch(each)
        if not match:
            raise InvalidArgument("--limit: must be CALLS or PROVIDER=CALLS", field="limit")
        if match["provider"]:
            limits.own = {**limits.own, match["provider"]: int(match["calls"])}
        else:
            limits.default = int(match["calls"])
    budget = Budget(options.get("calls"), options.get("tokens"), options.get("usd"))
    return Purse(budget, limits, options.get("cache"), count_errors="lenient" in options)


def parse_pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """Return the values given as NAME=VALUE, by name.

    Raises:
        InvalidArgument: one has another format, or a name occurs twice.
    """
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not name or not sign or not value or name in found:
            raise InvalidArgument(f"--{option}: must be NAME=VALUE, each name once", field=option)
        found[name] = value
    return found


def runs_folder() -> Path:
    """Return the folder of runs."""
    return load_settings().home / "evals"


def run_path(run: str) -> Path:
    """Return the file of a run: a path, or a name in the folder of runs."""
    for path in (Path(run), runs_folder() / run):
        if os.path.isfile(path):  # noqa: PTH113 - never raises, however long the name is
            return path
    raise UnknownName(
        f"there is no run {run[:MAX_RUN_NAME]}; see `reasonloom eval list`", field="runs"
    )
