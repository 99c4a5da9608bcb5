"""Which format a file is in, and what it is called where it does not say so itself."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from reasonloom.transcripts import claude_code, plain
from reasonloom.transcripts.lines import HEAD, Line, Lines, Position, parse_entry
from reasonloom.transcripts.reader import TurnReader

Format = Literal["claude-code", "jsonl", "text"]
FORMATS: tuple[Format, ...] = ("claude-code", "jsonl", "text")
WINDOW = 64 * 1024
"""Bytes by which a format is known; where one line is longer, that line and what is before it."""

UNSURE = ".jsonl"


@dataclass(frozen=True, slots=True)
class SniffResult:
    """What a file's first bytes tell: its format, a digest, and the first time in it."""

    form: Format
    head: str
    begins: str


def sniff_format(stream: BinaryIO, path: Path) -> SniffResult:
    """Return what the first lines tell; a `.jsonl` file of other lines is taken for JSONL.

    Lines are read as they are read later: whatever their encoding, and none that is too long.
    """
    stream.seek(0)
    window = stream.read(WINDOW)
    form: Format | None = None
    begins = ""
    for line in _first_lines(stream):
        if (entry := _entry(line)) is not None:
            form = form or _form(entry)
            time = entry.get("timestamp") or entry.get("time")
            begins = begins or (time if isinstance(time, str) else "")
        if form and (begins or line.end >= WINDOW):
            break
    if form is None and window.lstrip().startswith(b'{"parentUuid"'):
        form = "claude-code"
    form = form or ("jsonl" if path.suffix == UNSURE else "text")
    return SniffResult(form, hashlib.sha256(window[:HEAD]).hexdigest(), begins)


def _first_lines(stream: BinaryIO) -> Iterator[Line]:
    """Yield the lines that begin within the window, or the first where none of those is taken."""
    for line in Lines(stream, 0):
        yield line
        if line.end >= WINDOW:
            return


def _entry(line: Line) -> dict[str, Any] | None:
    """Return the object that a line is."""
    return parse_entry(line, None) if b"{" in line.data[:16] else None


def _form(entry: dict[str, Any]) -> Format | None:
    """Return the format of a line."""
    if entry.get("type") in claude_code.KNOWN and "content" not in entry:
        return "claude-code"
    return "jsonl" if "role" in entry and "content" in entry else None


def format_of(name: str) -> Format:
    """Return a format by its name."""
    return next(form for form in FORMATS if form == name)


def open_reading(stream: BinaryIO, path: Path, form: Format, since: Position | None) -> TurnReader:
    """Return the turns of a file, from the beginning or from `since` on.

    Raises:
        InvalidArgument: it is binary, UTF-16, or holds no conversation in this format.
    """
    if form == "claude-code":
        return claude_code.read(stream, since, agent=claude_code.agent_of(path))
    return plain.read_jsonl(stream, since) if form == "jsonl" else plain.read_text(stream, since)


def default_session(path: Path) -> str:
    """Return what a session is called whose file does not tell: by the file's name and place."""
    if path.parent.name == "subagents":
        return path.parent.parent.name
    place = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()
    stem = "".join(sign for sign in path.stem if sign.isprintable()).strip()
    return f"{stem.encode('utf-8', 'replace').decode()[:100]}-{place[:8]}"
