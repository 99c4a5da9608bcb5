"""What an eval of orchestration consists of: items, and rows that work on them in their own way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

Status = Literal["fitted", "predicted", "control", "own"]
Better = Literal["higher", "lower"]


class Item(NamedTuple):
    """One problem: its name in the log, and its text as a language model is given it."""

    id: str
    problem: str


@dataclass(frozen=True, slots=True)
class Result:
    """What one row made of one item.

    Attributes:
        score: the eval's measure, such as 1 for solved, or a number of errors.
        calls: calls of the language model.
        tokens_in, tokens_out: tokens that were billed.
        usd: US dollars at the published price.
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
    """One arrangement of calls.

    Attributes:
        name: what it is called in the log and the table.
        run: works on an item with a seed.
        published: the figure that others published, with its source in the docs; empty if none.
        status: `fitted` where a constant of the simulated model was fitted to this very figure,
            `predicted` where none was, `control` where a part is taken away to see what it is
            worth, `own` where nobody published one.
        opened: what is held open while the row works, such as a database.
    """

    name: str
    run: Callable[[Item, int], Awaitable[Result]]
    published: str = ""
    status: Status = "predicted"
    opened: Callable[[], AbstractAsyncContextManager[None]] = nullcontext


@dataclass(frozen=True, slots=True)
class Choices:
    """What a caller may choose of an eval: the data file, how many items, and named settings."""

    data: Path | None = None
    items: int | None = None
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Orchestration:
    """One eval.

    Attributes:
        name: what `reasonloom eval run` calls it.
        measure: what a score is, in words.
        better: whether higher scores are better.
        load: returns the items and the digest of their source.
        rows: returns the rows under the settings chosen.
        summarise: how scores are summed up: their mean, or their median.
        compared: pairs of rows whose difference is told, the second as the base.
        share: whether a score is 1 or 0 and their mean a share, which is told in per cent.
        counted: names of further figures of a result whose means are told in the table.
    """

    name: str
    measure: str
    better: Better
    load: Callable[[Choices], tuple[Sequence[Item], str]]
    rows: Callable[[Choices], Sequence[Row]]
    summarise: Literal["mean", "median"] = "mean"
    compared: Sequence[tuple[str, str]] = ()
    share: bool = False
    counted: Sequence[str] = ()
    about: dict[str, Any] = field(default_factory=dict)
