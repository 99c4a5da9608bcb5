"""`reasonloom eval` as a person types it, in a home of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.support.clients.fork_server import program
from tests.support.clients.processes import PATIENCE, environment


class Shell:
    """Runs `reasonloom eval` in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder = home, home / "evals"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*program(), "eval", *arguments],
            env=environment(self.home, COLUMNS="200"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        said, complained = process.communicate(timeout=2 * PATIENCE)
        return process.returncode, said, complained

    def logs(self) -> list[Path]:
        return sorted(self.folder.glob("*.jsonl"))

    def results(self) -> list[Any]:
        return held(self.logs()[0])[1:] if self.logs() else []


def held(log: Path) -> list[Any]:
    """Return what a log says, without its number and what a clock said.

    A line that was cut short is left out.
    """
    found = []
    for line in log.read_text().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        entry.pop("latency_ms", None)
        for name in ("settings", "number"):
            entry.get("head", {}).pop(name, None)
        found.append(entry)
    return found
