"""Turns of Codex's rollouts: what begins one, what is kept, whose it is."""

from __future__ import annotations

import io
import json

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.hosts import codex
from reasonloom.transcripts.lines import Position
from reasonloom.transcripts.turns import Turn
from tests.support.history.host_transcripts import CodexScript, GeminiScript
from tests.support.history.transcripts import Script, part_texts


def turns(script: CodexScript) -> list[Turn]:
    return list(codex.read(io.BytesIO(script.data())))


def test_a_turn_is_a_request_and_all_until_the_next() -> None:
    script = CodexScript().user("Почини вход 🙂")
    script.item("reasoning", id="rs", summary=[{"type": "summary_text", "text": "hm"}])
    script.used("exec_command", {"cmd": "ls src/a.py"}).returned("src/a.py").answered("Готово")
    script.user("Danke schön").answered("Bitte")
    first, second = turns(script)
    assert part_texts(first) == [
        ("user", "Почини вход 🙂"),
        ("thinking", "hm"),
        ("tool_use", "ls src/a.py"),
        ("tool_result", "src/a.py"),
        ("assistant", "Готово"),
    ]
    assert [part.name for part in first.parts if part.tool_id] == ["exec_command"] * 2
    assert (first.number, first.complete, second.number, second.complete) == (1, True, 2, False)
    assert (first.source.session, first.source.project) == (script.session, "/home/ana/api")
    assert (first.source.branch, first.source.client) == ("main", "0.171.0")
    assert first.started_at
    assert first.ended_at
    assert first.ended_at > first.started_at


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", None),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nb\n</INSTRUCTIONS>", None),
        ("<turn_aborted>\nThe user interrupted\n</turn_aborted>\n", None),
        ("<user_shell_command>ls</user_shell_command>", None),
        ("looks typed", ["environments.environment_context"]),
        ("   ", ["user.text"]),
    ],
)
def test_what_codex_writes_in_the_users_name_begins_no_turn(
    text: str, kinds: list[str] | None
) -> None:
    script = CodexScript().user("begin").answered("one")
    script.message("user", text, kinds=kinds).message("developer", "rules").answered("two")
    (turn,) = turns(script)
    assert part_texts(turn) == [("user", "begin"), ("assistant", "one"), ("assistant", "two")]


def test_tags_within_what_a_person_typed_stay() -> None:
    (turn,) = turns(CodexScript().user("Why is <b>this</b> bold?"))
    assert part_texts(turn) == [("user", "Why is <b>this</b> bold?")]


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        (
            "Chunk ID: 5f\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno",
            "no",
            True,
        ),
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nExit code: 3", "Exit code: 3", False),
        ('{"output":"boom","metadata":{"exit_code":1,"duration_seconds":0.1}}', "boom", True),
        ({"content": "denied", "success": False}, "denied", True),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}], "a\n[image]", False),
        ("plain", "plain", False),
    ],
)
def test_outputs_of_all_versions_are_read(output: object, text: str, failed: bool) -> None:
    script = CodexScript().user("go").used("shell", {"command": ["ls"]}).returned(output)
    result = turns(script)[0].parts[-1]
    assert (result.text, result.failed, result.name) == (text, failed, "shell")
    assert bool(result.errors) == failed


def test_other_tools_and_summaries_are_read() -> None:
    script = CodexScript().user("go")
    script.item("custom_tool_call", name="apply_patch", call_id="c", input="*** Begin Patch")
    script.item("local_shell_call", call_id="l", action={"type": "exec", "command": ["ls"]})
    script.item("web_search_call", action={"type": "search", "query": "pgvector"})
    script.item("function_call", name="odd", call_id="o", arguments="{not json")
    script.line("compacted", {"message": "So far: nothing.", "replacement_history": []})
    script.line("compacted", {"message": "", "window_id": "w"})
    parts = turns(script)[0].parts[1:]
    assert [part.name for part in parts] == [
        "apply_patch",
        "local_shell",
        "web_search",
        "odd",
        None,
    ]
    assert parts[3].text == "{not json"
    assert (parts[4].kind, parts[4].text) == ("summary", "So far: nothing.")


def test_a_sub_agents_rollout_belongs_to_the_session_that_started_it() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "parent", "depth": 1}}}
    meta = {"source": spawn, "agent_nickname": "Dalton"}
    (turn,) = turns(CodexScript(session="child", meta=meta).user("Count").answered("17"))
    assert (turn.source.session, turn.source.agent, turn.agent) == ("parent", "Dalton", "Dalton")
    (review,) = turns(CodexScript(meta={"source": {"subagent": "review"}}).user("x"))
    assert (review.source.session, review.agent) == (CodexScript().session, None)


def test_a_fork_keeps_its_own_session_where_it_repeats_that_of_its_origin() -> None:
    script = CodexScript(session="fork").line("session_meta", {"id": "origin", "cwd": "/other"})
    (turn,) = turns(script.user("hi"))
    assert (turn.source.session, turn.source.project) == ("fork", "/home/ana/api")


def test_noise_is_passed_over_and_unknown_and_malformed_lines_are_counted() -> None:
    script = CodexScript().user("begin")
    script.line("turn_context", {"cwd": "/y"}).line("world_state", {}).line("event_msg", {"x": 1})
    script.item("ghost_snapshot").item("compaction", encrypted_content="x")
    script.item("brand_new").line("brand_new", {})
    script.item("message", role="user", content=7).item("function_call", name="f")
    script.item("function_call_output", call_id="c", output=None)
    script.lines += ["{nonsense", "[1]", "7", "", '{"type":"response_item","payload":[]}']
    reading = codex.read(io.BytesIO(script.answered("end").data()))
    (turn,) = list(reading)
    assert part_texts(turn) == [("user", "begin"), ("assistant", "end")]
    assert (reading.skipped.malformed, reading.skipped.unknown) == (7, 2)


@pytest.mark.parametrize(
    "data", [Script().user("x").data(), GeminiScript().user("x").data(), b"hello\n", b"{}\n" * 700]
)
def test_a_file_of_another_format_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidArgument, match="no conversation in this format"):
        list(codex.read(io.BytesIO(data)))


def test_reading_goes_on_where_it_ended() -> None:
    script = CodexScript().user("one").answered("1").user("two").used("shell", {"command": "x"})
    reading = codex.read(io.BytesIO(script.data()[:-30]))
    assert [(turn.number, turn.complete) for turn in reading] == [(1, True), (2, False)]
    assert reading.position
    since = Position.of(json.loads(json.dumps(reading.position.wire())))
    again = codex.read(io.BytesIO(script.returned("y").data()), since)
    (turn,) = list(again)
    assert (turn.number, turn.source.session) == (2, script.session)
    assert part_texts(turn) == [("user", "two"), ("tool_use", "x"), ("tool_result", "y")]
    assert not again.rewritten
