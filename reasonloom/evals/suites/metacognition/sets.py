"""Loads what an eval of the checks is judged by: the four sets, packaged or in a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.data import BiasText, Pair, biases, pairs
from reasonloom.evals.suites.metacognition.labels import (
    EmotionText,
    FrameworkProblem,
    LabelledSet,
    emotions,
    frameworks,
)

LOADERS: dict[str, Callable[[str, Path | None], LabelledSet[Any]]] = {
    "biases": biases,
    "emotions": emotions,
    "frameworks": frameworks,
    "pairs": pairs,
}
"""By name; `NAME.jsonl` is the set's file."""


@dataclass(frozen=True, slots=True)
class Sets:
    """The labelled items of one half; of a set that a folder does not hold there are none."""

    biases: tuple[BiasText, ...] = ()
    emotions: tuple[EmotionText, ...] = ()
    frameworks: tuple[FrameworkProblem, ...] = ()
    pairs: tuple[Pair, ...] = ()


def halves(half: str, folder: Path | None = None) -> tuple[dict[str, Sets], dict[str, str]]:
    """Return the sets of a half by its name (`all` gives dev and held), and each file's SHA-256.

    A `folder` stands in place of the packaged sets: those whose files it holds are judged.

    Raises:
        InvalidArgument: another half, no folder with a set, or a file that is not of its form.
    """
    found = _files(folder)
    wanted = ("dev", "held") if half == "all" else (half,)
    loaded = {
        each: {name: LOADERS[name](each, path) for name, path in found.items()} for each in wanted
    }
    digests = {name: one.sha256 for name, one in loaded[wanted[0]].items()}
    return {each: _sets(of_half) for each, of_half in loaded.items()}, digests


def _sets(loaded: dict[str, LabelledSet[Any]]) -> Sets:
    return Sets(**{name: one.items for name, one in loaded.items()})


def _files(folder: Path | None) -> dict[str, Path | None]:
    """Return for each set to be judged its file, None where it is the packaged one."""
    if folder is None:
        return dict.fromkeys(LOADERS)
    paths = {name: folder / f"{name}.jsonl" for name in LOADERS}
    found: dict[str, Path | None] = {name: path for name, path in paths.items() if path.is_file()}
    if not found:
        known = ", ".join(f"{name}.jsonl" for name in LOADERS)
        raise InvalidArgument(f"data: must be a folder with one of {known}", field="data")
    return found
