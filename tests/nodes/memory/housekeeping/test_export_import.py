"""An export holds everything, and an import gives it back once, wherever it is taken."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from reasonloom.contracts.caller import Caller
from reasonloom.errors import EmbedderUnavailable, InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.portable import importer
from reasonloom.nodes.memory.portable.export import ExportOptions
from reasonloom.nodes.memory.portable.importer import MemoryImport
from reasonloom.nodes.memory.portable.validation import check_file, embedder_in_use
from reasonloom.text.hidden_characters import remove_hidden
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import OWNER, as_file, exported, rows, take_in

OTHER = Caller("local", "other")
WHOLE = ExportOptions(embeddings=True, hidden=True)
ODD = (
    "👩‍👩‍👧 and 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "مرحبا بالعالم", "日本語の文章です。", "a\tb\r\nc", "\u200d\u0301é",
    "\x01\x7f\x85",
    "\ufeffbom", "'; DROP TABLE memories; --", "\\u0000 \\N {}", "\u2028\u2029", "x" * 3000,
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(exclude_categories=("Cs", "Cn", "Co"), exclude_characters="\0"),
            min_size=1, max_size=80),
).filter(lambda text: text.strip() != "" and remove_hidden(text) == (text, 0))  # fmt: skip
UNITS = st.floats(0, 1)
TIMES = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2100, 1, 1)).map(
    lambda moment: moment.isoformat() + "+00:00"
)
SECTORS = st.sampled_from(["episodic", "semantic", "procedural", "emotional", "reflective"])


@st.composite
def memories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw the lines of a small export, with links among them."""
    count = draw(st.integers(1, 5))
    kinds = st.sampled_from(["related_to", "derived_from", "supports", "supersedes"])
    drawn = []
    for number in range(1, count + 1):
        line = {
            "id": f"mem-{number}",
            "content": draw(TEXTS),
            "sector": draw(SECTORS),
            "event_type": draw(st.sampled_from(["fact", "episode", "decision"])),
            "created_at": draw(TIMES),
            "last_accessed": draw(TIMES),
            "strength": draw(UNITS),
            "salience": draw(UNITS),
            "importance": draw(UNITS),
            "confidence": draw(UNITS),
            "trust": draw(UNITS),
            "decay_rate": draw(UNITS),
            "access_count": draw(st.integers(0, 2**31 - 1)),
            "keywords": draw(st.lists(TEXTS, max_size=3)),
            "tags": draw(st.lists(TEXTS, max_size=3)),
            "source_kind": draw(st.sampled_from(["user", "tool", "derived", "transcript"])),
        }
        optional: dict[str, Any] = {
            "category": draw(st.none() | TEXTS),
            "context": draw(st.none() | TEXTS),
            "project": draw(st.none() | TEXTS),
            "hidden_at": draw(st.none() | TIMES),
            "decayed_at": draw(st.none() | TIMES),
            "session": draw(
                st.none() | st.sampled_from(["diary", "日記"]).map(lambda n: {"name": n})
            ),
        }
        line.update({name: value for name, value in optional.items() if value is not None})
        others = st.sampled_from([other for other in range(1, count + 1) if other != number] or [0])
        if count > 1:
            targets = draw(st.lists(others, max_size=2, unique=True))
            line["edges"] = [
                {"target": f"mem-{to}", "type": draw(kinds), "weight": draw(UNITS), "origin": "o"}
                for to in targets
            ]
        drawn.append(line)
    return drawn


