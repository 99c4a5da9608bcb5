"""The pages of tools are what the generator makes of today's server: its schemas, its answers."""

from __future__ import annotations

import pytest

from reasonloom.contracts.schema import publish
from reasonloom.contracts.tool_names import ALL, EXTRAS
from reasonloom.llm.port import Embedder
from tests.support.calls import LINES
from tests.support.databases.postgres import TestPostgres
from tests.support.toolpages.calls import SCRIPTS
from tests.support.toolpages.command import FOLDER, page
from tests.support.toolpages.schema import fields
from tests.support.toolpages.texts import MEANINGS

REMEDY = "`make snapshots` writes it anew once you have read the difference"


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_page_is_up_to_date(name: str, postgres: TestPostgres, embedder: Embedder) -> None:
    written = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    made = await page(name, postgres, embedder)
    assert made.splitlines() == written.splitlines(), f"docs/tools/{name}.md: {REMEDY}"


def test_every_tool_has_its_section_and_its_example() -> None:
    text = "".join((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in SCRIPTS)
    told = [line[4:-1] for line in text.splitlines() if line.startswith("## `")]
    assert sorted(told) == sorted((*ALL, *EXTRAS))
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
