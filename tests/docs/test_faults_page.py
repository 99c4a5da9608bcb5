"""The page of planted faults has a line for each patch, in the patch's own words, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from tests.faults.patches import all_faults, read_fault

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
ROW = re.compile(r"^\| `(\d\d-[^`]+)` \| (.+?) \| (.+) \|$", re.M)


def test_every_patch_has_its_row() -> None:
    rows = {
        name: (breaks, tuple(re.findall(r"`([^`]+)`", caught)))
        for name, breaks, caught in ROW.findall(PAGE.read_text(encoding="utf-8"))
    }
    assert rows == {fault.name: (fault.breaks, fault.caught_by) for fault in all_faults()}


def test_a_fault_that_the_page_tells_to_prove_is_there() -> None:
    named = re.findall(r"tests\.support\.planting (\S+)$", PAGE.read_text(encoding="utf-8"), re.M)
    assert named
    for name in named:
        read_fault(PAGE.parents[1] / "tests" / "faults" / f"{name}.patch")
