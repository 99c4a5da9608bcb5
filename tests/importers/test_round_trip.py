"""Memories exported as Markdown come back without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

from hypothesis import HealthCheck, given
from hypothesis import settings as tries

from reasonloom.cli.memory.export_import import files_into
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.importers import markdown
from reasonloom.importers.front_matter import split_front_matter
from reasonloom.nodes.memory.portable.export import ExportOptions, export_lines
from tests.nodes.memory.housekeeping.test_export_import import memories
from tests.support.memory.foreign import take_from
from tests.support.memory.housekeeping import as_file, silent, take_in

HIDDEN = ExportOptions(hidden=True)


async def export_to(engine: Engine, caller: Caller, folder: Path) -> dict[str, Any]:
    """Export as the command does; return the files without the writer, by name."""
    with files_into(str(folder)) as put:
        async for line in export_lines(engine.loom, caller, HIDDEN, silent):
            put(line)
    files = {}
    for path in folder.iterdir():
        front, body = split_front_matter(path.read_bytes().decode())
        assert front.pop("provenance")
        files[path.name] = (list(front.items()), body)
    return files


@given(drawn=memories())
@tries(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_an_export_comes_back_as_it_was(
    engine: Engine, tmp_path: Path, drawn: list[dict[str, Any]]
) -> None:
    one, other = Caller(f"one {uuid4()}"), Caller(f"other {uuid4()}")
    await take_in(engine, as_file(drawn), one, keep_strength=True)
    folder = tmp_path / uuid4().hex
    first = await export_to(engine, one, folder)
    taken = await take_from(
        engine, "markdown", markdown.read_notes(str(folder)), other, keep_strength=True
    )
    assert (taken.skipped, taken.done.stored) == ([], len(first))
    assert await export_to(engine, other, tmp_path / uuid4().hex) == first
    back = await take_from(engine, "markdown", markdown.read_notes(str(folder)), one)
    assert (back.done.stored, back.done.there) == (0, len(first))


async def test_an_edited_file_is_checked(engine: Engine, tmp_path: Path) -> None:
    await take_in(engine, as_file([{"content": "Tea."}, {"content": "Nuts."}, {"content": "Oil."}]))
    await export_to(engine, Caller("local"), tmp_path / "out")
    edits = (("version: 1", "version: 2"), ("strength: 1.0", "strength: 2"),
             ("id: mem-3", "id: mem-3\nedges: [tea]\nflavour: sour"))  # fmt: skip
    for number, (old, new) in enumerate(edits, start=1):
        path = tmp_path / "out" / f"mem-{number}.md"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    entries = markdown.read_notes(str(tmp_path / "out"))
    taken = await take_from(engine, "markdown", entries, Caller("other"))
    assert taken.done.stored == 0
    reasons = dict(taken.skipped)
    assert reasons["mem-1.md"].startswith("version: 2 of the format is not known")
    assert reasons["mem-2.md"].startswith("strength: must be less than or equal to 1")
    assert reasons["mem-3.md"].startswith("edges: must be a list of {target, type, weight}")
