"""Every statement of a `.sql` file is used by the module beside it, and every one used is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reasonloom.stores
from reasonloom.stores.statements import Statements

FOLDER = Path(next(iter(reasonloom.stores.__path__)))
FILES = sorted(FOLDER.rglob("*.sql"))
USED = re.compile(r"SQL\.(?:(?:fill|part)\(\s*\"(\w+)\"|(\w+))")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_statements_and_their_uses_agree(path: Path) -> None:
    code = path.with_suffix(".py").read_text("utf-8")
    used = {filled or plain for filled, plain in USED.findall(code)} - {"fill", "part"}
    assert set(re.findall(r"^-- name: (\w+)$", path.read_text("utf-8"), re.MULTILINE)) == used


def test_parts_are_filled_in_and_types_bound(tmp_path: Path) -> None:
    path = tmp_path / "store.sql"
    path.write_text(
        "-- fragment: mine\nowner = :owner\n\n"
        "-- name: find\n-- types: id uuid\n-- A comment.\nSELECT {{ what }} FROM t\n"
        "WHERE {{ mine }} AND id = :id\n\n-- name: some\nSELECT * FROM t WHERE {{ where }}\n",
        "utf-8",
    )
    statements = Statements(path, {"what": 1})
    assert str(statements.find) == "SELECT 1 FROM t\nWHERE owner = :owner AND id = :id"
    assert str(statements.fill("some", where="true")) == "SELECT * FROM t WHERE true"
    with pytest.raises(ValueError, match="some lacks where"):
        _ = statements.some
    with pytest.raises(AttributeError):
        _ = statements.missing
