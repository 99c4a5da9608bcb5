"""Turns of VS Code's transcripts, and of what our hook recorded in Cursor."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.history.ingestion.formats import Format, sniff_format
from reasonloom.transcripts.hosts import cursor, vscode
from reasonloom.transcripts.lines import Position
from tests.support.history.editor_transcripts import CursorScript, VSCodeScript, tool_request
from tests.support.history.host_transcripts import CodexScript, GeminiScript
from tests.support.history.transcripts import Script, part_texts

READERS = {"vscode": vscode.read, "cursor": cursor.read}
SCRIPTS: dict[str, type[VSCodeScript] | type[CursorScript]] = {
    "vscode": VSCodeScript,
    "cursor": CursorScript,
}


def script(name: str) -> VSCodeScript | CursorScript:
    return SCRIPTS[name]()


@pytest.mark.parametrize("name", READERS)
def test_turns_have_their_source_and_the_last_is_open(name: str) -> None:
    told = script(name).user("Почини вход 🙂").answered("Готово").user("Danke").answered("Bitte")
    first, second = READERS[name](io.BytesIO(told.data()))
    assert part_texts(first) == [("user", "Почини вход 🙂"), ("assistant", "Готово")]
    assert (first.complete, second.complete) == (True, False)
    source = first.source
    assert (source.session, source.project) == (told.session, "/home/ana/api")
    assert source.client in {"1.120.0", "2.6.0"}
    assert first.started_at
    assert first.ended_at
    assert first.started_at < first.ended_at


def test_vscode_names_tools_by_their_calls_and_reads_thoughts_and_failures() -> None:
    told = (
        VSCodeScript()
        .user("List")
        .answered(
            "I look.",
            tool_request("list_dir", {"path": "/src"}, "call_1"),
            tool_request("run_in_terminal", {"command": "make"}, "call_2"),
            reasoningText="Where is it?",
        )
    )
    told.line("tool.execution_start", {"toolCallId": "call_1", "toolName": "list_dir"})
    told.returned("call_1", "a.py").returned("call_2", "no such file", success=False)
    told.returned("call_3", None).line("assistant.turn_end", {"turnId": "0"})
    (turn,) = vscode.read(io.BytesIO(told.data()))
    assert [kind for kind, _ in part_texts(turn)] == [
        "user", "thinking", "assistant", "tool_use", "tool_use", "tool_result", "tool_result",
    ]  # fmt: skip
    assert (turn.parts[5].name, turn.parts[6].name) == ("list_dir", "run_in_terminal")
    assert (turn.parts[6].failed, turn.parts[6].errors) == (True, ("no such file",))
    assert "/src" in turn.parts[3].files


def test_cursor_reads_tools_with_their_results_and_an_event_recorded_twice_once() -> None:
    told = CursorScript().user("List").line("afterAgentThought", text="Where?", duration_ms=9)
    told.line("postToolUse", tool_name="Shell", tool_use_id="t1",
              tool_input={"command": "ls /src/a.py"}, tool_output='{"stdout":"a.py"}')  # fmt: skip
    told.line("postToolUseFailure", tool_name="Shell", tool_use_id="t2",
              tool_input={"command": "x"}, error_message="not found")  # fmt: skip
    told.answered("One file.")
    once = told.data()
    told.lines = [line for line in told.lines for _ in range(2)]
    for data in (once, told.data()):
        (turn,) = cursor.read(io.BytesIO(data))
        assert [kind for kind, _ in part_texts(turn)] == [
            "user", "thinking", "tool_use", "tool_result", "tool_use", "tool_result", "assistant",
        ]  # fmt: skip
    assert (turn.parts[3].failed, turn.parts[5].failed) == (False, True)
    assert turn.parts[5].errors == ("not found",)


@pytest.mark.parametrize(
    ("name", "wrong", "unknown"),
    [
        ("vscode", [{"type": "user.message", "data": {"content": "no id"}}, {"id": "x"}],
         {"type": "brand.new", "data": {}, "id": "x"}),
        ("cursor", [{"hook_event_name": "beforeSubmitPrompt", "prompt": "no conversation"},
                    {"hook_event_name": "afterAgentResponse", "conversation_id": "c", "text": 7}],
         {"hook_event_name": "stop", "conversation_id": "c"}),
    ],
)  # fmt: skip
def test_unknown_and_malformed_lines_are_counted(
    name: str, wrong: list[dict[str, object]], unknown: dict[str, object]
) -> None:
    told = script(name).user("begin")
    for each in (*wrong, unknown):
        told.put(each)
    told.lines += ["{nonsense", "[1]", ""]
    reading = READERS[name](io.BytesIO(told.answered("end").data()))
    (turn,) = list(reading)
    assert part_texts(turn) == [("user", "begin"), ("assistant", "end")]
    assert (reading.skipped.malformed, reading.skipped.unknown) == (4, 1)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("other", [Script(), CodexScript(), GeminiScript()])
def test_a_file_of_another_format_is_refused(
    name: str, other: Script | CodexScript | GeminiScript
) -> None:
    with pytest.raises(InvalidArgument, match="no conversation in this format"):
        list(READERS[name](io.BytesIO(other.user("x").data())))


@pytest.mark.parametrize("name", READERS)
def test_reading_goes_on_where_it_ended(name: str) -> None:
    told = script(name).user("one").answered("1").user("two")
    reading = READERS[name](io.BytesIO(told.data()))
    assert [(turn.number, turn.complete) for turn in reading] == [(1, True), (2, False)]
    assert reading.position
    since = Position.of(json.loads(json.dumps(reading.position.wire())))
    (turn,) = READERS[name](io.BytesIO(told.answered("whole").data()), since)
    assert (turn.number, part_texts(turn)) == (2, [("user", "two"), ("assistant", "whole")])


@pytest.mark.parametrize("form", ["vscode", "cursor"])
def test_the_format_is_detected(form: Format) -> None:
    data = script(form).user("x").data()
    assert sniff_format(io.BytesIO(data), Path("x.jsonl")).form == form
