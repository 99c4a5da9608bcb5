"""Plants a fault into a copy of the package and looks whether the tests find it.

As a module this prints what caught each fault, or those that are named, and fails where one was
not caught.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests import ROOT
from tests.faults.patches import Fault, all_faults, apply, has_git

COPIED = ("reasonloom", "tests", "pyproject.toml")
PLUGINS = ("pytest_asyncio.plugin", "pytest_timeout", "xdist.plugin")
"""What our tests need; the others that are installed take two seconds to load each time."""

FLAGS = (
    "-q", "-o", "addopts=", "-p", "no:cacheprovider", "--timeout=120",
    *(f"-p{plugin}" for plugin in PLUGINS),
)  # fmt: skip
"""A test that hangs for two minutes has failed."""

UNTOLD = ("PYTEST_", "PYTHONDONTWRITEBYTECODE")
"""Variables that tests in a copy are not told: it is theirs to write in, once for all processes."""

FAILED = 1
"""How pytest exits where tests ran and some failed; all else is no finding."""

PASSED = ""
TAIL = 4_000
"""Characters of what pytest said that are told."""


class NotCaught(AssertionError):
    """A fault was planted and what ought to find it did not."""


@dataclass(frozen=True)
class Ran:
    """A run of tests: pytest's exit code, and of each test the words of its failure.

    The words are empty where it passed, and None where it was skipped or could not begin.
    """

    code: int
    ends: dict[str, str | None]
    seconds: float
    said: str

    def of(self, named: str) -> list[str | None]:
        """Return how a named test ended, in each of its cases where the name does not tell one."""
        return [
            end for name, end in self.ends.items() if name == named or name.startswith(f"{named}[")
        ]


@contextmanager
def copied(root: Path = ROOT) -> Iterator[Path]:
    """Yield a copy of the package and its tests, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="rl-fault-") as folder:
        for name in COPIED:
            if (root / name).is_dir():
                shutil.copytree(root / name, Path(folder) / name)
            else:
                shutil.copy2(root / name, Path(folder) / name)
        yield Path(folder)


def run(tree: Path, tests: Sequence[str]) -> Ran:
    """Run tests of a tree in a process of its own, which knows of no other tree."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(UNTOLD)}
    report = tree / "report.xml"
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *FLAGS, f"--junitxml={report}", *tests],
        cwd=tree,
        env={**kept, "PYTHONPATH": str(tree), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    ends = dict(_ends(report)) if report.exists() else {}
    return Ran(done.returncode, ends, seconds, f"{done.stdout}\n{done.stderr}")


def _ends(report: Path) -> Iterator[tuple[str, str | None]]:
    """Yield how each test ended, by its name as pytest takes it."""
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it just now
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        failure = case.find("failure")
        if failure is not None:
            yield name, failure.get("message")
        else:
            yield (
                name,
                PASSED if len(case.findall("*")) == len(case.findall("properties")) else None,
            )


def require_sound(faults: Sequence[Fault], tree: Path) -> None:
    """Run what is to find faults in a copy without any: all of it must be there and pass.

    Raises:
        AssertionError: a test did not, so that its failure would tell nothing of a fault.
    """
    tests = list(dict.fromkeys(test for fault in faults for test in fault.caught_by))
    ran = run(tree, tests)
    for test in tests:
        assert set(ran.of(test)) == {PASSED}, f"{test} fails without a fault:\n{ran.said}"


def prove(fault: Fault, sound: Path) -> Ran:
    """Plant a fault in a copy of `sound`; each test it names must fail, with the words foretold.

    Raises:
        ValueError: the patch does not apply.
        NotCaught: a test passed, could not begin, or failed of something else.
    """
    with copied(sound) as tree:
        apply(fault, tree)
        ran = run(tree, fault.caught_by)
    for test in fault.caught_by:
        failures = [end for end in ran.of(test) if end]
        if ran.code != FAILED or not failures:
            raise NotCaught(f"{fault.name}: {test} does not fail\n{ran.said[-TAIL:]}")
        if not any(fault.seen_as in failure for failure in failures):
            raise NotCaught(f"{fault.name}: {test} fails of something else\n{ran.said[-TAIL:]}")
    return ran


def _report(fault: Fault, sound: Path) -> bool:
    """Print what became of a fault; tell whether it was caught."""
    try:
        ran = prove(fault, sound)
    except (NotCaught, ValueError) as error:
        print(f"{fault.name:42} NOT CAUGHT: {error}", flush=True)
        return False
    print(f"{fault.name:42} {ran.seconds:5.1f} s  {', '.join(fault.caught_by)}", flush=True)
    return True


def main(names: Sequence[str]) -> int:
    """Prove the faults that are named, or all; print what caught each and how long it took."""
    if not has_git():
        print("git is missing: patches cannot be applied", file=sys.stderr)
        return 2
    chosen = [each for each in all_faults() if not names or each.name in names]
    with copied() as sound:
        require_sound(chosen, sound)
        lost = sum(not _report(fault, sound) for fault in chosen)
    print(f"{len(chosen) - lost} of {len(chosen)} faults caught")
    return 1 if lost or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
