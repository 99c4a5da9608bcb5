"""Orchestration evals: their data types, settings and registry; cheap to import."""

import json
import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple

from reasonloom.errors import InvalidArgument, UnknownName

Status = Literal["fitted", "predicted", "control", "own"]
Better = Literal["higher", "lower"]


class Problem(NamedTuple):
    """One problem: its id in the log, and its text for the language model."""

    id: str
    problem: str


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one row on one problem.

    Attributes:
        score: the eval's measure, such as 1 for solved, or a number of errors.
        calls: number of calls of the language model.
        tokens_in: billed input tokens.
        tokens_out: billed output tokens.
        usd: cost in US dollars at the published price.
        also: further figures by name.
    """

    score: float
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float
    also: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One orchestration of calls.

    Attributes:
        name: unique within the eval.
        run: works on a problem with a seed.
        published: the published figure, whose source is in the docs; empty if there is none.
        status: `fitted` if a constant of the simulated model was fitted to the published figure,
            `predicted` if not, `control` for ablations, `own` if no figure was published.
        opened: holds the resources that `run` needs.
    """

    name: str
    run: Callable[[Problem, int], Awaitable[Result]]
    published: str = ""
    status: Status = "predicted"
    opened: Callable[[], AbstractAsyncContextManager[None]] = nullcontext


@dataclass(frozen=True, slots=True)
class Choices:
    """A caller's options: data file, number of items, and settings by name."""

    data: Path | None = None
    items: int | None = None
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Orchestration:
    """One eval: loads its problems with their digest, and its rows for the given settings.

    Attributes:
        measure: describes a score.
        share: whether scores are 0 or 1, whose mean is displayed in per cent.
        compared: pairs of rows, the second being the base.
        counted: further figures whose means are included in the table.
    """

    name: str
    measure: str
    better: Better
    load: Callable[[Choices], tuple[Sequence[Problem], str]]
    rows: Callable[[Choices], Sequence[Row]]
    summarise: Literal["mean", "median"] = "mean"
    compared: Sequence[tuple[str, str]] = ()
    share: bool = False
    counted: Sequence[str] = ()


SIZES = (32, 64, 128)
SIZE = 64


def require_known_settings(choices: Choices, known: Sequence[str]) -> None:
    """Refuse settings that the eval does not have."""
    for name in choices.settings:
        if name not in known:
            raise UnknownName(
                f"there is no setting {name}; there are {', '.join(known)}", field=name
            )


def size_of(choices: Choices, found: Collection[int] = ()) -> int:
    """Return the `size` setting; refuses a data file whose sizes (`found`) differ from it."""
    given = choices.settings.get("size", str(SIZE))
    if given not in map(str, SIZES):
        raise InvalidArgument(f"size: must be one of {', '.join(map(str, SIZES))}", field="size")
    size = int(given)
    if found and set(found) != {size}:
        others = ", ".join(map(str, sorted(found)))
        raise InvalidArgument(f"size: is {size}, and the data has {others}", field="size")
    return size


def number_setting(choices: Choices, name: str, default: float, *, most: float) -> float:
    """Return a numeric setting, which must be from 0 to `most`."""
    try:
        given = float(choices.settings.get(name, default))
    except ValueError:
        given = math.nan
    if not 0 <= given <= most:
        raise InvalidArgument(f"{name}: must be a number from 0 to {most:g}", field=name)
    return given


def integer_setting(choices: Choices, name: str, default: int, *, most: int) -> int:
    """Return an integer setting, which must be from 1 to `most`."""
    given = choices.settings.get(name, str(default))
    if not given.isdecimal() or not 1 <= int(given[:9]) <= most or len(given) > len(str(most)):
        raise InvalidArgument(f"{name}: must be a whole number from 1 to {most}", field=name)
    return int(given)


def choice_setting(choices: Choices, name: str, known: Sequence[str]) -> str:
    """Return a setting, which must be one of the known values and defaults to the first."""
    given = choices.settings.get(name, known[0])
    if given not in known:
        raise InvalidArgument(f"{name}: must be one of {', '.join(known)}", field=name)
    return given


def problems_digest(items: Sequence[Problem]) -> str:
    """Return the SHA-256 of the problems' ids and texts, in order."""
    return sha256(json.dumps(items).encode()).hexdigest()


ORCHESTRATION_EVALS = {
    "sim-game24": ("suites.reasoning.orchestration.game24", "GAME24_EVAL"),
    "sim-sort": ("suites.reasoning.orchestration.sorting", "SORTING_EVAL"),
    "sim-intersect": ("suites.reasoning.orchestration.intersection", "INTERSECTION_EVAL"),
    "sim-critique": ("suites.reasoning.orchestration.critique", "CRITIQUE_EVAL"),
}
"""Module (in `reasonloom.evals`) and attribute by eval name."""


def load_orchestration(name: str) -> Orchestration:
    """Load an eval by its name in `ORCHESTRATION_EVALS`."""
    module, attribute = ORCHESTRATION_EVALS[name]
    found: Orchestration = getattr(import_module(f"reasonloom.evals.{module}"), attribute)
    return found