def essence(export: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the memories without what is an import's own: ids, provenance, and link times."""
    _, *found = export
    place = {line["id"]: index for index, line in enumerate(found)}
    essential = []
    for line in found:
        kept = {name: value for name, value in line.items() if name not in ("id", "provenance")}
        kept["session"] = (line.get("session") or {}).get("name")
        kept["superseded_by"] = place.get(line.get("superseded_by", ""))
        kept["edges"] = sorted(
            (place[edge["target"]], edge["type"], edge["weight"], edge["origin"])
            for edge in line.get("edges", ())
        )
        essential.append(kept)
    return essential


@given(drawn=memories())
@tries(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_export_import_export_gives_the_same(
    engine: Engine, drawn: list[dict[str, Any]]
) -> None:
    one, other = Caller("local", f"one {uuid4()}"), Caller("local", f"other {uuid4()}")
    done = await take_in(engine, as_file(drawn), one, keep_strength=True)
    assert (done.stored + done.there, done.unembedded) == (len(drawn), 0)
    first = await exported(engine, one, WHOLE, size=2)
    await take_in(engine, as_file(first), other, keep_strength=True)
    second = await exported(engine, other, WHOLE)
    assert essence(second) == essence(first)
    assert len(first) - 1 == done.stored
    if done.stored == len(drawn):  # nothing was twice in what was drawn
        asked = essence([{}, *drawn])
        for line, wanted in zip(essence(first), asked, strict=True):
            named = {name: value for name, value in wanted.items() if name != "superseded_by"}
            assert {name: line.get(name) for name in named} == named


async def test_the_same_file_twice_adds_nothing(engine: Engine) -> None:
    plain: list[dict[str, Any]] = [
        {"content": "Green tea is in the tin."},
        {"content": "Ben sings.", "tags": ["Ben"]},
    ]
    assert (await take_in(engine, as_file(plain))).stored == 2
    again = await take_in(engine, as_file([*plain[::-1], plain[0]]))
    assert (again.stored, again.there) == (0, 3)
    whole = await exported(engine)
    for caller, stored in ((OWNER, 0), (OTHER, 2), (OTHER, 0)):
        assert (await take_in(engine, as_file(whole), caller)).stored == stored


async def test_an_imported_memory_is_found_and_says_where_it_came_from(engine: Engine) -> None:
    await take_in(engine, as_file([{"content": "Green tea is in the tin.", "source_kind": "x"}]))
    assert await recalled(engine, "where is the tea?") == ["Green tea is in the tin."]
    (row,) = await rows(engine, "SELECT tool, source_kind, strength, run_id FROM memories")
    assert (row.tool, row.source_kind, row.strength) == ("import", "user", 1.0)
    (run,) = await rows(engine, "SELECT id FROM runs WHERE tool = 'import'")
    assert run.id == row.run_id


async def test_strength_starts_anew_unless_it_is_kept(engine: Engine) -> None:
    line = {"content": "Old.", "strength": 0.25, "access_count": 7, "created_at": "2020-01-01"}
    await take_in(engine, as_file([line]))
    await take_in(engine, as_file([line]), OTHER, keep_strength=True)
    query = "SELECT strength, access_count, created_at, decayed_at FROM memories"
    ((fresh,), (kept,)) = (await rows(engine, query), await rows(engine, query, OTHER))
    assert (fresh.strength, fresh.access_count) == (1.0, 0)
    assert fresh.decayed_at > fresh.created_at, "it would fade for all the years before"
    assert (kept.strength, kept.access_count, kept.decayed_at) == (0.25, 7, None)


async def test_a_bad_line_is_named_with_number_field_and_form(engine: Engine) -> None:
    text = (
        b'{"contnet": "x"}\n\n{"content": " "}\nnonsense\n{"content": "ok"}\n'
        b'{"content": "x", "strength": 2}\n{"content": "x", "sector": "moody"}\n'
        b'{"content": "x", "created_at": "yesterday"}\n{"content": "\\ud800"}\n'
        b'{"content": "\xff"}\n{"content": "x", "id": "mem-1"}\n{"content": "y", "id": "mem-1"}\n'
        b'{"content": "\\u202e\\u2066"}\n{"content": "x", "strength": NaN}\n' + b"[" * 9999 + b"\n"
    )
    found = check_file(io.BytesIO(text), embedder_in_use(engine.loom.embedder))
    assert [(bad.number, bad.fault.split(";")[0]) for bad in found.faults] == [
        (1, "Missing required parameter: content"),
        (3, "Content cannot be empty"),
        (4, "not a JSON object"),
        (6, "strength: must be less than or equal to 1"),
        (7, "sector: must be one of 'episodic', 'semantic', 'procedural', 'emotional', "
            "'reflective'"),
        (8, "created_at: must be a date and time of ISO 8601, such as 2025-12-07T10:30:00Z"),
        (9, "content: holds NUL, a lone surrogate or a noncharacter"),
        (10, "not a JSON object"),
        (12, "id: mem-1 is on line 11 already"),
        (13, "Content cannot be empty"),
        (14, "strength: must be a finite number"),
        (15, "not a JSON object"),
    ]  # fmt: skip
    assert (found.memories, found.bad) == (2, 12)
    assert await rows(engine, "SELECT id FROM memories") == []


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"format": "reasonloom-memories", "version": 2}, "version 2 of the format is newer"),
        ({"format": "something else", "version": 1}, "line 1, the header: format: must be one of"),
        ({"format": "reasonloom-memories"}, "Missing required parameter: version"),
    ],
)
def test_a_header_that_is_not_ours_is_refused(header: dict[str, Any], said: str) -> None:
    from reasonloom.contracts.memory.export_format import PortableEmbedder

    with pytest.raises(InvalidArgument, match=said):
        check_file(as_file([header]), PortableEmbedder(model="m", dimension=2))


async def test_hidden_characters_are_left_out_and_counted(engine: Engine) -> None:
    line = {"content": "ab\u202ecd \U000e0041x", "tags": ["\u2066t"], "context": "c\u2069"}
    checked = check_file(as_file([line]), embedder_in_use(engine.loom.embedder))
    assert checked.removed == 4
    await take_in(engine, as_file([line]))
    (row,) = await rows(engine, "SELECT content, tags, context FROM memories")
    assert tuple(row) == ("abcd x", ["t"], "c")


