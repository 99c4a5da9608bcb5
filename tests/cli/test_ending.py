"""A server that has served is gone after its last step; one that failed ends as Python does."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import atexit
from reasonloom.cli.server.ending import LastStep

class Loaded:
    def __del__(self):
        print("taken down", flush=True)

loaded = Loaded()
last = LastStep()
atexit.register(print, "sent")
print("served")
{then}
"""


def ended(then: str) -> tuple[int, list[str]]:
    """Run the program; return its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(then=then)], capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.split("\n")[:-1]


def test_what_is_held_is_sent_and_nothing_is_taken_down() -> None:
    assert ended("last.served = True") == (0, ["served", "sent"])


@pytest.mark.parametrize(("then", "status"), [("raise ValueError", 1), ("raise SystemExit(2)", 2)])
def test_a_failure_keeps_its_exit_status(then: str, status: int) -> None:
    assert ended(then) == (status, ["served", "sent", "taken down"])
