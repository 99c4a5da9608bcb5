"""Each patch still fits the package, and names tests that are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.faults.patches import FOLDER, Fault, all_faults, apply, has_git, read_fault
from tests.support.faults.planting import copied, prove

LEAST = 15
NAME = re.compile(r"\d\d(-[a-z0-9]+)+")
SAMPLE = FOLDER / "30-hidden-characters-kept.patch"
"""The quickest to prove: its test needs no database."""

every_patch = pytest.mark.parametrize(
    "patch", sorted(FOLDER.glob("*.patch")), ids=lambda patch: patch.stem
)
with_git = pytest.mark.skipif(
    not has_git(), reason="git is missing: patches cannot be applied, no fault is planted"
)


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    with copied() as made:
        yield made


def test_there_are_enough_and_each_has_a_number_of_its_own() -> None:
    names = [fault.name for fault in all_faults()]
    assert len(names) >= LEAST
    assert all(NAME.fullmatch(name) for name in names)
    assert len({name[:2] for name in names}) == len(names)


@with_git
@every_patch
def test_it_applies_to_the_package_as_it_is(tree: Path, patch: Path) -> None:
    apply(read_fault(patch), tree, check=True)


@every_patch
def test_what_is_to_catch_it_is_there(patch: Path) -> None:
    for test in read_fault(patch).caught_by:
        path, _, name = test.partition("::")
        found = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        functions = {
            each.name for each in found if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert name.partition("[")[0] in functions, test


@with_git
def test_one_of_them_is_caught() -> None:
    """That its test passes without the fault is seen by this same run of all tests."""
    prove(read_fault(SAMPLE), ROOT)


@with_git
def test_a_patch_whose_place_has_changed_is_told(tree: Path, tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    stale = tmp_path / "stale.patch"
    stale.write_text(text.replace("\n import re\n", "\n import regex as re\n"), encoding="utf-8")
    fault = read_fault(stale)
    with pytest.raises(ValueError, match="stale no longer applies; make it anew"):
        apply(fault, tree, check=True)


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("Breaks: ", "Broken: ", "must begin with"),
        ("Caught-by: ", "By: ", "must begin with"),
        ("Seen-as: ", "Words: ", "must begin with"),
        ("a/reasonloom/", "a/tests/", "must change files of reasonloom/ and no others"),
    ],
)
def test_a_head_that_lacks_something_is_refused(
    tmp_path: Path, was: str, now: str, told: str
) -> None:
    patch = tmp_path / "bad.patch"
    patch.write_text(SAMPLE.read_text(encoding="utf-8").replace(was, now), encoding="utf-8")
    with pytest.raises(ValueError, match=f"^bad.patch: {told}"):
        read_fault(patch)


def test_a_fault_is_told_by_its_name() -> None:
    assert str(Fault(Path("x/01-a.patch"), "b", ("t",), "s")) == "01-a"
