"""Plain conversations: JSONL and text, by roles, by names, by paragraphs."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from reasonloom.transcripts import plain
from reasonloom.transcripts.turns import Turn
from tests.support.history.transcripts import Shelf, part_texts


def jsonl(*entries: dict[str, Any]) -> bytes:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries).encode()


def turns(read: Any, data: bytes | str, **more: Any) -> list[Turn]:
    raw = data.encode() if isinstance(data, str) else data
    return list(read(io.BytesIO(raw), **more))


def test_roles_of_jsonl_make_turns() -> None:
    data = jsonl(
        {"role": "system", "content": "Be kind"},
        {"role": "user", "content": "Привет", "time": "2026-03-01T10:00:00+02:00", "session": "s1"},
        {"role": "assistant", "content": "Hola 🙂", "time": "2026-03-01T08:01:00Z"},
        {"role": "user", "content": "再见", "project": "/p/api"},
    )
    begin, one, two = turns(plain.read_jsonl, data)
    assert part_texts(begin) == [("summary", "Be kind")]
    assert part_texts(one) == [("user", "Привет"), ("assistant", "Hola 🙂")]
    assert part_texts(two) == [("user", "再见")]
    assert one.started_at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert one.ended_at == datetime(2026, 3, 1, 8, 1, tzinfo=UTC)
    assert (one.source.session, one.source.project) == ("s1", None)
    assert (two.source.session, two.source.project) == ("s1", "/p/api")


def test_the_first_name_begins_turns_and_others_answer() -> None:
    said = [("Čeněk", "hi"), ("Melanie", "hello"), ("Zoé", "me too"), ("Čeněk", "bye")]
    data = jsonl(*({"role": name, "content": text} for name, text in said))
    one, two = turns(plain.read_jsonl, data)
    assert [(p.kind.value, p.name) for p in one.parts] == [
        ("user", "Čeněk"),
        ("assistant", "Melanie"),
        ("assistant", "Zoé"),
    ]
    assert part_texts(two) == [("user", "bye")]
    text = "\n".join(f"{name}: {text}" for name, text in said)
    assert [part_texts(t) for t in turns(plain.read_text, text)] == [
        part_texts(one),
        part_texts(two),
    ]


def test_another_session_begins_another_turn_and_another_chunk() -> None:
    entries = [
        {"role": "user", "content": "same words here", "session": "a"},
        {"role": "assistant", "content": "same words here", "session": "b"},
    ]
    one, two = turns(plain.read_jsonl, jsonl(*entries))
    assert (one.source.session, two.source.session) == ("a", "b")
    shelf = Shelf(plain.read_jsonl)
    shelf.read(jsonl(*entries))
    assert [chunk.source.session for chunk in shelf.all()] == ["a", "b"]


def test_bad_lines_of_jsonl_are_counted() -> None:
    data = jsonl({"role": "user", "content": "x"}, {"role": "user"}, {"content": "y"})
    data += b'{"role": 1, "content": "z"}\nnonsense\n{"role": "user", "content": 5}\n{"role": "us'
    reading = plain.read_jsonl(io.BytesIO(data))
    assert [part_texts(turn) for turn in reading] == [[("user", "x")]]
    assert reading.skipped.malformed == 5


def test_text_continues_until_the_next_name() -> None:
    text = (
        "User: first\n  more\n\nNote: no name\nhttp://x.org: no\nAssistant: Sure\n- a: b\n\n"
        "User:\non the next line"
    )
    one, two = turns(plain.read_text, text)
    assert part_texts(one) == [
        ("user", "first\n  more\n\nNote: no name\nhttp://x.org: no"),
        ("assistant", "Sure\n- a: b"),
    ]
    assert part_texts(two) == [("user", "on the next line")]


def test_paragraphs_without_names_are_turns() -> None:
    one, two = turns(plain.read_text, "\n\nEin Absatz.\nzwei Zeilen\n\n\nНовый абзац.\n")
    assert (part_texts(one), part_texts(two)) == (
        [("user", "Ein Absatz.\nzwei Zeilen")],
        [("user", "Новый абзац.")],
    )


TEXT = (
    "Ana: Где ключ?\nBo: Unter der Matte\nand more\n\nAna: 谢谢 🙂\nBo: De rien\nAna: Tschüss\n"
    "Bo: bye\n" * 4
)


@pytest.mark.parametrize("text", [TEXT, "uno dos\ntres\n\ncuatro\n\n\ncinco seis\n\nsiete"])
def test_text_read_in_any_two_or_three_steps_is_the_same(text: str) -> None:
    data = text.encode()
    whole = Shelf(plain.read_text)
    whole.read(data)
    for cut in range(1, len(data), 3):
        shelf = Shelf(plain.read_text)
        for end in (cut, (cut + len(data)) // 2, len(data)):
            shelf.read(data[:end])
        assert shelf.all() == whole.all(), cut


def test_crlf_and_a_mark_at_the_beginning_are_no_content() -> None:
    (turn,) = turns(plain.read_text, "\ufeffAna: hi\r\nthere\r\n")
    assert part_texts(turn) == [("user", "hi\nthere")]
