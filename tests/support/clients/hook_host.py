"""A host that calls our hooks as Claude Code does: a process each, JSON on its standard input."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.history.transcripts import Script

PATIENCE = 100.0
MUCH = b" " * 200_000
"""More than a pipe holds: once it is written, the other side is reading."""

SESSION = "11111111-2222-3333-4444-555555555555"


@dataclass
class Host:
    """Claude Code's folder, a project, and the database that the hooks write to."""

    root: Path
    url: str
    more: dict[str, str] = field(default_factory=lambda: {"REASONLOOM_HOOK_SECONDS": "80"})

    def __post_init__(self) -> None:
        self.home, self.claude = self.root / "home", self.root / "claude"
        self.project = self.root / "работа" / "api"
        self.transcripts = self.claude / "projects" / "-api"
        for folder in (self.project, self.transcripts):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        ours = {"DATABASE_URL": self.url, "CLAUDE_CONFIG_DIR": str(self.claude), "COLUMNS": "200"}
        return environment(self.home, **{**ours, **self.more})

    def script(self, session: str = SESSION, **more: Any) -> Script:
        return Script(session=session, cwd=str(self.project), **more)

    def wrote(self, script: Script) -> Path:
        path = self.transcripts / f"{script.session}.jsonl"
        path.write_bytes(script.data())
        return path

    def given(self, event: str, session: str = SESSION, **more: Any) -> dict[str, Any]:
        return {
            "session_id": session,
            "transcript_path": str(self.transcripts / f"{session}.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": event,
        } | more

    def start(self, *names: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*program(), "hook", *names],
            env=self.environment,
            cwd=self.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def hook(
        self, *names: str, given: dict[str, Any] | bytes
    ) -> subprocess.CompletedProcess[bytes]:
        """Call hooks; whatever happens they end with 0 and without a traceback."""
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        process = self.start(*names)
        said, complained = process.communicate(data, timeout=PATIENCE)
        assert process.returncode == 0, complained
        assert b"Traceback" not in complained, complained
        return subprocess.CompletedProcess(list(names), 0, said, complained)

    def ended(self, session: str = SESSION, **more: Any) -> dict[str, Any]:
        """Let a session end; return the hook's row."""
        done = self.hook("session-end", given=self.given("SessionEnd", session, **more))
        assert done.stdout == b""
        return self.rows()["session-end"]

    def began(self, source: str = "startup", session: str = "new") -> str:
        """Let a session begin; return what the agent is told, empty where it is nothing."""
        given = self.given("SessionStart", session, source=source)
        said = self.hook("session-start", given=given).stdout.decode()
        if not said:
            return ""
        answer = json.loads(said)
        assert set(answer) == {"hookSpecificOutput"}
        assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
        return str(answer["hookSpecificOutput"]["additionalContext"])

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the hooks' rows by name."""
        names = ("hook", "ran_at", "succeeded", "message", "milliseconds", "project")
        with psycopg.connect(self.url) as connection:
            query = f"SELECT {', '.join(names)} FROM reasonloom.hooks".encode()
            found = [dict(zip(names, row, strict=True)) for row in connection.execute(query)]
        return {str(row["hook"]): row for row in found}

    def count(self, table: str) -> int:
        with psycopg.connect(self.url) as connection:
            row = connection.execute(f"SELECT count(*) FROM reasonloom.{table}".encode()).fetchone()
        return int(row[0]) if row else 0

    @property
    def log(self) -> str:
        path = self.home / "hooks.log"
        return path.read_text() if path.exists() else ""
