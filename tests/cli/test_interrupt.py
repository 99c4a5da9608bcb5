"""Ctrl-C ends a command with one line and exit code 130, and leaves no database behind."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reasonloom.stores.embedded.server import running_servers
from tests.support.clients.fork_server import cold_program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import no_other_orphans

PATIENCE = 60.0


@pytest.fixture
def place() -> Iterator[Path]:
    """A temporary folder that the database's own user may enter."""
    with no_other_orphans(), tempfile.TemporaryDirectory(prefix="rl-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize(
    "point", ["reasonloom-eval-*/home/.postgres.*.new/base", "reasonloom-eval-*/home/postgres/log"]
)
def test_an_interrupted_eval_leaves_no_database_behind(place: Path, point: str) -> None:
    command = subprocess.Popen(
        [*cold_program(), "eval", "run", "people"],
        env=environment(place / "home", TMPDIR=str(place)), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while not any(place.glob(point)):
        assert command.poll() is None, command.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)
    os.killpg(command.pid, signal.SIGINT)  # as a terminal sends it: to the whole group
    _, errors = command.communicate(timeout=PATIENCE)
    assert (command.returncode, errors) == (130, "reasonloom: interrupted\n")
    assert not [each for each in running_servers() if each.folder.is_relative_to(place)]
    assert not list(place.glob("reasonloom-eval-*"))
