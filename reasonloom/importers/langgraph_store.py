"""Reads the items of LangGraph's PostgresStore: the table `store`, one memory for each item.

Columns: prefix (the namespace, its labels joined by dots), key, value (jsonb), created_at,
updated_at, expires_at. The vectors in `store_vectors` are another embedder's and are not read.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from reasonloom.importers.databases import Schema, open_postgres
from reasonloom.importers.records import (
    BadRecordError,
    Entries,
    Record,
    is_past,
    moment_in,
    read_each,
)

SCHEMA = Schema(
    "LangGraph's PostgresStore (langgraph-checkpoint-postgres 3)",
    {"store": ("prefix", "key", "value", "created_at", "updated_at", "expires_at")},
    versions=("store_migrations", "v"),
    oldest=2,
    newest=3,
    upgrade="call the store's setup() once with a newer langgraph-checkpoint-postgres",
)
QUERY = """SELECT prefix, key, value, created_at, updated_at, expires_at FROM {table}
    ORDER BY created_at, prefix, key"""
TEXTS = ("content", "text", "memory", "data")
"""Keys under which agents keep a memory's text; LangMem nests `content` in `content`."""


def read(location: str) -> Entries:
    """Yield the store's items.

    Raises:
        InvalidArgument: the database cannot be read, or has no such table.
    """
    now = datetime.now(UTC)
    with open_postgres(location, SCHEMA) as rows:
        items = ((f"{row['prefix']} / {row['key']}", row) for row in rows(QUERY))
        yield from read_each(items, lambda where, row: [_record(where, row, now)])


def _record(where: str, row: Mapping[str, Any], now: datetime) -> Record:
    value, expires = row["value"], moment_in(row, "expires_at")
    if is_past(expires, now):
        raise BadRecordError(f"expires_at: expired on {expires}")
    if not isinstance(value, Mapping) or not value:
        raise BadRecordError('value: must be an object that is not empty, such as {"text": "..."}')
    content = _text_of(value)
    return Record(
        key=f"{row['prefix']}\n{row['key']}",
        where=where,
        fields={
            "content": content or json.dumps(value, ensure_ascii=False),
            "created_at": moment_in(row, "created_at"),
            "valid_from": moment_in(row, "updated_at"),
        },
        details={
            "id": row["key"],
            "namespace": row["prefix"].split("."),
            "updated_at": moment_in(row, "updated_at"),
            "value": value if content and set(value) - set(TEXTS) else None,
        },
    )


def _text_of(value: Mapping[str, Any]) -> str | None:
    for name in TEXTS:
        found = value.get(name)
        text = _text_of(found) if isinstance(found, Mapping) else found
        if isinstance(text, str) and text.strip():
            return text
    return None
