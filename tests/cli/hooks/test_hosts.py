"""Hooks of Codex and Gemini CLI: what they capture, for whom, and that no host waits for them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.fork_server import program
from tests.support.clients.hook_host import PATIENCE, Host
from tests.support.databases.postgres import TestPostgres
from tests.support.history.host_transcripts import CodexScript, GeminiScript, HostScript


@pytest.fixture
def host(postgres: TestPostgres, database: str, tmp_path: Path) -> Host:
    program()
    more = {"REASONLOOM_HOOK_SECONDS": "80", "CODEX_HOME": str(tmp_path / "codex"),
            "GEMINI_CLI_HOME": str(tmp_path)}  # fmt: skip
    return Host(tmp_path, postgres.address.dsn("postgres", database), more)


def wrote(host: Host, name: str, script: HostScript) -> dict[str, Any]:
    """Write a transcript where the host keeps it; return what its hooks send."""
    day = host.root / "codex" / "sessions" / "2026" / "03" / "01"
    chats = host.root / ".gemini" / "tmp" / "api" / "chats"
    path = day / f"rollout-x-{script.session}.jsonl"
    path = path if name == "codex" else chats / f"session-x-{script.session[:8]}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(script.data())
    return {"session_id": script.session, "transcript_path": str(path), "cwd": str(host.project)}


def ended(host: Host, name: str, given: dict[str, Any]) -> dict[str, Any]:
    host.hook("--host", name, "session-end", given={**given, "hook_event_name": "SessionEnd"})
    return host.rows()["session-end"]


def script(host: Host, name: str) -> CodexScript | GeminiScript:
    made = CodexScript if name == "codex" else GeminiScript
    return made(session=f"{name}-session", cwd=str(host.project))


def test_a_session_of_one_host_is_known_to_the_next_one(host: Host) -> None:
    codex = script(host, "codex").user("Which database?").answered("We decided to use SQLite.")
    row = ended(host, "codex", wrote(host, "codex", codex))
    assert (row["succeeded"], row["project"]) == (True, "api"), row
    gemini = script(host, "gemini").user("Which port?").answered("We decided on port 8080.")
    assert ended(host, "gemini", wrote(host, "gemini", gemini))["project"] == "api"
    host.wrote(host.script().user("Which colour?").said("We decided on blue."))
    host.ended()
    told = host.began()
    for part in ("We decided on port 8080", "Which database?", "Which colour?"):
        assert part in told
    begun = {"session_id": "n", "cwd": str(host.project), "hook_event_name": "SessionStart"}
    answer = json.loads(host.hook("--host", "codex", "session-start", given=begun).stdout)
    assert "project api" in answer["hookSpecificOutput"]["additionalContext"]
    assert host.log == ""


def test_a_detached_hook_returns_at_once_and_stores_later(host: Host) -> None:
    given = wrote(host, "gemini", script(host, "gemini").user("x").answered("y"))
    done = host.hook("--host", "gemini", "--detach", "session-end", given=given)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert "session-end" not in host.rows()
    begun = time.monotonic()
    while host.rows().get("session-end") is None and time.monotonic() - begun < PATIENCE:
        time.sleep(0.1)
    assert host.rows()["session-end"]["message"].startswith("1 chunk stored")


def test_sub_agents_are_kept_with_their_session(host: Host) -> None:
    given = wrote(host, "codex", script(host, "codex").user("Count").answered("I delegate."))
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "codex-session"}}}
    child = CodexScript("child", str(host.project), meta={"source": spawn, "agent_role": "worker"})
    wrote(host, "codex", child.user("Count the invoices").answered("17"))
    wrote(host, "codex", CodexScript("stranger", str(host.project)).user("Not of this session"))
    assert ended(host, "codex", given)["message"].endswith("from 2 files")
    given = wrote(host, "gemini", script(host, "gemini").user("Count").answered("I delegate."))
    folder = Path(given["transcript_path"]).parent / "gemini-session"
    folder.mkdir()
    (folder / "agent.jsonl").write_bytes(GeminiScript("other").user("Count").answered("8").data())
    assert ended(host, "gemini", given)["message"].endswith("from 2 files")


@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_damaged_foreign_and_missing_transcripts_are_told_and_store_nothing(
    host: Host, name: str
) -> None:
    given = wrote(host, name, script(host, name).user("x").answered("y"))
    path = Path(given["transcript_path"])
    outside = host.root / "secret.jsonl"
    outside.write_bytes(path.read_bytes())
    wrong = ended(host, name, given | {"transcript_path": str(outside)})
    assert (wrong["succeeded"], "is outside" in wrong["message"]) == (False, True)
    assert ("CODEX_HOME" if name == "codex" else "GEMINI_CLI_HOME") in wrong["message"]
    none = ended(host, name, given | {"transcript_path": None})
    assert (none["succeeded"], none["message"]) == (False, "transcript_path: missing")
    path.write_bytes(b"\0\x01\x02" * 500)
    assert "binary" in ended(host, name, given)["message"]
    assert host.count("chunks") == 0
    path.write_bytes(script(host, name).user("x").answered("y").data()[:-20])
    assert ended(host, name, given)["succeeded"] is True


def test_an_unknown_host_is_told_and_no_fault(host: Host) -> None:
    done = host.hook("--host", "emacs", "session-end", given=b"{}")
    assert b"unknown host; known: claude-code, codex, gemini, cursor, vscode" in done.stderr
