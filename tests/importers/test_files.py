"""Files of mem0, of MCP's memory server, of notes and of Claude Code become memories, once.

The samples are written by hand after the published formats.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.importers import markdown, mcp_memory, mem0
from reasonloom.importers.records import Entries, Record, Skipped
from tests.support.calls import recalled
from tests.support.memory.foreign import take_from
from tests.support.memory.housekeeping import exported

ALEX: dict[str, Any] = {
    "id": "f4cbdb08", "memory": "Alex prefers vegetarian restaurants.", "hash": "9b1d",
    "metadata": {"topic": "food"}, "categories": ["food"], "user_id": "alex", "run_id": "trip",
    "created_at": "2024-07-01T12:00:00-07:00", "updated_at": "2024-07-02T08:00:00-07:00",
}  # fmt: skip
POINT = {
    "id": "f4cbdb08",
    "payload": {
        **{name: ALEX[name] for name in ("hash", "user_id", "run_id", "created_at", "updated_at")},
        "data": ALEX["memory"], "topic": "food",
    },
}  # fmt: skip


def put(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


async def imported(engine: Engine) -> dict[str, dict[str, Any]]:
    """Return all memories by content."""
    _, *lines = await exported(engine)
    return {line["content"]: line for line in lines}


def links(found: dict[str, dict[str, Any]]) -> set[tuple[str, str, str]]:
    """Return the links between contents."""
    names = {line["id"]: content for content, line in found.items()}
    return {
        (content, edge["type"], names[edge["target"]])
        for content, line in found.items()
        for edge in line.get("edges", ())
    }


@pytest.mark.parametrize(
    "written",
    [
        json.dumps({"results": [ALEX]}),
        json.dumps([ALEX]),
        json.dumps(ALEX) + "\n",
        json.dumps({"result": {"points": [POINT], "next_page_offset": None}, "status": "ok"}),
    ],
    ids=("results", "list", "lines", "qdrant"),
)
async def test_every_form_of_mem0_gives_the_same_memory(
    engine: Engine, tmp_path: Path, written: str
) -> None:
    file = put(tmp_path / "mem0.json", written)
    assert (await take_from(engine, "mem0", mem0.read(file))).done.stored == 1
    again = await take_from(engine, "mem0", mem0.read(put(tmp_path / "x", json.dumps([ALEX]))))
    assert (again.done.stored, again.done.there) == (0, 1)
    (memory,) = (await imported(engine)).values()
    assert memory["created_at"] == "2024-07-01T19:00:00+00:00"
    assert memory["valid_from"] == "2024-07-02T15:00:00+00:00"
    assert memory["session"]["name"] == "trip"
    assert memory["provenance"]["tool"] == "import"
    source = memory["metadata"]["imported_from"]
    assert (source["program"], source["id"], source["user"]) == ("mem0", "f4cbdb08", "alex")
    assert (source["hash"], source["metadata"]) == ("9b1d", {"topic": "food"})


async def test_what_mem0_has_that_cannot_be_stored_is_named(engine: Engine, tmp_path: Path) -> None:
    bad: list[Any] = [
        {**ALEX, "memory": " "}, {**ALEX, "id": None}, {**ALEX, "created_at": "yesterday"}, 7,
        {**ALEX, "expiration_date": "2020-01-01"},
        {**ALEX, "id": "big", "metadata": {"x": "y" * 17_000}},
        ALEX, ALEX, {**ALEX, "id": "other", "user_id": "sam"},
    ]  # fmt: skip
    file = put(tmp_path / "mem0.json", json.dumps({"results": bad, "relations": [{}], "next": "p"}))
    taken = await take_from(engine, "mem0", mem0.read(file), user="alex")
    assert taken.done.stored == 1
    reasons = dict(taken.skipped)
    assert reasons["record 1"].startswith("memory: must be text")
    assert reasons["record 2"].startswith("id: must be text")
    assert reasons["record 3"].startswith("created_at: must be a date and time of ISO 8601")
    assert reasons["record 4"].startswith("must be a JSON object")
    assert reasons["record 5"].startswith("expiration_date: expired on 2020-01-01")
    assert reasons["record 6"].startswith("metadata: may hold at most 16384 bytes")
    assert reasons["record 8"] == "appears a second time in the source"
    assert reasons["relations"].startswith("1 between entities")
    assert reasons["the file"].startswith("holds one page")


GRAPH: list[dict[str, Any]] = [
    {"type": "relation", "from": "Anna", "to": "Acme", "relationType": "works_at"},
    {"type": "relation", "from": "Acme", "to": "Berlin", "relationType": "part_of"},
    {"type": "entity", "name": "Anna", "entityType": "person",
     "observations": ["is allergic to peanuts", "likes green tea"]},
    {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
    {"type": "entity", "name": "Berlin", "entityType": "city", "observations": []},
]  # fmt: skip


async def test_a_graph_becomes_memories_and_links(engine: Engine, tmp_path: Path) -> None:
    nobody = {"type": "relation", "from": "Anna", "to": "Nobody", "relationType": "knows"}
    bad = [{"type": "entity", "name": "X", "entityType": "y"}, "no object", nobody]
    file = put(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, [*GRAPH, *bad])) + "\n{")
    taken = await take_from(engine, "mcp-memory", mcp_memory.read(file))
    assert (taken.done.stored, taken.done.edges) == (7, 8)
    assert dict(taken.skipped).keys() == {"line 6", "line 7", "line 8", "line 9"}
    assert "there is no Nobody" in dict(taken.skipped)["line 8"]
    found = await imported(engine)
    assert links(found) == {
        ("Anna: is allergic to peanuts", "part_of", "Anna (person)"),
        ("Anna: likes green tea", "part_of", "Anna (person)"),
        ("Anna (person)", "related_to", "Acme (company)"),
        ("Acme (company)", "part_of", "Berlin (city)"),
        ("Anna works at Acme", "related_to", "Anna (person)"),
        ("Anna works at Acme", "related_to", "Acme (company)"),
        ("Acme part of Berlin", "related_to", "Acme (company)"),
        ("Acme part of Berlin", "related_to", "Berlin (city)"),
    }
    assert "Anna: is allergic to peanuts" in await recalled(engine, "Who must avoid nuts?")
    again = await take_from(engine, "mcp-memory", mcp_memory.read(file))
    assert (again.done.stored, again.done.there, again.done.edges) == (0, 7, 0)
    grown = [*GRAPH[:4], {**GRAPH[4], "observations": ["has lakes"]}]
    more = put(tmp_path / "more.jsonl", "\n".join(map(json.dumps, grown)))
    assert (await take_from(engine, "mcp-memory", mcp_memory.read(more))).done.stored == 1


COFFEE = """---
title: Coffee
type: note
tags: [brewing]
permalink: drinks/coffee
created: 2024-01-15
---
# Coffee

