"""Reads mem0's memories: JSON of its API, points of Qdrant, or its table in Postgres.

Formats: `get_all` and the REST API return {"results": [{id, memory, ...}]} or a list; Qdrant's
scroll returns {"result": {"points": [{id, payload}]}}; the table has the columns id, vector and
payload. A payload has `data` in place of `memory`, and the caller's metadata among its keys.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.importers.databases import Schema, is_postgres, open_postgres
from reasonloom.importers.records import (
    BadRecordError,
    Entries,
    Record,
    Skipped,
    is_past,
    json_lines,
    load_json,
    moment_in,
    plain,
    read_each,
    read_text,
    text_in,
    texts_in,
)

TABLE = "mem0"
"""The default name of mem0's collection."""

EXPECTED = (
    'FILE: holds no memories of mem0; expected {"results": [{"id": "...", "memory": "..."}]}, '
    "a list or lines of such objects, or Qdrant's points with their payloads"
)
DETAILS = (
    "hash", "agent_id", "app_id", "run_id", "actor_id", "role", "attributed_to", "updated_at",
)  # fmt: skip
OWN = frozenset({
    *DETAILS, "id", "data", "memory", "user_id", "created_at", "metadata", "categories",
    "expiration_date", "text_lemmatized", "score",
})  # fmt: skip


def read(location: str, table: str = TABLE) -> Entries:
    """Yield the memories in a file, or in the table of a Postgres database.

    Raises:
        InvalidArgument: nothing of mem0 is there.
    """
    now = datetime.now(UTC)

    def take(where: str, item: Mapping[str, Any]) -> list[Record]:
        return [_record(where, item, now)]

    if not is_postgres(location):
        text = read_text(Path(location))
        yield from read_each(_objects(text), take)
        yield from _left_out(text)
        return
    schema = Schema("mem0 1 and 2 in pgvector", {table: ("id", "payload")})
    with open_postgres(location, schema) as rows:
        found = ((f"row {row['id']}", row) for row in rows("SELECT id, payload FROM {table}"))
        yield from read_each(found, take)


def _objects(text: str) -> Iterator[tuple[str, Any]]:
    try:
        found = _list_in(load_json(text))
    except ValueError:
        found = None
    if found is not None:
        yield from ((f"record {place}", item) for place, item in enumerate(found, start=1))
        return
    parsed = json_lines(text)
    if not any(
        isinstance(item, dict) and item.keys() & {"memory", "payload"} for _, item in parsed
    ):
        raise InvalidArgument(EXPECTED, field="file")
    yield from parsed


def _list_in(value: Any) -> list[Any] | None:
    """Return the list of memories or points in a file's value, None if there is none."""
    for name in ("result", "results", "memories", "points"):
        if isinstance(value, dict) and isinstance(value.get(name), dict | list):
            return _list_in(value[name])
    return value if isinstance(value, list) else None


def _record(where: str, item: Any, now: datetime) -> Record:
    if not isinstance(item, Mapping):
        raise BadRecordError('must be a JSON object, such as {"id": "...", "memory": "..."}')
    known = item.get("payload", item)
    if not isinstance(known, Mapping):
        raise BadRecordError("payload: must be an object with data")
    expires = moment_in(known, "expiration_date")
    if is_past(expires, now):
        raise BadRecordError(f"expiration_date: expired on {expires}")
    created, updated = moment_in(known, "created_at"), moment_in(known, "updated_at")
    unknown = {name: value for name, value in known.items() if name not in OWN}
    session = known.get("run_id")
    return Record(
        key=text_in({"id": str(item.get("id") or "")}, "id", "f4cbdb08"),
        where=where,
        fields={
            "content": text_in(known, "data" if "data" in known else "memory"),
            "created_at": created,
            "valid_from": updated or created,
            "tags": texts_in(known, "categories"),
            "session": {"name": str(session)} if session else None,
        },
        details={
            **{name: plain(known.get(name)) for name in DETAILS},
            "metadata": plain(known.get("metadata") or unknown),
        },
        user=str(known["user_id"]) if known.get("user_id") else None,
    )


def _left_out(text: str) -> Entries:
    """Yield what an answer of mem0 has beyond a whole list of memories."""
    try:
        answer = load_json(text)
    except ValueError:
        return
    answer = answer if isinstance(answer, dict) else {}
    if related := answer.get("relations"):
        yield Skipped("relations", f"{len(related)} between entities, which are no memories")
    result = answer.get("result")
    if answer.get("next") or (isinstance(result, dict) and result.get("next_page_offset")):
        yield Skipped("the file", "holds one page; the next pages are not in it")
