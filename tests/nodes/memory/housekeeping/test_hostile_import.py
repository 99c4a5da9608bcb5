"""Memory files that were written to do harm: bad lines are named, and texts stay texts."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import struct
import zlib
from typing import Any

import pytest

from reasonloom.contracts.memory.export_format import PortableEmbedder
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.portable.validation import MOST_LISTED, check_file
from tests.support.memory.housekeeping import as_file, rows, take_in

OURS = PortableEmbedder(model="m", dimension=2)
HEADER = {"format": "reasonloom-memories", "version": 1, "embedder": OURS.model_dump()}
SQL = "'; DROP TABLE memories; --"
EVERY = ["episodic", "semantic", "procedural", "emotional", "reflective"]


def faults(*lines: dict[str, Any]) -> list[str]:
    return [bad.fault for bad in check_file(as_file([HEADER, *lines]), OURS).faults]


def packed(*numbers: float) -> dict[str, Any]:
    vector = base64.b64encode(struct.pack(f"<{len(numbers)}e", *numbers)).decode()
    return {"content": "x", "embeddings": [{"sectors": EVERY, "vector": vector}]}


@pytest.mark.parametrize(
    "numbers",
    [(), (1.0,), (1.0, 1.0, 1.0), (1.0,) * 100_000, (0.0, 0.0), (float("nan"), 1.0),
     (float("inf"), 1.0)],
    ids=len,
)  # fmt: skip
def test_a_vector_of_another_size_or_not_finite_is_a_bad_line(numbers: tuple[float, ...]) -> None:
    assert faults(packed(1.0, 0.5)) == []
    (fault,) = faults(packed(*numbers))
    assert fault.startswith("embeddings: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", SQL), ("id", "mem-1; DELETE"), ("id", "mem-1\n"), ("id", "mem-9" + "9" * 30),
        ("id", 1), ("id", ["mem-1"]), ("superseded_by", SQL), ("session", {"id": SQL}),
        ("edges", [{"target": SQL, "type": "supports", "weight": 1}]),
        ("edges", [{"target": "mem-1", "type": SQL, "weight": 1}]),
        ("provenance", {"origin": SQL}), ("provenance", {"run_id": SQL}),
        ("access_count", 10**30), ("access_count", 1e308), ("decay_rate", 1e308),
        ("created_at", SQL), ("created_at", "9999999-01-01T00:00:00Z"), ("sector", SQL),
        ("tags", [["x"]]), ("tags", [{}]), ("tags", ["x"] * 10_001), ("context", {"a": {}}),
    ],
)  # fmt: skip
def test_what_is_no_value_of_its_field_is_a_bad_line(name: str, value: object) -> None:
    (fault,) = faults({"content": "x", name: value})
    assert fault.startswith(name)
    assert len(fault) < 500


async def test_sql_and_templates_in_texts_stay_texts(engine: Engine) -> None:
    texts = (SQL, "{{ ''.__class__ }}", "$1 %s %(a)s :b", "\\'; SELECT pg_sleep(9); --")
    lines = [
        {"content": each, "project": each, "category": each, "context": each, "tags": [each],
         "keywords": [each], "session": {"name": each}, "source_kind": each,
         "provenance": {"principal": each, "tool": each}}
        for each in texts
    ]  # fmt: skip
    await take_in(engine, as_file(lines))
    query = "SELECT content, project, category, context, tags, keywords FROM memories ORDER BY id"
    assert [tuple(row) for row in await rows(engine, query)] == [
        (each, each, each, each, [each], [each]) for each in texts
    ]


async def test_a_crowd_of_links_to_nowhere_and_to_itself_is_counted(engine: Engine) -> None:
    def edge(target: int) -> dict[str, Any]:
        return {"target": f"mem-{target}", "type": "supports", "weight": 1.0}

    lost, same = [edge(9)] * 50_000, [edge(1)] * 500 + [edge(2)] * 500
    lines: list[dict[str, Any]] = [
        {"id": "mem-1", "content": "one", "edges": lost + same},
        {"id": "mem-2", "content": "two"},
    ]
    done = await take_in(engine, as_file(lines))
    assert (done.stored, done.lost_edges) == (2, 50_000)
    assert done.edges <= 2


def test_more_links_than_a_line_may_have_are_a_bad_line() -> None:
    edges = b'{"target":"mem-1","type":"supports","weight":1}' + (
        b',{"target":"mem-1","type":"supports","weight":1}' * 100_000
    )
    found = check_file(io.BytesIO(b'{"content":"x","edges":[' + edges + b"]}\n"), OURS)
    assert [bad.fault.split(":")[0] for bad in found.faults] == ["edges"]
    found = check_file(io.BytesIO(b'{"content":"x","edges":[' + edges * 10 + b"]}\n"), OURS)
    assert [bad.fault for bad in found.faults] == ["longer than 8,000,000 bytes"]


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"content": ' + b'{"a":' * 100_000 + b"}" * 100_001,
        b'{"content": "x", "tags": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"content": "x", "session": ' + b'{"name":' * 900 + b"1" + b"}" * 901,
        b'{"content": ' + b"9" * 5_000 + b"}",
        b'{"content": "x", "strength": 1e999}',
        b'{"content": "x", "strength": -Infinity}',
        b"null", b'"x"', b"7",
    ],
    ids=range(10),
)  # fmt: skip
def test_a_line_that_nests_or_counts_without_end_is_bad(line: bytes) -> None:
    found = check_file(io.BytesIO(line + b'\n{"content": "good"}\n'), OURS)
    assert (found.bad, found.memories) == (1, 1)
    assert len(found.faults[0].fault) < 500


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zlib.compress])
def test_a_packed_file_is_never_unpacked(pack: Any) -> None:
    bomb = pack(b'{"content": "' + b"0" * 10_000_000 + b'"}\n')
    try:
        found = check_file(io.BytesIO(bomb), OURS)
    except InvalidArgument as error:
        assert "packed" in error.message or "binary" in error.message
    else:
        assert (found.memories, found.bad > 0) == (0, True)


def test_a_file_of_bad_lines_alone_is_counted_and_listed_in_part() -> None:
    found = check_file(io.BytesIO(b"x\n" * 20_000), OURS)
    assert (found.bad, len(found.faults)) == (20_000, MOST_LISTED)


def test_a_header_may_say_nothing_huge() -> None:
    for wrong in (
        {"version": 10**400},
        {"memories": -1},
        {"embedder": {"model": "m", "dimension": 10**9}},
    ):
        text = json.dumps({**HEADER, **wrong}).encode() + b"\n"
        with pytest.raises(InvalidArgument, match="line 1"):
            check_file(io.BytesIO(text), OURS)
