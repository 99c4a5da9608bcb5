"""A file of puzzles in the public form, of our own puzzles."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from reasonloom.evals.simulated.game24.check import reachable
from reasonloom.evals.simulated.game24.puzzles import HIGHEST, PUBLISHED_RANKS


@pytest.fixture(scope="session")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with puzzles drawn by chance in the places of the published ones."""
    path, chance = tmp_path_factory.mktemp("data") / "own.csv", Random(24)  # noqa: S311
    found: dict[str, None] = {}
    while len(found) < len(PUBLISHED_RANKS):
        four = tuple(sorted(chance.randint(1, HIGHEST) for _ in range(4)))
        if reachable(four):
            found[" ".join(map(str, four))] = None
    lines = (f"{rank},{four}" for rank, four in zip(PUBLISHED_RANKS, found, strict=True))
    path.write_text("\n".join(("Rank,Puzzles", *lines)) + "\n")
    return path
