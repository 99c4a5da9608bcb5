"""What a session is told as it begins, and what stands in CLAUDE.md, within their budgets."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history import briefing
from reasonloom.nodes.history.briefing import (
    Occasion,
    lines_within,
    project_notes,
    quote,
    session_briefing,
)
from reasonloom.stores.history.projects import project_of
from reasonloom.text import tokens
from tests.support.history.ingestion import ingested
from tests.support.history.transcripts import Script, generated

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
WIDE = "漢字の索引を作り直す🙂ключ " * 400


def written(folder: Path, script: Script) -> Path:
    path = folder / f"{script.session}.jsonl"
    path.write_bytes(script.data())
    return path


def sessions(folder: Path, cwd: str) -> list[Path]:
    """Return five long sessions in one project, each with far more than can be told."""
    paths = []
    for number in range(5):
        script = Script(session=f"{number}1111111-2222-3333-4444-555555555555", cwd=cwd)
        script.now = script.now.replace(day=number + 1)
        generated(8, number, script=script)
        script.user(f"{number} {WIDE}").used("Bash", {"command": "make"})
        script.got(f"ValueError: {WIDE}", error=True)
        script.said(f"We decided to keep {number}. {WIDE} We chose 決定 {WIDE}")
        paths.append(written(folder, script))
    return paths


async def briefed(engine: Engine, caller: Caller, path: str, source: str = "startup") -> str:
    async with engine.loom.database.begin(caller, searching=True) as tx:
        project = await project_of(tx, [path], None)
        return await session_briefing(tx, project, Occasion("new", source, NOW)) if project else ""


async def noted(engine: Engine, caller: Caller, path: str) -> str | None:
    async with engine.loom.database.begin(caller, searching=True) as tx:
        project = await project_of(tx, [path], None)
        return await project_notes(tx, project, path) if project else None


async def test_much_past_is_told_within_the_budget(
    engine: Engine, caller: Caller, tmp_path: Path
) -> None:
    await ingested(engine, sessions(tmp_path, "/home/ana/api"))
    told = await briefed(engine, caller, "/home/ana/api")
    assert 200 < tokens.count_tokens(told) <= briefing.BUDGET == 500
    assert "Last session: 41111111" in told
    assert "31111111" in told
    block = await noted(engine, caller, "/home/ana/api")
    assert block
    assert 100 < tokens.count_tokens(block) <= briefing.NOTES_BUDGET
    assert "past sessions (5), 2026-03-01 to 2026-03-05" in block
    assert "src/" in block


async def test_two_projects_of_one_name_and_two_owners_stay_apart(
    engine: Engine, caller: Caller, tmp_path: Path
) -> None:
    for name, owner in (("one", "local"), ("two", "local"), ("one", "другой")):
        script = Script(session=f"s-{name}-{owner}", cwd=f"/home/{name}/api")
        script.user(f"Секрет {name} {owner}").said("We decided to rest.")
        folder = tmp_path / owner
        folder.mkdir(exist_ok=True)
        await ingested(engine, [written(folder, script)], caller=Caller(owner))
    told = await briefed(engine, caller, "/home/one/api")
    assert "Секрет one local" in told
    assert "двое" not in told and "two" not in told and "другой" not in told
    assert "Секрет one другой" in await briefed(engine, Caller("другой"), "/home/one/api")
    assert await briefed(engine, Caller("другой"), "/home/two/api") == ""
    assert await briefed(engine, caller, "/home/three/api") == ""


async def test_what_was_forgotten_is_not_told(
    engine: Engine, caller: Caller, tmp_path: Path
) -> None:
    script = Script().user("Remember the ключ").said("We decided to keep it.")
    await ingested(engine, [written(tmp_path, script)])
    assert "ключ" in await briefed(engine, caller, "/home/ana/api")
    async with engine.loom.database.begin(caller) as tx:
        await tx.run(text("INSERT INTO forgets (owner, number, project, asked, chunks)"
                          " VALUES ('local', 1, 'api', '{}', 1)"))  # fmt: skip
        await tx.run(text("UPDATE chunks SET forgotten = 1"))
    assert await briefed(engine, caller, "/home/ana/api") == ""
    assert await noted(engine, caller, "/home/ana/api") is None


async def test_the_names_of_clusters_are_told_the_largest_first(
    engine: Engine, caller: Caller, tmp_path: Path
) -> None:
    await ingested(engine, sessions(tmp_path, "/home/ana/api"))
    async with engine.loom.database.begin(caller) as tx:
        for name, share in (("оплата & счета", 3), ("<b>search</b>", 2)):
            await tx.run(
                text(
                    "WITH made AS (INSERT INTO basins (owner, id, name, named_by, centroid, model,"
                    " coherence) VALUES ('local', gen_random_uuid(), :name, 'terms', '[1,0]', 'm',"
                    " 1) RETURNING id) INSERT INTO basin_members (owner, basin, memory_id,"
                    " strength) SELECT 'local', made.id, c.memory_id, 1 FROM made, (SELECT"
                    " memory_id FROM chunks ORDER BY at DESC LIMIT :share) c"
                ),
                {"name": name, "share": share},
            )
    block = await noted(engine, caller, "/home/ana/api")
    assert block
    assert "- topics: `оплата & счета`, `‹b›search‹/b›`" in block


@given(st.text(max_size=300), st.integers(8, 60))
def test_a_quotation_is_one_harmless_line(said: str, most: int) -> None:
    line = quote(said, most)
    assert tokens.count_tokens(line) <= most + 1
    assert not set(line) & set("<>`@\n\r\u2028\x1b\u202e")


@given(st.lists(st.text(max_size=60), max_size=12), st.integers(20, 80))
def test_lines_stay_within_a_budget(lines: list[str], budget: int) -> None:
    told = lines_within(budget, lines)
    assert tokens.count_tokens(told) <= budget
    assert all(line in lines for line in told.split("\n") if "\n" not in "".join(lines) and told)


@pytest.mark.parametrize(
    "sentence",
    [
        "Wir haben uns für zstd entschieden.",
        "Мы решили взять zstd.",
        "我们决定使用 zstd。",
        "zstd を使うと決めた。",
    ],
)
async def test_decisions_in_other_languages_are_told(
    engine: Engine, caller: Caller, tmp_path: Path, sentence: str
) -> None:
    await ingested(engine, [written(tmp_path, Script().user("Which?").said(f"Hm.\n{sentence}"))])
    block = await noted(engine, caller, "/home/ana/api")
    assert block
    assert f"perhaps decided, 2026-03-01: `{sentence}`" in block
