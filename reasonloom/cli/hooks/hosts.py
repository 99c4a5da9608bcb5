"""How each host calls our hooks: its file, its events, and where its transcripts lie."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reasonloom.cli.user_files.folders import (
    claude_home,
    codex_home,
    cursor_recordings,
    gemini_home,
    user_home,
    vscode_home,
)
from reasonloom.errors import InvalidArgument, UnknownName

if TYPE_CHECKING:
    from reasonloom.nodes.history.ingestion.formats import Format

USER, PROJECT = "user", "project"
SESSION = re.compile(r"[A-Za-z0-9_-]{1,100}")
DETACH, PROJECT_NOTES, RECORD = "--detach", "claudemd-generator", "record"


@dataclass(frozen=True, slots=True)
class HookHost:
    """A host with hooks.

    Attributes:
        title: its display name.
        form: the format of its transcripts.
        places: the file of its hooks by scope; a project's is in the working directory.
        transcripts: the folder of transcripts; no file outside of it is read.
        events: what each of its events runs: names of hooks, after options.
        per_second: the unit of its time limits, in parts of a second; 0 if none are set.
        longest: the longest time limit of an event, in seconds.
        names_folder: whether a transcript names the working folder; else that of the hook counts.
        variable: the variable that moves the folder of transcripts.
        agents_within: the transcripts of sub-agents in a session's folder.
        agents_near: those next to the session's, which name it in their first line.
        flat: whether an event lists its handlers themselves, not groups of them.
        records: whether `transcripts` has what our hook `record` wrote, not what the host wrote.
    """

    title: str
    form: Format
    places: Mapping[str, Callable[[], Path]]
    transcripts: Callable[[], Path]
    events: Mapping[str, str]
    variable: str
    per_second: int = 1
    longest: Mapping[str, int] = field(default_factory=dict)
    names_folder: bool = True
    agents_within: str = "subagents/*.jsonl"
    agents_near: str = ""
    flat: bool = False
    records: bool = False


def _here(*names: str) -> Callable[[], Path]:
    return lambda: Path.cwd().joinpath(*names)


CLAUDE_CODE = "claude-code"
HOOK_HOSTS: Mapping[str, HookHost] = {
    CLAUDE_CODE: HookHost(
        "Claude Code",
        "claude-code",
        {USER: lambda: claude_home() / "settings.json", PROJECT: _here(".claude", "settings.json")},
        lambda: claude_home() / "projects",
        {
            "SessionStart": "session-start",
            "PreCompact": "pre-compact",
            "SessionEnd": f"session-end {PROJECT_NOTES}",
        },
        "REASONLOOM_CLAUDE_CONFIG_DIR",
        agents_near="agent-*.jsonl",
    ),
    "codex": HookHost(
        "Codex",
        "codex",
        {USER: lambda: codex_home() / "hooks.json", PROJECT: _here(".codex", "hooks.json")},
        lambda: codex_home() / "sessions",
        {
            "SessionStart": "session-start",
            "PreCompact": f"{DETACH} pre-compact",
            "SessionEnd": f"{DETACH} session-end",
        },
        "CODEX_HOME",
        longest={"SessionEnd": 3},
        agents_near="rollout-*.jsonl",
    ),
    "gemini": HookHost(
        "Gemini CLI",
        "gemini",
        {USER: lambda: gemini_home() / "settings.json", PROJECT: _here(".gemini", "settings.json")},
        lambda: gemini_home() / "tmp",
        {"SessionStart": "session-start", "SessionEnd": f"{DETACH} session-end"},
        "GEMINI_CLI_HOME",
        per_second=1000,
        agents_within="*.jsonl",
        names_folder=False,
    ),
    "cursor": HookHost(
        "Cursor",
        "cursor",
        {USER: lambda: user_home() / ".cursor" / "hooks.json",
         PROJECT: _here(".cursor", "hooks.json")},
        cursor_recordings,
        {
            "sessionStart": "session-start",
            **dict.fromkeys(("beforeSubmitPrompt", "afterAgentResponse", "afterAgentThought",
                             "postToolUse", "postToolUseFailure"), RECORD),
            "sessionEnd": f"{DETACH} session-end",
        },
        "REASONLOOM_HOME",
        per_second=0,
        flat=True,
        records=True,
    ),
    "vscode": HookHost(
        "VS Code",
        "vscode",
        {USER: lambda: user_home() / ".copilot" / "hooks" / "reasonloom.json",
         PROJECT: _here(".github", "hooks", "reasonloom.json")},
        vscode_home,
        {
            "SessionStart": "session-start",
            "PreCompact": f"{DETACH} pre-compact",
            "Stop": f"{DETACH} session-end",
        },
        "VSCODE_PORTABLE",
        flat=True,
    ),
}  # fmt: skip


def find_hook_host(name: str) -> HookHost:
    """Return the host of that name.

    Raises:
        UnknownName: there is no such host, or it has no hooks.
    """
    if name not in HOOK_HOSTS:
        known = ", ".join(HOOK_HOSTS)
        raise UnknownName(f"--host: {name[:40]} has no hooks; with hooks: {known}", field="host")
    return HOOK_HOSTS[name]


def recording_path(host: HookHost, session: str | None) -> Path:
    """Return the file of a session's recording.

    Raises:
        InvalidArgument: the session's id cannot be the name of a file.
    """
    if session is None or not SESSION.fullmatch(session):
        message = (
            "conversation_id: must be 1 to 100 letters, digits, - and _, such as 668320d2-2fd8"
        )
        raise InvalidArgument(message, field="conversation_id")
    return host.transcripts() / f"{session}.jsonl"
