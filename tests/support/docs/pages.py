"""Pages whose blocks are carried out in their order, and whose shown outputs must be real ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from reasonloom.settings import Settings
from reasonloom.stores.embedded.server import EmbeddedServer
from tests import ROOT

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```$", re.M | re.S)
ANY = "…"
"""At the end of a line or alone on it: whatever stands there."""

FORMS = {
    "id": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "stamp": r"\d{8}T\d{6}",
    "month": r"-20\d{4}(?=…)",
    "moment": r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?",
}
"""What differs from run to run, and how it must look all the same."""

VARYING = re.compile("|".join(f"(?P<{name}>{form})" for name, form in FORMS.items()))


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, the file that it is, what stands in it."""

    language: str
    title: str
    body: str


def blocks(page: Path) -> list[Block]:
    """Return a page's blocks in their order."""
    return [Block(*found) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def pattern(shown: str) -> re.Pattern[str]:
    """Return what the real output must match, from the output that a page shows."""
    lines = [line.rstrip() for line in shown.splitlines()]
    return re.compile("".join(_line(each) for each in lines) + r"\Z")


def _line(line: str) -> str:
    if line == ANY:
        return r"(?:.*\n)*?"
    if line.endswith(ANY):
        return _literal(line.removesuffix(ANY)) + r".*\n"
    return _literal(line) + r"\n"


def _literal(text: str) -> str:
    parts, at = [], 0
    for found in VARYING.finditer(text):
        parts += [re.escape(text[at : found.start()]), FORMS[str(found.lastgroup)]]
        at = found.end()
    return "".join([*parts, re.escape(text[at:])])


def shows(shown: str, output: str) -> bool:
    """Tell whether a real output is the one that a page shows."""
    trimmed = "".join(f"{line.rstrip()}\n" for line in output.rstrip().splitlines())
    return pattern(shown).match(trimmed) is not None


@dataclass(frozen=True)
class Newcomer:
    """Somebody who has just installed the project: a folder to work in, an environment."""

    folder: Path
    env: Mapping[str, str]

    def follow(self, page: Sequence[Block], *, but: Sequence[str] = ()) -> None:
        """Write the files and run the commands of a page, but some; hold what it shows."""
        for block, after in zip_longest(page, page[1:]):
            if block.title:
                (self.folder / block.title).write_text(block.body, encoding="utf-8")
            if block.language != "sh" or block.body.strip() in but:
                continue
            output = self.run(block.body)
            if after is not None and after.language == "text":
                assert shows(after.body, output), f"{block.body}\nreally says\n{output}"

    def run(self, commands: str) -> str:
        """Run commands of a shell; return what they say, with the paths of the pages."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=self.folder, env=dict(self.env), capture_output=True, text=True, timeout=180,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, commands + done.stdout + done.stderr
        program = str(Path(sys.executable).parent / "reasonloom")
        told = done.stdout.replace(program, "/home/ana/reasonloom/.venv/bin/reasonloom")
        return told.replace(str(self.folder), "/home/ana")


@contextmanager
def newcomer() -> Iterator[Newcomer]:
    """Yield somebody with a folder of their own; what they started is stopped at the end."""
    with tempfile.TemporaryDirectory(prefix="rl-page-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        home = folder / "data"
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        yield Newcomer(folder, {"HOME": name, "PATH": path, "REASONLOOM_HOME": str(home)})
        EmbeddedServer(Settings(home=home).database_folder).stop()
