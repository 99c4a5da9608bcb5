"""What a retrieval suite consists of, whatever file it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Stored:
    """One memory: its name in the suite, and the arguments of `remember` without the user."""

    id: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the memories that answer it; none where nothing should be found."""

    id: str
    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Collection:
    """The memories of one user in the order of their making, and the questions about them."""

    id: str
    memories: tuple[Stored, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a run's questions come from: a file that the user has, or one half of our own."""

    data: Path | None = None
    half: str = "all"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One suite of recall: how it is loaded, to collections and the SHA-256 of their source.

    Attributes:
        apart: categories that the overall figures leave out.
    """

    name: str
    load: Callable[[Source], tuple[list[Collection], str]]
    apart: tuple[str, ...] = ()
