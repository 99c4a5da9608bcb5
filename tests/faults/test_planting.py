"""What plants faults can itself be trusted: it is shown faults that nothing catches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.patches import Fault, read_fault
from tests.faults.test_patches import with_git
from tests.support.faults.planting import NotCaught, prove, require_sound

pytestmark = with_git
SUMS = "def add(a, b):\n    return a + b\n"
TESTS = """
import pytest

from reasonloom.sums import add

@pytest.fixture
def two():
    return add(1, 1)

@pytest.mark.parametrize("b", [1, 2])
def test_sum(b):
    assert add(1, b) == 1 + b, "a wrong sum"

def test_nothing():
    pass

def test_set_up(two):
    assert two == 2

@pytest.mark.skip
def test_left_out():
    assert add(1, 1) == 2

def test_alone():
    assert add(1, 1) == 3
"""
HEAD = "Breaks: sums\nCaught-by: tests/test_sums.py::{test}\nSeen-as: {seen}\n\n"
DIFF = """--- a/reasonloom/sums.py
+++ b/reasonloom/sums.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a + b
+    {line}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A package of one function, and its tests."""
    for name, text in (
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("reasonloom/__init__.py", ""),
        ("reasonloom/sums.py", SUMS),
        ("tests/__init__.py", ""),
        ("tests/test_sums.py", TESTS),
    ):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "root"


def planted(root: Path, line: str, test: str, seen: str = "a wrong sum") -> Fault:
    patch = root / "01-sums.patch"
    text = HEAD.format(test=test, seen=seen) + DIFF.format(line=line)
    patch.write_text(text, encoding="utf-8")
    return read_fault(patch)


@pytest.mark.parametrize("test", ["test_sum", "test_sum[2]"])
def test_a_fault_that_a_test_finds_is_caught_and_the_package_stays_whole(
    root: Path, test: str
) -> None:
    fault = planted(root, "return a - b", test)
    require_sound([fault], root)
    assert prove(fault, root).seconds > 0
    assert (root / "reasonloom/sums.py").read_text(encoding="utf-8") == SUMS


@pytest.mark.parametrize(
    ("line", "test", "told"),
    [
        ("return b + a", "test_sum", "does not fail"),
        ("return a - b", "test_nothing", "does not fail"),
        ("return a - b", "test_unknown", "does not fail"),
        ("return a +", "test_sum", "does not fail"),
        ("return a - b", "test_left_out", "does not fail"),
        ("return 1 / 0", "test_set_up", "does not fail"),
        ("return 1 / 0", "test_sum", "fails of something else"),
    ],
    ids=["no fault", "blind test", "no test", "cannot be read", "skipped", "set-up", "other words"],
)
def test_all_else_is_not_caught(root: Path, line: str, test: str, told: str) -> None:
    with pytest.raises(NotCaught, match=told):
        prove(planted(root, line, test), root)


def test_a_test_that_fails_without_a_fault_finds_nothing(root: Path) -> None:
    with pytest.raises(AssertionError, match="test_alone fails without a fault"):
        require_sound([planted(root, "return a - b", "test_alone")], root)
