"""The page of settings names every variable, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from reasonloom.settings import Settings, variables_of

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
ROW = re.compile(r"^\| (`[^|]+) \| ([^|]*) \| ([^|]+) \|$", re.M)


def test_every_setting_has_its_row() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    named = {name for first, _, _ in rows for name in re.findall(r"`([A-Z_]+)`", first)}
    known = {name for field in Settings.model_fields for name in variables_of(field)}
    assert named == known


def test_a_default_on_the_page_is_the_default() -> None:
    for first, default, _ in ROW.findall(PAGE.read_text(encoding="utf-8")):
        names = re.findall(r"`([A-Z_]+)`", first)
        field = next(f for f in Settings.model_fields if variables_of(f) == names)
        told = re.fullmatch(r"`(.*)`", default.strip())
        if told:
            actual = Settings.model_fields[field].default
            shown = ",".join(actual) if isinstance(actual, tuple) else str(actual)
            assert told.group(1).lower() == shown.lower(), names
