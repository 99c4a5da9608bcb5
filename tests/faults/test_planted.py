"""Every fault, planted into a copy of the package, is found by the tests that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.patches import read_fault
from tests.faults.test_patches import every_patch, with_git
from tests.support.faults.planting import copied, prove, require_sound

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800), with_git]


@pytest.fixture(scope="module")
def sound(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A copy without a fault, in which all that is to find those of this run passes."""
    chosen = {
        str(item.callspec.params["patch"])
        for item in request.session.items
        if item.path == request.path and isinstance(item, pytest.Function)
    }
    with copied() as tree:
        require_sound([read_fault(Path(patch)) for patch in sorted(chosen)], tree)
        yield tree


@every_patch
def test_it_is_caught(sound: Path, patch: Path) -> None:
    prove(read_fault(patch), sound)
