"""Reads a hook's input from standard input, within limits of time and size."""

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

MAX_INPUT = 1024 * 1024
"""Maximum bytes of standard input; the host sends a few hundred."""

BLOCK_SIZE = 64 * 1024
MAX_PATH, MAX_NAME = 4_096, 200
MAX_AGENTS = 500
"""Maximum transcripts of sub-agents of one session."""


@dataclass(frozen=True, slots=True)
class HookInput:
    """The input of a hook; a field is None if the host sent none.

    Attributes:
        event: `SessionStart`, `SessionEnd`, `PreCompact`, ...
        source: the cause: `startup`, `resume`, `clear`, `compact`; `manual`, `auto`; or the reason
            of the end.
    """

    session: str | None = None
    transcript: str | None = None
    cwd: str | None = None
    event: str | None = None
    source: str | None = None


def read_input(seconds: float) -> HookInput:
    """Read one JSON object from standard input, without waiting for its end.

    Raises:
        InvalidArgument: it is empty, too long or not a JSON object, or a field is invalid.
        TimedOut: it did not arrive within `seconds`.
    """
    data = b""
    for block in _read_blocks(seconds):
        data += block
        if len(data) > MAX_INPUT:
            raise InvalidArgument(f"standard input: more than {MAX_INPUT:,} bytes", field="stdin")
        if data.rstrip().endswith(b"}") and (found := _parse_object(data)) is not None:
            return parse_input(found)
    if not data.strip():
        raise InvalidArgument("standard input: empty; the host sends JSON", field="stdin")
    found = _parse_object(data)
    if found is None:
        raise InvalidArgument("standard input: not a JSON object in UTF-8", field="stdin")
    return parse_input(found)


def parse_input(found: dict[str, Any]) -> HookInput:
    """Return the input from the host's object.

    Raises:
        InvalidArgument: a field is not text, too long, or contains forbidden characters.
    """
    return HookInput(
        session=_text_field(found, "session_id", MAX_NAME),
        transcript=_text_field(found, "transcript_path", MAX_PATH),
        cwd=_text_field(found, "cwd", MAX_PATH),
        event=_text_field(found, "hook_event_name", MAX_NAME),
        source=next(
            (
                value
                for name in ("source", "trigger", "reason")
                if (value := _text_field(found, name, MAX_NAME))
            ),
            None,
        ),
    )


def project_folder(given: HookInput) -> Path:
    """Return the host's working directory.

    Raises:
        InvalidArgument: it is missing, or not an absolute path.
    """
    if not given.cwd or not Path(given.cwd).is_absolute():
        raise InvalidArgument("cwd: must be the full path of a folder", field="cwd")
    return Path(given.cwd)


def transcript_files(given: HookInput, folder: Path) -> list[Path]:
    """Return the transcripts of the session and its sub-agents; none if the first does not exist.

    Args:
        given: the input.
        folder: the folder of transcripts; no file outside of it is read.

    Raises:
        InvalidArgument: the path is not a transcript: outside, a folder, a device.
    """
    if not given.transcript:
        raise InvalidArgument("transcript_path: missing", field="transcript_path")
    path = Path(given.transcript)
    if not path.is_absolute() or path.suffix != ".jsonl":
        raise _transcript_error("must be the full path of a .jsonl file")
    try:
        main = path.resolve()
        within = main.is_relative_to(folder.resolve())
        mode = main.stat().st_mode if within else 0
    except FileNotFoundError:
        return []
    except (OSError, RuntimeError, ValueError):
        raise _transcript_error("cannot be read") from None
    if not within:
        message = "lies outside of the folder of transcripts; see REASONLOOM_CLAUDE_CONFIG_DIR"
        raise _transcript_error(message)
    if not stat.S_ISREG(mode):
        raise _transcript_error("is not a file")
    return [main, *_agent_transcripts(main, folder.resolve())]


def _agent_transcripts(main: Path, folder: Path) -> Iterator[Path]:
    """Yield transcripts of sub-agents: in the session's folder, or (older versions) next to it."""
    inside = sorted((main.with_suffix("") / "subagents").glob("*.jsonl"))
    legacy = [
        path
        for path in sorted(main.parent.glob("agent-*.jsonl"))
        if _mentions_session(path, main.stem)
    ]
    for path in (inside + legacy)[:MAX_AGENTS]:
        real = path.resolve()
        if real != main and real.is_relative_to(folder) and real.is_file():
            yield real


def _mentions_session(path: Path, session: str) -> bool:
    """Return whether a file's first line names the session."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return f'"{session}"'.encode() in file.readline(BLOCK_SIZE)
    except OSError:
        return False


def _transcript_error(message: str) -> InvalidArgument:
    return InvalidArgument(f"transcript_path: {message}", field="transcript_path")


def _read_blocks(seconds: float) -> Iterator[bytes]:
    """Yield standard input until its end; a separate thread reads, so that waiting can time out.

    Raises:
        TimedOut: it did not end in time.
    """
    received: queue.Queue[bytes] = queue.Queue(maxsize=64)
    threading.Thread(target=_pump, args=(received,), daemon=True).start()
    until = time.monotonic() + seconds
    while True:
        try:
            block = received.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise TimedOut(f"standard input: not complete within {seconds:.1f} s") from None
        if not block:
            return
        yield block


def _pump(received: queue.Queue[bytes]) -> None:
    try:
        handle = sys.stdin.fileno()
        while block := os.read(handle, BLOCK_SIZE):
            received.put(block)
    except (OSError, ValueError, AttributeError):
        pass  # closed or missing
    received.put(b"")


def _parse_object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text_field(found: dict[str, Any], name: str, longest: int) -> str | None:
    """Return a text field, None if it is missing, null or empty."""
    from reasonloom.settings import NO_TEXT

    value = found.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > longest or NO_TEXT.search(value):
        raise InvalidArgument(f"{name}: must be text of at most {longest:,} signs", field=name)
    return value
