"""Other programs' databases become memories, once; one of another schema is refused.

LangGraph's store is made by LangGraph; the others are made by hand after their published schemas.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from langgraph.store.postgres import PostgresStore

from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.importers import langgraph_store, mem0, originals
from tests.importers.test_files import imported, links
from tests.support.databases.postgres import TestPostgres
from tests.support.memory.foreign import take_from

THOUGHTMCP = """
CREATE TABLE memories (id text PRIMARY KEY, content text, created_at timestamp, last_accessed
    timestamp, access_count int, salience real, decay_rate real, strength real, user_id text,
    session_id text, primary_sector text);
CREATE TABLE memory_metadata (memory_id text PRIMARY KEY, keywords text[], tags text[],
    category text, context text, importance real, parent_id text);
CREATE TABLE memory_links (source_id text, target_id text, link_type text, weight real,
    created_at timestamp);
CREATE TABLE schema_migrations (version int PRIMARY KEY, name text);
INSERT INTO schema_migrations VALUES (1, 'initial_schema'), (4, 'full_text_search');
INSERT INTO memories VALUES
    ('a', 'Anna runs.', '2025-01-01', '2025-02-01', 3, 0.75, 0.25, 0.5, 'anna', 's1', 'episodic'),
    ('b', 'Anna swims.', '2025-01-02', '2025-01-02', 0, 0.5, 0.25, 1, 'anna', NULL, 'semantic'),
    ('c', 'Forgotten.', '2025-01-02', '2025-01-02', 0, 0.5, 0.25, 0, 'anna', NULL, 'semantic'),
    ('d', 'Odd.', '2025-01-02', '2025-01-02', 0, 0.5, 0.25, 1, 'anna', NULL, 'dreamt'),
    ('e', 'Ben sings.', '2025-01-02', '2025-01-02', 0, 0.5, 0.25, 1, 'ben', NULL, 'semantic');
INSERT INTO memory_metadata VALUES ('a', '{run}', '{sport}', 'health', 'lake', 0.75, NULL);
INSERT INTO memory_links VALUES ('a', 'b', 'causal', 0.75, '2025-01-03');
"""
CAUSANTIC = """
PRAGMA journal_mode = WAL;
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
INSERT INTO schema_version VALUES (15);
CREATE TABLE chunks (id TEXT PRIMARY KEY, session_id TEXT, session_slug TEXT, turn_indices TEXT,
    start_time TEXT, end_time TEXT, content TEXT, agent_id TEXT, project_path TEXT);
CREATE TABLE edges (id TEXT, source_chunk_id TEXT, target_chunk_id TEXT, edge_type TEXT,
    reference_type TEXT, initial_weight REAL, created_at TEXT);
INSERT INTO chunks VALUES
    ('c1', 's1', 'api', '[0]', '2025-03-01T10:00:00Z', '2025-03-01T10:05:00Z',
        '[User] Where is the key?', NULL, '/home/anna/api'),
    ('c2', 's1', 'api', '[1]', '2025-03-01T11:00:00Z', '2025-03-01T11:05:00Z',
        '[User] Under the mat.', NULL, NULL),
    ('c3', 's1', 'api', '[2]', 'later', 'later', '[User] Bad time.', NULL, NULL),
    ('c4', 's1', 'api', '[3]', '2025-03-01T11:00:00Z', NULL, x'ff', NULL, NULL);
INSERT INTO edges VALUES ('e', 'c1', 'c2', 'forward', 'within-chain', 0.9, '2025-03-01T11:05:00Z');
"""
LANGBASE = """
CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY);
INSERT INTO _sqlx_migrations VALUES (20240110000001);
CREATE TABLE sessions (id TEXT, mode TEXT);
CREATE TABLE thoughts (id TEXT, session_id TEXT, content TEXT, confidence REAL, mode TEXT,
    parent_id TEXT, branch_id TEXT, created_at TEXT, metadata TEXT);
CREATE TABLE graph_nodes (id TEXT, session_id TEXT, content TEXT, node_type TEXT, score REAL,
    created_at TEXT, metadata TEXT);
CREATE TABLE graph_edges (from_node TEXT, to_node TEXT, edge_type TEXT, weight REAL,
    created_at TEXT);
