"""Turns of Gemini CLI's transcripts: messages that grow, changes of the session, folders."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.hosts import gemini
from reasonloom.transcripts.lines import Position
from reasonloom.transcripts.turns import Source, Turn
from tests.support.history.host_transcripts import CodexScript, GeminiScript, tool_call
from tests.support.history.transcripts import Script, part_texts


def turns(script: GeminiScript) -> list[Turn]:
    return list(gemini.read(io.BytesIO(script.data())))


def test_a_message_that_grew_is_read_once_in_its_place() -> None:
    script = GeminiScript().user("Почини вход 🙂").answered("I look first.", "a")
    call = tool_call("list_directory", {"dir_path": "/src"}, "a.py")
    script.answered("I look first.", "a", toolCalls=[call])
    script.message("user", call["result"]).answered("Готово").user("Danke").answered("Bitte")
    first, second = turns(script)
    assert part_texts(first) == [
        ("user", "Почини вход 🙂"),
        ("assistant", "I look first."),
        ("tool_use", "/src"),
        ("tool_result", "a.py"),
        ("assistant", "Готово"),
    ]
    assert first.parts[3].name == "list_directory"
    assert "/src" in first.parts[2].files
    assert (first.complete, second.complete, first.source.session) == (True, False, script.session)


def test_thoughts_failures_files_and_contents_of_each_form_are_read() -> None:
    script = GeminiScript().message("user", "as text").message("user", {"text": "as a part"})
    script.message("user", ["parts", {"inlineData": {"data": "x"}}, {"text": "t", "thought": True}])
    failed = tool_call("run_shell_command", {"command": "ls"}, "", status="error")
    failed["result"] = [{"functionResponse": {"response": {"error": "no such file"}}}]
    thought = {"subject": "Plan", "description": "look", "timestamp": "2026-03-01T09:00:00Z"}
    script.message("gemini", "", thoughts=[thought], toolCalls=[failed, "odd"])
    *before, last = turns(script)
    assert [part_texts(turn)[0][1] for turn in before] == ["as text", "as a part"]
    assert part_texts(last)[:2] == [("user", "parts\n[file]"), ("thinking", "Plan\nlook")]
    assert (last.parts[-1].failed, last.parts[-1].errors) == (True, ("no such file",))


def test_what_gemini_adds_to_a_request_is_left_out() -> None:
    script = GeminiScript().user("<hook_context>notes</hook_context>\n\nWhat now?")
    script.message("user", "@a.py with its text", displayContent=[{"text": "@a.py"}])
    assert [part_texts(turn) for turn in turns(script)] == [
        [("user", "What now?")],
        [("user", "@a.py")],
    ]


def test_a_rewind_and_changes_of_the_session_add_nothing() -> None:
    script = GeminiScript().user("one").answered("1").put({"$rewindTo": "x"})
    script.put({"$set": {"sessionId": "other", "summary": "s"}}).user("two")
    assert [turn.source.session for turn in turns(script)] == [script.session] * 2


def test_clients_notes_are_no_part_and_unknown_and_malformed_lines_are_counted() -> None:
    script = GeminiScript().user("begin").message("info", "i").message("error", "e")
    script.message("brand-new", "x").put({"type": "user", "content": "no id"}).put({"id": "x"})
    script.lines += ["{nonsense", "[1]", ""]
    reading = gemini.read(io.BytesIO(script.answered("end").data()))
    (turn,) = list(reading)
    assert part_texts(turn) == [("user", "begin"), ("assistant", "end")]
    assert (reading.skipped.malformed, reading.skipped.unknown) == (4, 1)


@pytest.mark.parametrize("data", [Script().user("x").data(), CodexScript().user("x").data()])
def test_a_file_of_another_format_is_refused(data: bytes) -> None:
    lines = [line for line in data.splitlines() if b'"sessionId"' not in line] or [b'{"a":1}']
    with pytest.raises(InvalidArgument, match="no conversation in this format"):
        list(gemini.read(io.BytesIO(b"\n".join(lines))))


def test_a_path_tells_the_folder_and_whose_sub_agent_it_is(tmp_path: Path) -> None:
    chats = tmp_path / "api" / "chats"
    (chats / "parent").mkdir(parents=True)
    (tmp_path / "api" / ".project_root").write_text("/home/ana/api\n")
    main = gemini.source_of(chats / "session-2026-03-01T09-00-abcdefgh.jsonl")
    assert main == Source(project="/home/ana/api")
    agent = gemini.source_of(chats / "parent" / "0123456789.jsonl")
    assert agent == Source(session="parent", project="/home/ana/api", agent="01234567")
    (turn,) = list(gemini.read(io.BytesIO(GeminiScript().user("x").data()), source=agent))
    assert (turn.source.session, turn.agent) == ("parent", "01234567")


@pytest.mark.parametrize(
    "data", [b"relative/path", b"", b"\xff\xfe", b"/a\0b", b"/" + b"x" * 9_000]
)
def test_a_folder_that_is_no_path_counts_as_none(tmp_path: Path, data: bytes) -> None:
    root = tmp_path / "api" / ".project_root"
    root.parent.mkdir()
    root.write_bytes(data)
    found = gemini.source_of(tmp_path / "api" / "chats" / "session-x.jsonl").project
    assert found is None or len(found) <= 4_096
    root.unlink()
    assert gemini.source_of(tmp_path / "api" / "chats" / "session-x.jsonl").project is None


def test_reading_goes_on_where_it_ended() -> None:
    script = GeminiScript().user("one").answered("1").user("two").answered("half", "a")
    reading = gemini.read(io.BytesIO(script.data()))
    assert [(turn.number, turn.complete) for turn in reading] == [(1, True), (2, False)]
    assert reading.position
    since = Position.of(json.loads(json.dumps(reading.position.wire())))
    again = gemini.read(io.BytesIO(script.answered("whole", "a").data()), since)
    (turn,) = list(again)
    assert (turn.number, part_texts(turn)) == (2, [("user", "two"), ("assistant", "whole")])
