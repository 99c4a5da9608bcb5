"""The pages of tools are what the generator makes of today's server: its schemas, its answers."""

from __future__ import annotations

import re

import pytest

from reasonloom.contracts.schema import publish
from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings, variables_of
from tests import ROOT
from tests.faults.patches import all_faults, read_fault
from tests.support.calls import LINES
from tests.support.databases.postgres import TestPostgres
from tests.support.toolpages.calls import SCRIPTS
from tests.support.toolpages.command import FOLDER, page
from tests.support.toolpages.schema import fields
from tests.support.toolpages.texts import MEANINGS

FAULTS_PAGE = ROOT / "docs" / "faults.md"
FAULT_ROW = re.compile(r"^\| `(\d\d-[^`]+)` \| (.+?) \| (.+) \|$", re.M)


def test_every_patch_has_its_row() -> None:
    rows = {
        name: (breaks, tuple(re.findall(r"`([^`]+)`", caught)))
        for name, breaks, caught in FAULT_ROW.findall(FAULTS_PAGE.read_text(encoding="utf-8"))
    }
    assert rows == {fault.name: (fault.breaks, fault.caught_by) for fault in all_faults()}


def test_a_fault_that_the_page_tells_to_prove_is_there() -> None:
    named = re.findall(
        r"tests\.support\.faults\.planting (\S+)$", FAULTS_PAGE.read_text(encoding="utf-8"), re.M
    )
    assert named
    for name in named:
        read_fault(FAULTS_PAGE.parents[1] / "tests" / "faults" / f"{name}.patch")


SETTINGS_PAGE = ROOT / "docs" / "settings.md"
SETTING_ROW = re.compile(r"^\| (`[^|]+) \| ([^|]*) \| ([^|]+) \|$", re.M)


def test_every_setting_has_its_row() -> None:
    rows = SETTING_ROW.findall(SETTINGS_PAGE.read_text(encoding="utf-8"))
    named = {name for first, _, _ in rows for name in re.findall(r"`([A-Z_]+)`", first)}
    known = {name for field in Settings.model_fields for name in variables_of(field)}
    assert named == known


def test_a_default_on_the_page_is_the_default() -> None:
    for first, default, _ in SETTING_ROW.findall(SETTINGS_PAGE.read_text(encoding="utf-8")):
        names = re.findall(r"`([A-Z_]+)`", first)
        field = next(f for f in Settings.model_fields if variables_of(f) == names)
        told = re.fullmatch(r"`(.*)`", default.strip())
        if told:
            actual = Settings.model_fields[field].default
            shown = ",".join(actual) if isinstance(actual, tuple) else str(actual)
            assert told.group(1).lower() == shown.lower(), names


REMEDY = "`make snapshots` writes it anew once you have read the difference"


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_page_is_up_to_date(name: str, postgres: TestPostgres, embedder: Embedder) -> None:
    written = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    made = await page(name, postgres, embedder)
    assert [*map(without_scores, made.splitlines())] == [
        *map(without_scores, written.splitlines())
    ], f"docs/tools/{name}.md: {REMEDY}"
    scores = [scores_in(made), scores_in(written)]
    assert scores[0] == pytest.approx(scores[1], abs=SCORE_NOISE)


SCORE = re.compile(r"\b0\.\d{3,}\b")
SCORE_NOISE = 0.002
"""Difference between processors: their int8 kernels sum in other orders and widths."""


def without_scores(line: str) -> str:
    return SCORE.sub("0.…", line)


def scores_in(text: str) -> list[float]:
    return [float(each) for each in SCORE.findall(text)]


def test_a_changed_score_or_word_is_seen() -> None:
    assert scores_in('"score": 0.767') == pytest.approx([0.766], abs=SCORE_NOISE)
    assert scores_in('"score": 0.767') != pytest.approx([0.764], abs=SCORE_NOISE)
    assert without_scores('"score": 0.767') != without_scores('"scores": 0.767')


def test_every_tool_has_its_section_and_its_example() -> None:
    text = "".join((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in SCRIPTS)
    told = [line[4:-1] for line in text.splitlines() if line.startswith("## `")]
    assert sorted(told) == sorted((*ALL_TOOLS, *EXTRA_TOOLS))
    assert text.count("**Example**") == len(told)
    assert {each.name for each in FOLDER.iterdir()} == {f"{name}.md" for name in SCRIPTS}


def test_every_argument_has_a_meaning() -> None:
    bare = {
        path.rsplit(".", 1)[-1]
        for line in LINES.values()
        for path, each, _ in fields(publish(line.request))
        if not each.get("description")
    }
    assert bare == set(MEANINGS)
