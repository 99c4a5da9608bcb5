"""Reads the databases of ThoughtMCP, Causantic and mcp-langbase-reasoning, which we implement.

What is read: memories with metadata, tags and waypoints of ThoughtMCP; chunks and their edges of
Causantic; thoughts and graph nodes of mcp-langbase-reasoning. Vectors are computed anew.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from reasonloom.importers.databases import Rows, Schema, open_postgres, open_sqlite
from reasonloom.importers.records import (
    BadRecordError,
    Entries,
    Link,
    Record,
    kind_of,
    load_json,
    moment_in,
    read_each,
    text_in,
)

Links = Mapping[str, list[Link]]

THOUGHTMCP = Schema(
    "ThoughtMCP 0.5 and 0.6",
    {
        "memories": (
            "id", "content", "created_at", "last_accessed", "access_count", "salience",
            "decay_rate", "strength", "user_id", "session_id", "primary_sector",
        ),
        "memory_metadata": (
            "memory_id", "keywords", "tags", "category", "context", "importance", "parent_id",
        ),
        "memory_links": ("source_id", "target_id", "weight", "link_type", "created_at"),
    },
    versions=("schema_migrations", "version"),
    oldest=1,
    newest=8,
    upgrade="start the newest ThoughtMCP once",
)  # fmt: skip
MEMORIES = """SELECT m.*, d.keywords, d.tags, d.category, d.context, d.importance, d.parent_id
    FROM memories m LEFT JOIN memory_metadata d ON d.memory_id = m.id ORDER BY m.created_at, m.id"""
WAYPOINTS = """SELECT source_id AS source, target_id AS target, link_type AS kind, weight,
    created_at FROM memory_links"""

CAUSANTIC = Schema(
    "Causantic 0.3 to 0.10",
    {
        "chunks": (
            "id", "session_id", "session_slug", "start_time", "end_time", "content", "agent_id",
            "project_path", "turn_indices",
        ),
        "edges": (
            "source_chunk_id", "target_chunk_id", "edge_type", "reference_type", "initial_weight",
            "created_at",
        ),
    },
    versions=("schema_version", "version"),
    oldest=4,
    newest=15,
    upgrade="start the newest Causantic once",
)  # fmt: skip
CHUNKS = "SELECT * FROM chunks ORDER BY start_time, id"
FORWARD = """SELECT source_chunk_id AS source, target_chunk_id AS target, 'temporal_next' AS kind,
    initial_weight AS weight, created_at FROM edges WHERE edge_type = 'forward'"""

LANGBASE = Schema(
    "mcp-langbase-reasoning 0.2",
    {
        "sessions": ("id", "mode"),
        "thoughts": (
            "id", "session_id", "content", "confidence", "mode", "parent_id", "branch_id",
            "created_at", "metadata",
        ),
        "graph_nodes": (
            "id", "session_id", "content", "node_type", "score", "created_at", "metadata",
        ),
        "graph_edges": ("from_node", "to_node", "edge_type", "weight", "created_at"),
    },
    versions=("_sqlx_migrations", "version"),
    oldest=20240103000001,
    newest=20240110000001,
    upgrade="start the newest mcp-langbase-reasoning once",
)  # fmt: skip
THOUGHTS = """SELECT id, session_id, content, confidence, mode, branch_id, created_at, metadata
    FROM thoughts ORDER BY created_at, id"""
NODES = """SELECT id, session_id, content, score AS confidence, node_type AS mode, created_at,
    metadata FROM graph_nodes ORDER BY created_at, id"""
STEPS = """SELECT id AS source, parent_id AS target, 'derived_from' AS kind, 1.0 AS weight,
    created_at FROM thoughts WHERE parent_id IS NOT NULL"""
BETWEEN_NODES = """SELECT CASE WHEN edge_type IN ('supports', 'contradicts') THEN from_node
        ELSE to_node END AS source,
    CASE WHEN edge_type IN ('supports', 'contradicts') THEN to_node ELSE from_node END AS target,
    CASE WHEN edge_type IN ('supports', 'contradicts') THEN edge_type ELSE 'derived_from' END
        AS kind, weight, created_at FROM graph_edges"""


def read_thoughtmcp(location: str) -> Entries:
    """Yield ThoughtMCP's memories.

    Raises:
        InvalidArgument: the database cannot be read, or has another schema.
    """
    with open_postgres(location, THOUGHTMCP) as rows:
        yield from _entries(rows, "memory", MEMORIES, WAYPOINTS, _memory)


def read_causantic(location: str) -> Entries:
    """Yield Causantic's chunks.

    Raises:
        InvalidArgument: the file cannot be read, or has another schema.
    """
    with open_sqlite(location, CAUSANTIC) as rows:
        yield from _entries(rows, "chunk", CHUNKS, FORWARD, _chunk)


def read_langbase(location: str) -> Entries:
    """Yield the thoughts and graph nodes of mcp-langbase-reasoning.

    Raises:
        InvalidArgument: the file cannot be read, or has another schema.
    """
    with open_sqlite(location, LANGBASE) as rows:
        yield from _entries(rows, "thought", THOUGHTS, STEPS, _thought)
        yield from _entries(rows, "node", NODES, BETWEEN_NODES, _thought)


def _entries(
    rows: Rows, what: str, query: str, between: str, record: Callable[..., Record]
) -> Entries:
    links = _links(rows(between))

    def read(where: str, row: dict[str, Any]) -> list[Record]:
        return [record(where, row, tuple(links.get(row["id"], ())))]

    yield from read_each(((f"{what} {row['id']}", row) for row in rows(query)), read)


def _links(rows: Iterable[Mapping[str, Any]]) -> Links:
    found: dict[str, list[Link]] = defaultdict(list)
    for row in rows:
        weight = row["weight"] if isinstance(row["weight"], int | float) else 1.0
        kind = "temporal_next" if row["kind"] == "temporal_next" else kind_of(str(row["kind"]))
        at = None
        with suppress(BadRecordError):
            at = moment_in(row, "created_at")
        link = Link(row["target"], kind, min(1.0, max(0.0, weight)), created_at=at)
        found[row["source"]].append(link)
    return found


def _memory(where: str, row: Mapping[str, Any], links: tuple[Link, ...]) -> Record:
    if row["strength"] == 0:
        raise BadRecordError("strength: 0, which is how ThoughtMCP forgets softly")
    session = row["session_id"]
    fields = {
        name: row[name]
        for name in (
            "salience", "decay_rate", "strength", "access_count", "tags", "category", "context",
            "importance",
        )
    }  # fmt: skip
    moments = {name: moment_in(row, name) for name in ("created_at", "last_accessed")}
    return Record(
        key=row["id"],
        where=where,
        fields={
            **fields,
            **moments,
            "content": text_in(row, "content"),
            "keywords": row["keywords"] or None,
            "sector": row["primary_sector"],
            "session": {"name": session} if session else None,
        },
        details={"parent": row["parent_id"]},
        links=links,
        user=row["user_id"],
    )


def _chunk(where: str, row: Mapping[str, Any], links: tuple[Link, ...]) -> Record:
    start = moment_in(row, "start_time")
    return Record(
        key=text_in(row, "id"),
        where=where,
        fields={
            "content": text_in(row, "content"),
            "sector": "episodic",
            "source_kind": "tool",
            "created_at": start,
            "valid_from": start,
            "session": {"name": text_in(row, "session_id")},
            "project": row["project_path"] or row["session_slug"],
        },
        details={
            "end_time": moment_in(row, "end_time"),
            "agent": row["agent_id"],
            "turns": row["turn_indices"],
        },
        links=links,
    )


def _thought(where: str, row: Mapping[str, Any], links: tuple[Link, ...]) -> Record:
    confidence, metadata = row["confidence"], row["metadata"]
    try:
        metadata = load_json(metadata) if metadata else None
    except (TypeError, ValueError):
        raise BadRecordError("metadata: must be JSON") from None
    return Record(
        key=text_in(row, "id"),
        where=where,
        fields={
            "content": text_in(row, "content"),
            "sector": "reflective",
            "source_kind": "tool",
            "confidence": confidence,
            "created_at": moment_in(row, "created_at"),
            "session": {"name": text_in(row, "session_id")},
        },
        details={"mode": row["mode"], "branch": row.get("branch_id"), "metadata": metadata},
        links=links,
    )
