"""Whatever a hook is given, it ends with 0, says nothing, and tells why in its log and its row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reasonloom.cli.hooks.hosts import HOOK_HOSTS, HookHost
from reasonloom.cli.hooks.input import HookInput, parse_input, transcript_files
from reasonloom.errors import InvalidArgument
from tests.support.clients.hook_host import PATIENCE, Host
from tests.support.databases.postgres import TestPostgres

SECRET = "sk-secret-0123456789"


@pytest.fixture
def host(postgres: TestPostgres, database: str, tmp_path: Path) -> Host:
    return Host(tmp_path, postgres.address.dsn("postgres", database))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"{" + SECRET.encode(), "not a JSON object"),
        (b"[1, 2]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"\x00\xff\xfe\x80" * 400, "not a JSON object"),
        ("{}".encode("utf-16"), "not a JSON object"),
        (b"[" * 200_000, "not a JSON object"),
        (b"x" * (1024 * 1024 + 1), "more than"),
        (b'{"session_id": 5}', "session_id: must be text"),
        (b'{"cwd": "\\u0000"}', "cwd: must be text"),
        (b'{"cwd": "\\ud800"}', "cwd: must be text"),
        (b'{"cwd": "' + b"x" * 5_000 + b'"}', "cwd: must be text"),
        (b'{"cwd": "relative"}', "cwd: must be the full path"),
        (b"{}", "cwd: must be the full path"),
    ],
)
def test_a_bad_input_is_no_fault_of_the_hosts(host: Host, data: bytes, said: str) -> None:
    done = host.hook("session-start", given=data)
    assert (done.stdout, done.stderr) == (b"", b"")
    row = host.rows()["session-start"]
    assert row["succeeded"] is False
    assert said in row["message"]
    assert said in host.log
    assert SECRET not in host.log
    assert (host.home / "hooks.log").stat().st_mode & 0o777 == 0o600


def test_input_that_never_ends_is_cut_off(host: Host) -> None:
    host.more = {"REASONLOOM_HOOK_SECONDS": "12"}
    silent, endless = host.start("session-start"), host.start("session-end")
    assert endless.stdin
    begun = time.monotonic()
    with suppress(BrokenPipeError):
        for _ in range(10_000):
            endless.stdin.write(b" " * 65_536)
    assert endless.wait(PATIENCE) == 0
    assert silent.wait(PATIENCE) == 0
    assert time.monotonic() - begun < 40
    for process in (silent, endless):
        assert process.stdout
        assert process.stdout.read() == b""
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream
            with suppress(BrokenPipeError):
                stream.close()
    assert "not complete within" in host.rows()["session-start"]["message"]
    assert "more than" in host.rows()["session-end"]["message"]


def test_the_end_of_the_input_is_not_waited_for(host: Host) -> None:
    process = host.start("session-start")
    assert process.stdin
    process.stdin.write(json.dumps(host.given("SessionStart")).encode())
    process.stdin.flush()
    assert process.wait(PATIENCE) == 0
    process.communicate()
    assert host.rows()["session-start"]["succeeded"] is True


@pytest.mark.parametrize("names", [(), ("sesion-start",), ("--nonsense", "-x"), ("serve",)])
def test_an_unknown_hook_is_told_and_no_fault(host: Host, names: tuple[str, ...]) -> None:
    done = host.hook(*names, given=b"{}")
    assert done.stdout == b""
    assert b"unknown hook; known: session-start, session-end" in done.stderr
    assert host.rows() == {}


def test_a_setting_that_cannot_be_used_is_told_and_no_fault(host: Host) -> None:
    host.more = {"REASONLOOM_HOOK_SECONDS": "soon"}
    done = host.hook("session-start", given=host.given("SessionStart"))
    assert done.stdout == b""
    assert "REASONLOOM_HOOK_SECONDS" in host.log


def test_a_home_that_cannot_be_written_is_no_fault(host: Host) -> None:
    host.home.write_text("a file")
    done = host.hook("session-start", given=b"nonsense")
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_closed_stdin_and_stdout_are_no_fault(host: Host) -> None:
    shell = 'exec "$0" -m reasonloom hook session-start <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", shell, sys.executable], env=host.environment, cwd=host.root,
                          timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 0
    assert "empty" in host.log


def test_a_transcript_that_is_none_is_not_read(host: Host) -> None:
    outside = host.root / "secret.jsonl"
    outside.write_text(SECRET)
    row = host.ended(transcript_path=str(outside))
    assert row["succeeded"] is False
    assert "REASONLOOM_CLAUDE_CONFIG_DIR" in row["message"]
    row = host.ended()
    assert (row["succeeded"], row["message"]) == (
        True,
        "there is no transcript yet: nothing to store",
    )
    (host.transcripts / "11111111-2222-3333-4444-555555555555.jsonl").write_bytes(b"\x00\x01" * 999)
    row = host.ended()
    assert row["succeeded"] is False
    assert "1 file refused" in row["message"]
    assert host.count("chunks") == 0
    assert SECRET not in host.log
    assert str(host.root) not in host.log


def lies(host: Host) -> dict[str, str]:
    """Return paths that are no transcripts, by what is wrong with them."""
    inside = host.transcripts
    (host.root / "secret.jsonl").write_text(SECRET)
    (inside / "folder.jsonl").mkdir()
    (inside / "link.jsonl").symlink_to(host.root / "secret.jsonl")
    (inside / "loop.jsonl").symlink_to(inside / "loop.jsonl")
    os.mkfifo(inside / "pipe.jsonl")
    (inside / "text.txt").write_text("x")
    return {
        "outside": str(host.root / "secret.jsonl"),
        "climbing": str(inside / ".." / ".." / ".." / "secret.jsonl"),
        "link out": str(inside / "link.jsonl"),
        "loop": str(inside / "loop.jsonl"),
        "folder": str(inside / "folder.jsonl"),
        "pipe": str(inside / "pipe.jsonl"),
        "device": "/dev/zero",
        "device by name": "/dev/zero.jsonl",
        "other kind": str(inside / "text.txt"),
        "relative": "projects/x.jsonl",
        "under a file": str(inside / "text.txt" / "x.jsonl"),
        "too long a name": str(inside / ("x" * 300 + ".jsonl")),
    }


def host_with(folder: Path) -> HookHost:
    return replace(HOOK_HOSTS["claude-code"], transcripts=lambda: folder)


def test_no_path_but_a_transcripts_is_opened(host: Host) -> None:
    folder = host.claude / "projects"
    for wrong, path in lies(host).items():
        with pytest.raises(InvalidArgument) as refused:
            transcript_files(HookInput(transcript=path), host_with(folder))
        assert path not in refused.value.message, wrong
    assert (
        transcript_files(
            HookInput(transcript=str(host.transcripts / "none.jsonl")), host_with(folder)
        )
        == []
    )


def test_an_agents_file_that_leads_elsewhere_is_left_out(host: Host) -> None:
    main = host.wrote(host.script().user("hello"))
    folder = main.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (host.root / "secret.jsonl").write_text(SECRET)
    (folder / "agent-x.jsonl").symlink_to(host.root / "secret.jsonl")
    (folder / "agent-y.jsonl").mkdir()
    os.mkfifo(host.transcripts / "agent-z.jsonl")
    found = transcript_files(HookInput(transcript=str(main)), host_with(host.claude / "projects"))
    assert found == [main.resolve()]


@pytest.mark.parametrize("field", ["session_id", "transcript_path", "cwd", "hook_event_name"])
@pytest.mark.parametrize("value", [5, True, ["x"], {"a": 1}, "x" * 5_000, "a\0b", "\udc80"])
def test_a_field_that_is_no_text_is_named(field: str, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=f"{field}: must be text"):
        parse_input({field: value})
    assert parse_input({field: None}) == parse_input({field: ""}) == HookInput()
