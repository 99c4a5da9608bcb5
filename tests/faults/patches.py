"""The faults: one patch each, whose head says what it breaks and what must find it.

A head has a line `Breaks:` (what goes wrong), lines `Caught-by:` (a test that must fail, one a
line) and a line `Seen-as:` (words of that failure); the diff against the package follows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
LINE = re.compile(r"^(Breaks|Caught-by|Seen-as): (.+)$", re.M)
TOUCHED = re.compile(r"^(?:---|\+\+\+) [ab]/(.+)$", re.M)
PACKAGE = "reasonloom/"


@dataclass(frozen=True)
class Fault:
    """One patch: what it breaks, the tests that must fail with it, and the words they fail with.

    `changes` names the files that it changes.
    """

    patch: Path
    breaks: str
    caught_by: tuple[str, ...]
    seen_as: str
    changes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The patch's name, as `04-recorded-reply-not-looked-for`."""
        return self.patch.stem

    def __str__(self) -> str:
        return self.name


def read_fault(patch: Path) -> Fault:
    """Return the fault of a patch.

    Raises:
        ValueError: its head lacks something, or it changes what is not the package.
    """
    text = patch.read_text(encoding="utf-8")
    said: dict[str, list[str]] = {"Breaks": [], "Caught-by": [], "Seen-as": []}
    for key, value in LINE.findall(text.partition("\n--- ")[0]):
        said[key].append(value.strip())
    if len(said["Breaks"]) != 1 or len(said["Seen-as"]) != 1 or not said["Caught-by"]:
        raise ValueError(f"{patch.name}: must begin with Breaks:, Caught-by: and Seen-as:")
    paths = tuple(TOUCHED.findall(text))
    if not paths or not all(path.startswith(PACKAGE) for path in paths):
        raise ValueError(f"{patch.name}: must change files of {PACKAGE} and no others")
    return Fault(patch, said["Breaks"][0], tuple(said["Caught-by"]), said["Seen-as"][0], paths)


def all_faults(folder: Path = FOLDER) -> list[Fault]:
    """Return the faults of a folder in the order of their names."""
    return [read_fault(patch) for patch in sorted(folder.glob("*.patch"))]


def has_git() -> bool:
    """Tell whether patches can be applied here."""
    return shutil.which("git") is not None


def apply(fault: Fault, tree: Path, *, check: bool = False) -> None:
    """Apply a patch to a tree, or only look whether it would; its context must be there exactly.

    What was compiled of a changed folder goes: a file of the same size that was written within the
    same second as the one before would be taken for it.

    Raises:
        ValueError: it does not apply.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "apply", *(["--check"] if check else []), str(fault.patch.resolve())],
        cwd=tree, capture_output=True, text=True, check=False,
        env={**kept, "GIT_CEILING_DIRECTORIES": str(tree.resolve().parent)},
    )  # fmt: skip
    if done.returncode:
        raise ValueError(f"{fault.name} no longer applies; make it anew:\n{done.stderr}")
    for path in () if check else fault.changes:
        shutil.rmtree((tree / path).parent / "__pycache__", ignore_errors=True)