class CountingEmbedder:
    """An embedder that counts its texts, and may be away."""

    def __init__(self, inner: Any, *, model: str | None = None, away: bool = False) -> None:
        self.inner, self.away, self.texts = inner, away, 0
        self.model = model or inner.model
        self.dimension, self.floor = inner.dimension, inner.floor

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.away:
            raise EmbedderUnavailable("away")
        self.texts += len(texts)
        return list(await self.inner.embed(texts))

    async def close(self) -> None:
        """Hold nothing."""


@pytest.mark.parametrize(("model", "anew"), [(None, 0), ("another", 1)])
async def test_vectors_are_taken_over_from_the_same_model_alone(
    engine: Engine, model: str | None, anew: int
) -> None:
    await remember(engine, "Green tea is in the tin.")
    whole = await exported(engine, wish=WHOLE)
    embedder = CountingEmbedder(engine.loom.embedder, model=model)
    engine.loom = replace(engine.loom, embedder=embedder)
    await take_in(engine, as_file(whole), OTHER)
    assert bool(embedder.texts) == bool(anew)
    query = "SELECT e.model FROM embeddings e JOIN memories m ON m.id = e.memory_id"
    assert {row.model for row in await rows(engine, query, OTHER)} == {embedder.model}


async def test_broken_vectors_are_a_bad_line(engine: Engine) -> None:
    await remember(engine, "Green tea is in the tin.")
    header, line = await exported(engine, wish=WHOLE)
    for wrong in ("", "AAAA", "no base64!", "AHwA" * 170 + "AHw=", "AAAA" * 170 + "AAA="):
        line["embeddings"][0]["vector"] = wrong
        checked = check_file(as_file([header, line]), embedder_in_use(engine.loom.embedder))
        assert checked.faults[0].fault.startswith("embeddings: must "), wrong


async def test_without_an_embedder_memories_come_without_vectors_and_say_so(engine: Engine) -> None:
    engine.loom = replace(engine.loom, embedder=CountingEmbedder(engine.loom.embedder, away=True))
    done = await take_in(engine, as_file([{"content": "Green tea is in the tin."}]))
    assert (done.stored, done.unembedded) == (1, 1)
    assert await recalled(engine, "tea") == ["Green tea is in the tin."]


class Killed(BaseException):
    """Stands for a kill between two batches."""


async def test_what_a_kill_leaves_is_whole_batches_and_the_rest_follows(engine: Engine) -> None:
    count = importer.BATCH + 40
    lines = [
        {"id": f"mem-{n}", "content": f"Fact {n}.",
         "edges": [{"target": f"mem-{n % count + 1}", "type": "related_to", "weight": 1}]}
        for n in range(1, count + 1)
    ]  # fmt: skip
    source = as_file(lines)
    work = MemoryImport(engine.loom, OWNER, source, embedder_in_use(engine.loom.embedder))

    def fall(_: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        await work.store(fall)
    (row,) = await rows(engine, "SELECT count(*) AS n FROM memories")
    assert row.n == importer.BATCH
    done = await take_in(engine, source)
    assert (done.stored, done.there, done.edges) == (40, importer.BATCH, count)
    assert (await take_in(engine, source)).edges == 0


async def test_hidden_memories_stay_at_home_unless_they_are_asked_for(engine: Engine) -> None:
    await remember(engine, "Green tea is kept in the tin.")
    memory = await remember(engine, "Green tea is kept in the box.")
    await call(engine, "forget", {"userId": "local", "memoryId": memory, "soft": True})
    header, *found = await exported(engine)
    assert (header["memories"], [line["id"] for line in found]) == (1, ["mem-1"])
    assert all("edges" not in line for line in found), "a link to what is not in the file"
    whole = await exported(engine, wish=WHOLE)
    await take_in(engine, as_file(whole), OTHER)
    shown = "SELECT content FROM memories WHERE deleted_at IS NULL"
    assert [row.content for row in await rows(engine, shown, OTHER)] == [
        "Green tea is kept in the tin."
    ]


async def test_a_foreign_space_is_not_in_an_export(engine: Engine) -> None:
    await remember(engine, "Mine.")
    await remember(engine, "Theirs.", userId="other")
    await remember(engine, "Another owner's.", owner="ben")
    assert "Theirs" not in json.dumps(await exported(engine))
    assert "owner's" not in json.dumps([await exported(engine), await exported(engine, OTHER)])


async def test_restoring_into_the_same_space_brings_only_what_is_gone(engine: Engine) -> None:
    kept = await remember(engine, "Anna sings.")
    gone = await remember(engine, "Ben cooks on Fridays.")
    whole = await exported(engine, wish=WHOLE)
    await call(engine, "forget", {"userId": "local", "memoryId": gone})
    done = await take_in(engine, as_file(whole))
    assert (done.stored, done.there) == (1, 1)
    found = await rows(engine, "SELECT id, content, session_id FROM memories ORDER BY id")
    assert [(f"mem-{row.id}", row.content) for row in found] == [
        (kept, "Anna sings."), ("mem-3", "Ben cooks on Fridays."),
    ]  # fmt: skip
    assert len({row.session_id for row in found}) == 1
