"""Turns of Claude Code transcripts: what begins one, what is kept, whose it is."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import PurePath

import pytest

from reasonloom.transcripts import claude_code
from reasonloom.transcripts.turns import Kind
from tests.support.history.transcripts import Script, part_texts, turns_of


def test_a_turn_is_a_request_and_all_until_the_next() -> None:
    script = Script().user("Почини вход 🙂").thought("hm").used("Bash", {"command": "ls"})
    script.got("a.py\nb.py").said("Готово").user([{"type": "text", "text": "Danke schön"}])
    script.said("Bitte")
    first, second = turns_of(script.data())
    assert part_texts(first) == [
        ("user", "Почини вход 🙂"),
        ("thinking", "hm"),
        ("tool_use", "ls"),
        ("tool_result", "a.py\nb.py"),
        ("assistant", "Готово"),
    ]
    assert [p.name for p in first.parts if p.tool_id] == ["Bash", "Bash"]
    assert (first.number, first.complete, second.number, second.complete) == (1, True, 2, False)
    assert first.started_at == datetime(2026, 3, 1, 9, 0, 10, tzinfo=UTC)
    assert first.ended_at == datetime(2026, 3, 1, 9, 0, 50, tzinfo=UTC)
    assert (first.source.session, first.source.project) == (script.session, "/home/ana/api")
    assert (first.source.branch, first.source.client) == ("main", "2.1.0")


@pytest.mark.parametrize(
    "line",
    [
        ("[Request interrupted by user]", {}),
        ("[Request interrupted by user for tool use]", {}),
        ("Caveat: what follows was generated", {"isMeta": True}),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", {}),
        ("<local-command-stdout>ok</local-command-stdout>", {}),
        ("<bash-input>ls</bash-input>", {}),
        ("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", {}),
        ("<task-notification>done</task-notification>", {}),
        ("<system-reminder>be brief</system-reminder>", {}),
        ("This session is being continued", {"isCompactSummary": True}),
        ([{"type": "tool_result", "tool_use_id": "t", "content": "x"}], {}),
        ([], {}),
        ("   ", {}),
    ],
    ids=lambda line: str(line[0])[:30],
)
def test_what_nobody_asked_begins_no_turn(line: tuple[object, dict[str, object]]) -> None:
    script = Script().user("begin").said("one").user(line[0], **line[1]).said("two")
    (turn,) = turns_of(script.data())
    kept = part_texts(turn)
    assert kept[0] == ("user", "begin")
    assert kept[-1] == ("assistant", "two")
    assert not any("Caveat" in text or "reminder" in text for _, text in kept)


def test_noise_is_passed_over_and_unknown_and_malformed_lines_are_counted() -> None:
    script = Script().user("begin")
    script.lines += [
        '{"type":"file-history-snapshot","snapshot":{}}',
        '{"operation":"enqueue","type":"queue-operation"}',
        '{"type":"progress","data":{"type":"hook"}}',
        '{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}',
        "",
    ]
    script.said("end").lines += ['{"type":"user"}', "{nonsense", "[1]", '{"type":"brand-new"}', "7"]
    reading = claude_code.read(io.BytesIO(script.data()))
    (turn,) = list(reading)
    assert part_texts(turn) == [("user", "begin"), ("assistant", "end")]
    assert (reading.skipped.malformed, reading.skipped.unknown) == (4, 1)
    assert (reading.skipped.oversized, reading.skipped.recoded) == (0, 0)


def test_blocks_within_results_and_images_are_kept_as_text() -> None:
    nested = [
        {"type": "text", "text": "uno"},
        {"type": "image", "source": {"type": "base64", "data": "A" * 5000}},
        {"type": "group", "content": [{"type": "text", "text": "dos"}, "tres"]},
    ]
    picture = [{"type": "image", "source": {}}, {"type": "text", "text": "see this"}]
    (turn,) = turns_of(Script().user(picture).used("X", {"a": 1, "b": ["c"]}).got(nested).data())
    assert part_texts(turn) == [
        ("user", "[image]"),
        ("user", "see this"),
        ("tool_use", 'a: 1\nb: ["c"]'),
        ("tool_result", "uno\n[image]\ndos\ntres"),
    ]


def test_long_output_keeps_its_head_and_tail_and_says_how_much_is_cut() -> None:
    long = "\n".join(f"line {n}" for n in range(20_000))
    (turn,) = turns_of(Script().user("go").used("Bash", {"command": "x"}).got(long).data())
    text = turn.parts[-1].text
    assert text.startswith("line 0\n")
    assert text.endswith("line 19999")
    head, _, rest = text.partition("\n[… ")
    cut, _, tail = rest.partition(" characters cut …]\n")
    assert len(head) + int(cut.replace(",", "")) + len(tail) == len(long)
    assert len(text) < 2_000
    (turn,) = turns_of(Script().user("go").used("X", {}).got("id: " + "QUJD" * 900).data())
    assert turn.parts[-1].text == "id: [… 3,600 characters cut …]"


def test_files_errors_and_failures_are_found() -> None:
    trace = "File \"src/döner/main.py\", line 3\nKeyError: 'x'\nrest"
    script = Script().user("fix settings.toml").used("Edit", {"file_path": "/w/a b/c.rs", "n": "1"})
    (turn,) = turns_of(script.got(trace, error=True).data())
    asked, used, got = turn.parts
    assert asked.files == ("settings.toml",)
    assert used.files[0] == "/w/a b/c.rs"
    assert got.files == ("src/döner/main.py",)
    assert got.errors == ("KeyError: 'x'",)
    assert got.failed
    (turn,) = turns_of(Script().user("x").used("Y", {}).got("denied", error=True).data())
    assert turn.parts[-1].errors == ("denied",)


def test_sidechains_are_turns_of_their_agents_and_end_with_the_main_turn() -> None:
    script = Script().user("main one").used("Task", {"prompt": "look"}, "k1")
    script.user("look", isSidechain=True, agentId="a1").said("seen", isSidechain=True, agentId="a1")
    script.user("more", isSidechain=True, agentId="a1")
    script.got("report", "k1", toolUseResult={"agentId": "a1"}).user("main two")
    one, look, more, two = turns_of(script.data())
    assert [(t.number, t.agent, t.complete) for t in (one, look, more, two)] == [
        (1, None, True),
        (2, "a1", True),
        (3, "a1", True),
        (4, None, False),
    ]
    assert part_texts(look) == [("user", "look"), ("assistant", "seen")]
    assert part_texts(more) == [("user", "more")]
    assert [p.agent for p in one.parts] == [None, "a1", "a1"]


def test_older_sidechains_without_agents_are_told_apart_by_their_roots() -> None:
    script = Script().user("main")
    for name in ("rrrrrrrr-1", "ssssssss-2"):
        script.user("go", isSidechain=True, uuid=name)
        script.said("done", isSidechain=True, uuid=f"{name}-x", parentUuid=name)
    assert [t.agent for t in turns_of(script.data())] == [
        None,
        "sidechain-rrrrrrrr",
        "sidechain-ssssssss",
    ]


def test_an_agents_own_file_is_its_main_conversation() -> None:
    path = PurePath("/p/s1/subagents/agent-ab12.jsonl")
    agent = claude_code.agent_of(path)
    assert agent == "ab12"
    assert claude_code.agent_of(PurePath("/p/s1/subagents/x.jsonl")) == "x"
    assert claude_code.agent_of(PurePath("/p/1111-2222.jsonl")) is None
    script = Script()
    for text in ("brief", "again"):
        script.user(text, isSidechain=True, agentId="ab12")
        script.said("ok", isSidechain=True, agentId="ab12")
    turns = turns_of(script.data(), agent=agent)
    assert [(t.agent, t.source.agent, t.complete) for t in turns] == [
        ("ab12", "ab12", True),
        ("ab12", "ab12", False),
    ]


def test_a_progress_line_tells_which_agent_a_tool_started() -> None:
    script = Script().user("go").used("Task", {"prompt": "x"}, "k1")
    script.line("progress", data={"type": "agent_progress", "agentId": "a9"}, parentToolUseID="k1")
    (turn,) = turns_of(script.data())
    assert turn.parts[1].agent == "a9"


def test_summaries_join_the_turn_and_copies_within_it_are_left_out() -> None:
    script = Script()
    script.lines.append(json.dumps({"type": "summary", "summary": "Вход", "leafUuid": "x"}))
    script.user("go").said("once", uuid="same").said("once", uuid="same")
    script.user("It was continued", isCompactSummary=True).said("on")
    (turn,) = turns_of(script.data())
    assert part_texts(turn) == [
        ("summary", "Вход"),
        ("user", "go"),
        ("assistant", "once"),
        ("summary", "It was continued"),
        ("assistant", "on"),
    ]
    assert turn.parts[0].kind is Kind.SUMMARY
