"""The architecture page shows the package as it is."""

from __future__ import annotations

from tests.support.docs.layout import BLOCK, PACKAGE, PAGE, written

MOST_FLAT = 14


def test_its_tables_are_made_from_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) == 2
    assert written(page) == page, "run `make snapshots`"


def test_no_folder_is_flat_and_full() -> None:
    full = {
        folder.relative_to(PACKAGE).as_posix(): count
        for folder in PACKAGE.rglob("*")
        if folder.is_dir()
        and (count := len([each for each in folder.glob("*.py") if each.stem != "__init__"]))
        > MOST_FLAT
        and folder.name != "versions"
    }
    assert full == {}
