"""What the host tells a hook on standard input: read within a time and a size, and checked."""

from __future__ import annotations

import json
import os
import queue
import stat
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument, TimedOut

MOST = 1024 * 1024
"""Bytes taken from standard input; what the host sends has a few hundred."""

BLOCK = 64 * 1024
LONGEST_PATH, LONGEST_NAME = 4_096, 200
MOST_AGENTS = 500
"""Files of sub-agents that are taken with a session."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a hook was told; each None where it was not.

    Attributes:
        event: `SessionStart`, `SessionEnd`, `PreCompact`, …
        source: why: `startup`, `resume`, `clear`, `compact`; `manual`, `auto`; a reason to end.
    """

    session: str | None = None
    transcript: str | None = None
    cwd: str | None = None
    event: str | None = None
    source: str | None = None


def read_given(seconds: float) -> Given:
    """Read one JSON object from standard input; its end need not follow.

    Raises:
        InvalidArgument: it is empty, too long, no JSON object, or a field is no usable text.
        TimedOut: it did not come within `seconds`.
    """
    data = b""
    for block in _blocks(seconds):
        data += block
        if len(data) > MOST:
            raise InvalidArgument(f"standard input: more than {MOST:,} bytes", field="stdin")
        if data.rstrip().endswith(b"}") and (found := _object(data)) is not None:
            return given_of(found)
    if not data.strip():
        raise InvalidArgument("standard input: empty; the host sends JSON", field="stdin")
    found = _object(data)
    if found is None:
        raise InvalidArgument("standard input: not a JSON object in UTF-8", field="stdin")
    return given_of(found)


def given_of(found: dict[str, Any]) -> Given:
    """Return what an object of the host's says.

    Raises:
        InvalidArgument: a field is no text, too long, or holds what no text may.
    """
    return Given(
        session=_text(found, "session_id", LONGEST_NAME),
        transcript=_text(found, "transcript_path", LONGEST_PATH),
        cwd=_text(found, "cwd", LONGEST_PATH),
        event=_text(found, "hook_event_name", LONGEST_NAME),
        source=next(
            (
                said
                for name in ("source", "trigger", "reason")
                if (said := _text(found, name, LONGEST_NAME))
            ),
            None,
        ),
    )


def folder_of(given: Given) -> Path:
    """Return the folder that the host works in.

    Raises:
        InvalidArgument: none is named, or not by its full path.
    """
    if not given.cwd or not Path(given.cwd).is_absolute():
        raise InvalidArgument("cwd: must be the full path of a folder", field="cwd")
    return Path(given.cwd)


def transcripts_of(given: Given, folder: Path) -> list[Path]:
    """Return the session's transcript and those of its sub-agents; none where it is not there.

    Args:
        given: what the host said.
        folder: the one that transcripts lie in; no other file is read.

    Raises:
        InvalidArgument: the path is not one of a transcript: outside, a folder, a device.
    """
    if not given.transcript:
        raise InvalidArgument("transcript_path: missing", field="transcript_path")
    path = Path(given.transcript)
    if not path.is_absolute() or path.suffix != ".jsonl":
        raise _mistake("must be the full path of a .jsonl file")
    try:
        main = path.resolve()
        within = main.is_relative_to(folder.resolve())
        mode = main.stat().st_mode if within else 0
    except FileNotFoundError:
        return []
    except (OSError, RuntimeError, ValueError):
        raise _mistake("cannot be read") from None
    if not within:
        said = "lies outside of the folder of transcripts; see REASONLOOM_CLAUDE_CONFIG_DIR"
        raise _mistake(said)
    if not stat.S_ISREG(mode):
        raise _mistake("is not a file")
    return [main, *_agents(main, folder.resolve())]


def _agents(main: Path, folder: Path) -> Iterator[Path]:
    """Yield the transcripts of a session's sub-agents: in its folder, or beside it (old)."""
    inside = sorted((main.with_suffix("") / "subagents").glob("*.jsonl"))
    beside = [path for path in sorted(main.parent.glob("agent-*.jsonl")) if _names(path, main.stem)]
    for path in (inside + beside)[:MOST_AGENTS]:
        real = path.resolve()
        if real != main and real.is_relative_to(folder) and real.is_file():
            yield real


def _names(path: Path, session: str) -> bool:
    """Return whether a file's first line names the session."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return f'"{session}"'.encode() in file.readline(BLOCK)
    except OSError:
        return False


def _mistake(said: str) -> InvalidArgument:
    return InvalidArgument(f"transcript_path: {said}", field="transcript_path")


def _blocks(seconds: float) -> Iterator[bytes]:
    """Yield what comes on standard input until it ends; a thread waits for it, so that we do not.

    Raises:
        TimedOut: it did not end in time.
    """
    come: queue.Queue[bytes] = queue.Queue(maxsize=64)
    threading.Thread(target=_pump, args=(come,), daemon=True).start()
    until = time.monotonic() + seconds
    while True:
        try:
            block = come.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise TimedOut(f"standard input: not complete within {seconds:.1f} s") from None
        if not block:
            return
        yield block


def _pump(come: queue.Queue[bytes]) -> None:
    try:
        handle = sys.stdin.fileno()
        while block := os.read(handle, BLOCK):
            come.put(block)
    except (OSError, ValueError, AttributeError):
        pass  # closed, or there is none
    come.put(b"")


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text(found: dict[str, Any], name: str, longest: int) -> str | None:
    """Return a field that is a text, None where it is not there, null or empty."""
    from reasonloom.settings import NO_TEXT  # noqa: PLC0415 - loads pydantic

    value = found.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > longest or NO_TEXT.search(value):
        raise InvalidArgument(f"{name}: must be text of at most {longest:,} signs", field=name)
    return value
