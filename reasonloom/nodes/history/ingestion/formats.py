"""Detects a file's format, and names the session of a file that does not name it."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from reasonloom.transcripts import claude_code, plain
from reasonloom.transcripts.hosts import codex, cursor, gemini, vscode
from reasonloom.transcripts.lines import HEAD, Line, Lines, Position, parse_entry
from reasonloom.transcripts.reader import TurnReader
from reasonloom.transcripts.turns import Skipped

Format = Literal["claude-code", "codex", "gemini", "cursor", "vscode", "jsonl", "text"]
FORMATS: tuple[Format, ...] = (
    "claude-code", "codex", "gemini", "cursor", "vscode", "jsonl", "text",
)  # fmt: skip
ONE_SESSION: frozenset[Format] = frozenset({"claude-code", "codex", "gemini", "cursor", "vscode"})
"""Formats of hosts: a file has one session, which its first lines may lack."""

READERS: Mapping[Format, Callable[[BinaryIO, Position | None], TurnReader]] = {
    "codex": codex.read,
    "cursor": cursor.read,
    "vscode": vscode.read,
}
"""The readers of formats of which a file's path tells nothing."""

WINDOW = 64 * 1024
"""Bytes read to detect a format; a line that starts within them is read to its end."""

UNSURE = ".jsonl"


@dataclass(frozen=True, slots=True)
class SniffResult:
    """A file's format, the digest of its first bytes, and its first timestamp."""

    form: Format
    head: str
    begins: str


def sniff_format(stream: BinaryIO, path: Path) -> SniffResult:
    """Detect the format from the first lines; an unrecognised `.jsonl` file counts as JSONL.

    Lines are decoded as in the later reading, and overlong ones are skipped likewise.
    """
    stream.seek(0)
    window = stream.read(WINDOW)
    form: Format | None = None
    begins = ""
    for line in _first_lines(stream):
        if (entry := _entry(line)) is not None:
            form = form or _form(entry)
            time = entry.get("timestamp") or entry.get("time") or entry.get("startTime")
            begins = begins or (time if isinstance(time, str) else "")
        if form and (begins or line.end >= WINDOW):
            break
    if form is None and window.lstrip().startswith(b'{"parentUuid"'):
        form = "claude-code"
    form = form or ("jsonl" if path.suffix == UNSURE else "text")
    return SniffResult(form, hashlib.sha256(window[:HEAD]).hexdigest(), begins)


def _first_lines(stream: BinaryIO) -> Iterator[Line]:
    """Yield the lines that begin within the window, and at least one."""
    for line in Lines(stream, 0):
        yield line
        if line.end >= WINDOW:
            return


def _entry(line: Line) -> dict[str, Any] | None:
    """Parse a line as a JSON object; None if it is none."""
    return parse_entry(line, Skipped()) if b"{" in line.data[:16] else None


def _form(entry: dict[str, Any]) -> Format | None:
    """Return the format of a line's object; None if it is unknown."""
    kind = entry.get("type")
    if isinstance(entry.get("payload"), dict) and kind in codex.KNOWN:
        return "codex"
    if isinstance(entry.get("sessionId"), str) and "projectHash" in entry:
        return "gemini"
    if isinstance(entry.get("data"), dict) and kind in vscode.KNOWN:
        return "vscode"
    if isinstance(entry.get("conversation_id"), str) and "hook_event_name" in entry:
        return "cursor"
    if kind in claude_code.KNOWN and "content" not in entry:
        return "claude-code"
    return "jsonl" if "role" in entry and "content" in entry else None


def format_of(name: str) -> Format:
    """Return a format by its name."""
    return next(form for form in FORMATS if form == name)


def open_reading(stream: BinaryIO, path: Path, form: Format, since: Position | None) -> TurnReader:
    """Return a reader of a file's turns, from the beginning or from `since`.

    Raises:
        InvalidArgument: it is binary, UTF-16, or holds no conversation in this format.
    """
    if form == "claude-code":
        return claude_code.read(stream, since, agent=claude_code.agent_of(path))
    if form == "gemini":
        return gemini.read(stream, since, source=gemini.source_of(path))
    if form in READERS:
        return READERS[form](stream, since)
    return plain.read_jsonl(stream, since) if form == "jsonl" else plain.read_text(stream, since)


def default_session(path: Path) -> str:
    """Return a session name for a file that has none, from the file's name and folder."""
    if path.parent.name == "subagents":
        return path.parent.parent.name
    place = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()
    stem = "".join(sign for sign in path.stem if sign.isprintable()).strip()
    return f"{stem.encode('utf-8', 'replace').decode()[:100]}-{place[:8]}"