INSERT INTO thoughts VALUES
    ('t1', 's', 'Costs rise.', 0.8, 'linear', NULL, NULL, '2025-12-20T10:00:00Z', '{"k": 1}'),
    ('t2', 's', 'So save.', 0.9, 'linear', 't1', NULL, '2025-12-20T10:01:00Z', NULL),
    ('t3', 's', 'Bad.', 9.0, 'linear', 't1', NULL, '2025-12-20T10:01:00Z', NULL);
INSERT INTO graph_nodes VALUES
    ('n1', 'g', 'Root.', 'thought', NULL, '2025-12-21T10:00:00Z', NULL),
    ('n2', 'g', 'Leaf.', 'thought', 0.5, '2025-12-21T10:01:00Z', NULL);
INSERT INTO graph_edges VALUES ('n1', 'n2', 'generates', 1.0, '2025-12-21T10:01:00Z');
"""


@pytest.fixture
def foreign(postgres: TestPostgres) -> Iterator[str]:
    """The URL of another program's database, still empty."""
    with postgres.clone(template="template1") as name:
        yield postgres.address.dsn("postgres", name)


def fill(url: str, statements: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(statements.encode())


def sqlite_file(folder: Path, statements: str) -> str:
    path = folder / "foreign.db"
    connection = sqlite3.connect(path)
    connection.executescript(statements)
    connection.close()
    return str(path)


async def test_langgraphs_own_store(engine: Engine, foreign: str) -> None:
    with PostgresStore.from_conn_string(foreign) as store:
        store.setup()
        store.put(("memories", "anna"), "1", {"text": "Anna likes tea."})
        store.put(("memories", "anna"), "2", {"kind": "Memory", "content": {"content": "Nuts."}})
        store.put(("profiles",), "anna", {"age": 30})
        store.put(("old",), "x", {"text": "Gone."})
        store.put(("empty",), "x", {})
    fill(foreign, "UPDATE store SET expires_at = now() - interval '1 day' WHERE prefix = 'old'")
    taken = await take_from(engine, "langgraph-store", langgraph_store.read(foreign))
    assert {where: reason[:10] for where, reason in taken.skipped} == {
        "old / x": "expires_at", "empty / x": "value: mus",
    }  # fmt: skip
    found = await imported(engine)
    assert found.keys() == {"Anna likes tea.", "Nuts.", '{"age": 30}'}
    source = found["Nuts."]["metadata"]["imported_from"]
    assert (source["namespace"], source["id"]) == (["memories", "anna"], "2")
    assert source["value"]["kind"] == "Memory"
    again = await take_from(engine, "langgraph-store", langgraph_store.read(foreign))
    assert (again.done.stored, again.done.there) == (0, 3)
    newest = langgraph_store.SCHEMA.newest
    assert newest == len(PostgresStore.MIGRATIONS) - 1
    fill(foreign, "INSERT INTO store_migrations VALUES (99)")
    with pytest.raises(InvalidArgument, match=r"schema version 99 is newer .* versions 2 to 3"):
        list(langgraph_store.read(foreign))


async def test_thoughtmcps_memories_keep_what_they_were(engine: Engine, foreign: str) -> None:
    fill(foreign, THOUGHTMCP)
    entries = originals.read_thoughtmcp(foreign)
    taken = await take_from(engine, "thoughtmcp", entries, user="anna", keep_strength=True)
    assert dict(taken.skipped).keys() == {"memory c", "memory d"}
    assert "sector: must be one of" in dict(taken.skipped)["memory d"]
    found = await imported(engine)
    assert found.keys() == {"Anna runs.", "Anna swims."}
    assert links(found) == {("Anna runs.", "related_to", "Anna swims.")}
    kept = {
        "sector": "episodic", "created_at": "2025-01-01T00:00:00+00:00", "strength": 0.5,
        "last_accessed": "2025-02-01T00:00:00+00:00", "access_count": 3, "salience": 0.75,
        "decay_rate": 0.25, "importance": 0.75, "keywords": ["run"], "tags": ["sport"],
        "category": "health", "context": "lake",
    }  # fmt: skip
    assert {name: found["Anna runs."][name] for name in kept} == kept
    again = await take_from(engine, "thoughtmcp", originals.read_thoughtmcp(foreign))
    assert (again.done.stored, again.done.there) == (1, 2)  # Ben's, this time
    fill(foreign, "CREATE ROLE weak")
    try:
        with pytest.raises(InvalidArgument, match="this login may not read the database's tables"):
            list(originals.read_thoughtmcp(f"{foreign}&options=-crole%3Dweak"))
    finally:
        fill(foreign, "DROP ROLE weak")
    fill(foreign, "UPDATE schema_migrations SET version = 9 WHERE version = 4")
    with pytest.raises(InvalidArgument, match=r"version 9 is newer .* ThoughtMCP 0.5 and 0.6"):
        list(originals.read_thoughtmcp(foreign))
    fill(foreign, "ALTER TABLE memory_links DROP COLUMN link_type")
    with pytest.raises(InvalidArgument, match="memory_links has no column link_type: expected"):
        list(originals.read_thoughtmcp(foreign))


async def test_mem0s_table(engine: Engine, foreign: str) -> None:
    fill(foreign, """CREATE TABLE "my facts" (id uuid PRIMARY KEY, payload jsonb);
        INSERT INTO "my facts" VALUES (gen_random_uuid(), '{"data": "Tea.", "user_id": "anna"}'),
            (gen_random_uuid(), '{"user_id": "anna"}')""")  # fmt: skip
    taken = await take_from(engine, "mem0", mem0.read(foreign, "my facts"))
    assert (taken.done.stored, len(taken.skipped)) == (1, 1)
    with pytest.raises(InvalidArgument, match="the table mem0 is missing: expected the schema of"):
        list(mem0.read(foreign))


async def test_causantics_chunks(engine: Engine, tmp_path: Path) -> None:
    file = sqlite_file(tmp_path, CAUSANTIC)
    taken = await take_from(engine, "causantic", originals.read_causantic(file))
    assert [path.name for path in tmp_path.glob("foreign*")] == ["foreign.db"]
    reasons = dict(taken.skipped)
    assert reasons["chunk c3"].startswith("start_time: must be a date and time")
    assert reasons["chunk c4"].startswith("content: must be text")
    found = await imported(engine)
    where, answer = "[User] Where is the key?", "[User] Under the mat."
    assert links(found) == {(where, "temporal_next", answer)}
    key = found[where]
    assert (key["project"], key["session"]["name"]) == ("/home/anna/api", "s1")
    assert (key["created_at"], key["event_type"]) == ("2025-03-01T10:00:00+00:00", "episode")


async def test_thoughts_and_graphs_of_langbase_reasoning(engine: Engine, tmp_path: Path) -> None:
    file = sqlite_file(tmp_path, LANGBASE)
    taken = await take_from(engine, "langbase-reasoning", originals.read_langbase(file))
    assert [where for where, _ in taken.skipped] == ["thought t3"]
    found = await imported(engine)
    assert links(found) == {
        ("So save.", "derived_from", "Costs rise."), ("Leaf.", "derived_from", "Root."),
    }  # fmt: skip
    assert found["So save."]["confidence"] == 0.9
    assert found["Costs rise."]["metadata"]["imported_from"]["metadata"] == {"k": 1}


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("CREATE TABLE t (a)", "the table chunks is missing: expected the schema of Causantic"),
        (CAUSANTIC + "UPDATE schema_version SET version = 16", "16 is newer .* versions 4 to 15"),
        (CAUSANTIC + "UPDATE schema_version SET version = 2",
         "2 is too old: .*; start the newest Causantic once"),
    ],
)  # fmt: skip
def test_an_sqlite_file_of_another_schema_is_refused(
    tmp_path: Path, statements: str, expected: str
) -> None:
    with pytest.raises(InvalidArgument, match=expected):
        list(originals.read_causantic(sqlite_file(tmp_path, statements)))


def test_what_is_no_database_is_refused_without_its_secrets(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    file.write_bytes(b"\x12" * 5_000)
    with pytest.raises(InvalidArgument, match="not a SQLite database, or is encrypted"):
        list(originals.read_causantic(str(file)))
    file.write_bytes(b"SQLite format 3\0" + b"\x12" * 5_000)
    with pytest.raises(InvalidArgument, match="damaged"):
        list(originals.read_causantic(str(file)))
    with pytest.raises(InvalidArgument, match="in a Postgres database: give its URL, such as"):
        list(originals.read_thoughtmcp(str(file)))
    with pytest.raises(InvalidArgument, match="cannot be read: check the URL") as refused:
        list(originals.read_thoughtmcp("postgresql://anna:hush@127.0.0.1:1/x"))
    assert "hush" not in refused.value.message
