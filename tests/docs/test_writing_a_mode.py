"""The page on writing a mode: its files, put into a copy of the project, are a mode that works."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.docs.pages import DOCS, blocks

PAGE = blocks(DOCS / "writing-a-mode.md")
LARGE = 100_000
"""Bytes from which a file of data is linked instead of copied."""


def copied(source: str, target: str) -> None:
    if Path(source).stat().st_size > LARGE:
        Path(target).symlink_to(source)
    else:
        shutil.copyfile(source, target)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the page's files, and its changes to files that were there."""
    if shutil.which("patch") is None:
        pytest.skip("the changes of the page are made by `patch`, which is not there")
    folder = tmp_path_factory.mktemp("mode")
    idle = shutil.ignore_patterns("__pycache__")
    for part in ("reasonloom", "tests"):
        shutil.copytree(DOCS.parent / part, folder / part, copy_function=copied, ignore=idle)
    shutil.copyfile(DOCS.parent / "pyproject.toml", folder / "pyproject.toml")
    for block in PAGE:
        if block.title:
            path = folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        elif block.language == "diff":
            ran(folder, "patch", "-p1", "--no-backup-if-mismatch", told=block.body)
    return folder


def alone(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command that knows nothing of the tests that run it."""
    told = environment(home, **more)
    return {name: value for name, value in told.items() if not name.startswith("PYTEST_")}


def ran(folder: Path, *command: str, told: str | None = None, **more: str) -> str:
    done = subprocess.run(
        command, cwd=folder, input=told, capture_output=True, text=True, timeout=300, check=False,
        env={**alone(folder / "home", **more), "PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def commands() -> Iterator[list[str]]:
    """Yield the page's commands, each as it is run."""
    for block in PAGE:
        if block.language == "sh":
            for line in block.body.splitlines():
                yield line.split(" ", 3)


def test_the_page_calls_its_tool(project: Path, postgres: TestPostgres) -> None:
    (call,) = [each for each in commands() if each[0] == "reasonloom"]
    with postgres.clone() as name:
        url = postgres.address.dsn("postgres", name)
        said = ran(project, sys.executable, "-m", *call[:3], call[3].strip("'"), DATABASE_URL=url)
    assert '"verdict": "open"' in said


@pytest.mark.timeout(300)
def test_the_tests_of_the_page_pass(project: Path) -> None:
    (run,) = [each for each in commands() if each[0] == "python"]
    said = ran(project, sys.executable, *" ".join(run).split()[1:])
    assert "3 snapshots generated" in said
    assert "......" in said
    drawn = project / "tests/snapshots/__snapshots__/test_snapshots"
    assert len(list(drawn.glob("*dispute*"))) == 3


def test_the_files_of_the_page_are_as_ours_are(project: Path) -> None:
    ours = [each.title for each in PAGE if each.title.endswith(".py")]
    assert len(ours) == 4
    ran(project, sys.executable, "-m", "ruff", "format", "--check", *ours)
    ran(project, sys.executable, "-m", "ruff", "check", *ours)
