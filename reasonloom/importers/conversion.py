"""Converts records into the lines that `memory import` reads, in a temporary file."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, BinaryIO
from uuid import UUID, uuid5

from reasonloom.importers.records import Entries, Link, Record, Skipped

ORIGINS = UUID("0f0a7a58-92d4-4f1b-8f2e-5d3f6f1f7c11")
"""Namespace of the origins of records; a record keeps its origin however often it is read."""

TWICE = "appears a second time in the source"


@dataclass(slots=True)
class Conversion:
    """The lines made from a source.

    Attributes:
        lines: the file of lines, to be read from its start.
        places: the place of each line's record in the source, by line.
        skipped: what is not imported.
        users: number of records of each user of the source.
        others: number of records left out because they are another user's.
    """

    lines: BinaryIO
    places: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    users: Counter[str] = field(default_factory=Counter)
    others: int = 0


@contextmanager
def converted(program: str, entries: Entries, *, user: str | None = None) -> Iterator[Conversion]:
    """Yield the lines of all records, or of those of one user of the source.

    Links are kept by number: a key has one from its first mention on. A memory's origin depends on
    its source, key and content: read again it is the same, and changed at its source another.
    """
    numbers: dict[str, int] = {}

    def number(key: str) -> str:
        return f"mem-{numbers.setdefault(key, len(numbers) + 1)}"

    with tempfile.TemporaryFile() as lines:
        made = Conversion(lines)
        keys: set[str] = set()
        for entry in entries:
            if isinstance(entry, Skipped):
                made.skipped.append(entry)
                continue
            if entry.user is not None:
                made.users[entry.user] += 1
            if user is not None and entry.user != user:
                made.others += 1
            elif entry.key in keys:
                made.skipped.append(Skipped(entry.where, TWICE))
            else:
                keys.add(entry.key)
                line = _line(program, entry)
                line["id"] = number(entry.key)
                if entry.links:
                    line["edges"] = [_edge(link, number(link.target)) for link in entry.links]
                if entry.superseded_by:
                    line["superseded_by"] = number(entry.superseded_by)
                lines.write(json.dumps(line).encode() + b"\n")
                made.places.append(entry.where)
        lines.seek(0)
        yield made


def _line(program: str, record: Record) -> dict[str, Any]:
    line = {name: value for name, value in record.fields.items() if value is not None}
    origin = record.origin
    if origin is None:
        named = f"{record.key}\n{line.get('content')}".encode("utf-8", "surrogatepass")
        origin = str(uuid5(ORIGINS, f"{program}\n{sha256(named).hexdigest()}"))
        known = {"program": program, "id": record.key, "user": record.user, **record.details}
        kept = {name: value for name, value in known.items() if value not in (None, [], {}, "")}
        line["metadata"] = {**line.get("metadata", {}), "imported_from": kept}
    return {**line, "provenance": {"origin": origin}}


def _edge(link: Link, target: str) -> dict[str, Any]:
    edge = {"target": target, "type": link.kind, "weight": link.weight, "origin": link.origin}
    return {**edge, "created_at": link.created_at} if link.created_at else edge