Keep it dry, see [[Tea]] and `[[not a link]]`.

## Observations
- [method] Pour over is clear #filter (a matter of taste)
- [x] a task
- [00:12] a time

```
- [code] is not read
```

## Relations
- derived_from [[Water|hot water]] (boiled)
- "goes with" [[cakes/Apple pie]]
- part_of [[Nowhere]]
"""


async def test_notes_become_memories_with_observations_and_relations(
    engine: Engine, tmp_path: Path
) -> None:
    put(tmp_path / "Coffee.md", COFFEE)
    put(tmp_path / "Tea.md", "Tea goes with [[drinks/coffee]].\r\n")
    put(tmp_path / "Water.md", "Water boils.")
    put(tmp_path / "cakes" / "Apple pie.md", "# Apple pie\n\nBake it.")
    put(tmp_path / "cakes" / "Bad.md", "---\ntags: [a\n---\nx")
    put(tmp_path / "cakes" / "Bomb.md", "---\na: &a [1]\nb: *a\n---\nx")
    put(tmp_path / "cakes" / "Date.md", "---\ncreated: yesterday\n---\nx")
    (tmp_path / "cakes" / "Latin.md").write_bytes(b"\xe9")
    put(tmp_path / ".obsidian" / "hidden.md", "hidden")
    taken = await take_from(engine, "markdown", markdown.read_notes(str(tmp_path)))
    assert dict(taken.skipped).keys() == {f"cakes/{n}.md" for n in ("Bad", "Bomb", "Date", "Latin")}
    assert "aliases" in dict(taken.skipped)["cakes/Bomb.md"]
    found = await imported(engine)
    coffee = next(content for content in found if content.startswith("Coffee\n"))
    assert "Pour over" not in coffee and "derived" not in coffee
    assert "- [x] a task\n- [00:12] a time" in coffee and "- [code] is not read" in coffee
    tea, water = "Tea\n\nTea goes with [[drinks/coffee]].", "Water\n\nWater boils."
    pie = "Apple pie\n\nBake it."
    observation = found["Coffee: Pour over is clear #filter"]
    assert (observation["category"], observation["context"]) == ("method", "a matter of taste")
    assert observation["tags"] == ["brewing", "filter"]
    assert observation["created_at"] == "2024-01-15T00:00:00+00:00"
    assert observation["metadata"]["imported_from"]["front_matter"]["permalink"] == "drinks/coffee"
    needs, pairs = "Coffee derived from Water (boiled)", "Coffee goes with cakes/Apple pie"
    assert links(found) == {
        ("Coffee: Pour over is clear #filter", "part_of", coffee),
        (coffee, "related_to", tea), (tea, "related_to", coffee),
        (coffee, "derived_from", water), (coffee, "related_to", pie),
        (needs, "related_to", coffee), (needs, "related_to", water),
        (pairs, "related_to", coffee), (pairs, "related_to", pie),
        ("Coffee part of Nowhere", "related_to", coffee),
    }  # fmt: skip
    assert taken.done.lost_edges == 2  # of the note and of the sentence, to Nowhere
    again = await take_from(engine, "markdown", markdown.read_notes(str(tmp_path)))
    assert (again.done.stored, again.done.edges) == (0, 0)


def test_notes_keep_their_dates_and_empty_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    put(folder / "dated.md", "---\nupdated: 2024-05-06\n---\nThe boiler is old.")
    put(folder / "plain.md", "The roof leaks.")
    put(folder / "void.md", " \n\n")
    os.utime(folder / "plain.md", (1_700_000_000, 1_700_000_000))
    found = list(markdown.read_notes(str(folder)))
    (empty,) = (each for each in found if isinstance(each, Skipped))
    assert (empty.where, empty.reason) == ("void.md", "has no text")
    written = {each.key: each.fields["created_at"] for each in found if isinstance(each, Record)}
    assert written["dated.md"].startswith("2024-05-06")
    assert written["plain.md"] == "2023-11-14T22:13:20+00:00"


async def test_a_long_note_is_a_memory_for_each_section(engine: Engine, tmp_path: Path) -> None:
    long = "Boil the water. " * 300
    file = put(tmp_path / "Tea.md", f"First.\n\n## How\n{long}\n\n### When\nAt five.\n## How\nx")
    await take_from(engine, "markdown", markdown.read_notes(file))
    found = await imported(engine)
    assert list(found) == [
        "Tea\n\nFirst.", f"Tea > How\n\n{long.strip()}", "Tea > How > When\n\nAt five.",
        "Tea > How\n\nx",
    ]  # fmt: skip
    assert {kind for _, kind, _ in links(found)} == {"part_of"}


async def test_claude_codes_files_become_sections(engine: Engine, tmp_path: Path) -> None:
    ours = "<!-- reasonloom:history:begin -->\nold\n<!-- reasonloom:history:end -->\n"
    root = tmp_path / "api"
    put(root / "CLAUDE.md", f"See @docs/style.md, not a@b.com.\n# Build\n- `npm i @x/y.js`\n{ours}")
    put(root / ".claude" / "rules" / "db.md", "---\npaths: [src/**]\n---\n# Rows\nLock them.")
    put(root / "memory" / "MEMORY.md", "- [Tea](tea.md)")
    put(root / "memory" / "tea.md", "---\nname: Tea\n---\nAnna likes tea.")
    put(root / "node_modules" / "x" / "CLAUDE.md", "not ours")
    put(root / "README.md", "not read")
    taken = await take_from(engine, "claude-md", markdown.read_claude_md(str(root)))
    assert [where for where, _ in taken.skipped] == ["CLAUDE.md"]
    assert "@docs/style.md" in taken.skipped[0][1]
    found = await imported(engine)
    assert found.keys() == {
        "See @docs/style.md, not a@b.com.", "Build\n\n- `npm i @x/y.js`", "Rows\n\nLock them.",
        "- [Tea](tea.md)", "Anna likes tea.",
    }  # fmt: skip
    rule = found["Rows\n\nLock them."]
    assert (rule["sector"], rule["context"]) == ("procedural", ".claude/rules/db.md of api")
    assert rule["metadata"]["imported_from"]["front_matter"] == {"paths": ["src/**"]}
    put(root / "CLAUDE.md", "See @docs/style.md, not a@b.com.\n# Build\nUse make.\n")
    again = await take_from(engine, "claude-md", markdown.read_claude_md(str(root)))
    assert (again.done.stored, again.done.there) == (1, 4)


@pytest.mark.parametrize(
    ("read", "written", "expected"),
    [
        (mem0.read, '{"a": 1}', "holds no memories of mem0; expected"),
        (mem0.read, "NaN", "holds no memories of mem0; expected"),
        (mem0.read, "[" * 100_000, "holds no memories of mem0; expected"),
        (mcp_memory.read, '{"memory": 1}', "is not a graph of MCP's memory server; expected"),
        (mem0.read, None, "cannot be read: No such file"),
        (markdown.read_notes, None, "does not exist"),
        (markdown.read_claude_md, None, "does not exist"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    tmp_path: Path, read: Callable[[str], Entries], written: str | None, expected: str
) -> None:
    file = put(tmp_path / "x", written) if written is not None else str(tmp_path / "none")
    with pytest.raises(InvalidArgument, match=expected):
        list(read(file))
