"""Reads a hook's input from standard input, within limits of time and size."""

import json
import os
import queue
import stat
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.cli.hooks.hosts import HookHost, recording_path
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
    """Read a hook's input from standard input.

    Raises:
        InvalidArgument: it is empty, too long or not a JSON object, or a field is invalid.
        TimedOut: it did not arrive within `seconds`.
    """
    return parse_input(read_object(seconds))


def read_object(seconds: float) -> dict[str, Any]:
    """Read one JSON object from standard input, without waiting for its end.

    Raises:
        InvalidArgument: it is empty, too long or not a JSON object.
        TimedOut: it did not arrive within `seconds`.
    """
    data = b""
    for block in _read_blocks(seconds):
        data += block
        if len(data) > MAX_INPUT:
            raise InvalidArgument(f"standard input: more than {MAX_INPUT:,} bytes", field="stdin")
        if data.rstrip().endswith(b"}") and (found := _parse_object(data)) is not None:
            return found
    if not data.strip():
        raise InvalidArgument("standard input: empty; the host sends JSON", field="stdin")
    found = _parse_object(data)
    if found is None:
        raise InvalidArgument("standard input: not a JSON object in UTF-8", field="stdin")
    return found


def parse_input(found: dict[str, Any]) -> HookInput:
    """Return the input from the host's object.

    Raises:
        InvalidArgument: a field is not text, too long, or contains forbidden characters.
    """
    return HookInput(
        session=_first_field(found, ("session_id", "sessionId", "conversation_id"), MAX_NAME),
        transcript=_text_field(found, "transcript_path", MAX_PATH),
        cwd=_text_field(found, "cwd", MAX_PATH) or _first_folder(found),
        event=_first_field(found, ("hook_event_name", "hookEventName"), MAX_NAME),
        source=_first_field(found, ("source", "trigger", "reason"), MAX_NAME),
    )


def _first_folder(found: dict[str, Any]) -> str | None:
    """Return the first of a host's folders, None if it sent none."""
    roots = found.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return _text_field({"workspace_roots": first}, "workspace_roots", MAX_PATH)


def project_folder(given: HookInput) -> Path:
    """Return the host's working directory.

    Raises:
        InvalidArgument: it is missing, or not an absolute path.
    """
    if not given.cwd or not Path(given.cwd).is_absolute():
        raise InvalidArgument("cwd: must be the full path of a folder", field="cwd")
    return Path(given.cwd)


def transcript_files(given: HookInput, host: HookHost) -> list[Path]:
    """Return the transcripts of the session and its sub-agents; none if the first does not exist.

    Args:
        given: the input.
        host: the host; no file outside of its folder of transcripts is read.

    Raises:
        InvalidArgument: the path is not a transcript: outside, a folder, a device.
    """
    if host.records:
        return _recording(given, host)
    if not given.transcript:
        raise InvalidArgument("transcript_path: missing", field="transcript_path")
    path, folder = Path(given.transcript), host.transcripts()
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
        message = f"is outside the folder of transcripts; see {host.variable}"
        raise _transcript_error(message)
    if not stat.S_ISREG(mode):
        raise _transcript_error("is not a file")
    return [main, *_agent_transcripts(main, folder.resolve(), given.session or main.stem, host)]


def _recording(given: HookInput, host: HookHost) -> list[Path]:
    """Return what our hook recorded of the session."""
    path = recording_path(host, given.session)
    return [path] if path.is_file() else []


def _agent_transcripts(main: Path, folder: Path, session: str, host: HookHost) -> Iterator[Path]:
    """Yield transcripts of sub-agents: in a folder of the session, or next to it and naming it."""
    within = dict.fromkeys((main.with_suffix(""), main.parent / session))
    inside = [path for place in within for path in sorted(place.glob(host.agents_within))]
    near = main.parent.glob(host.agents_near) if host.agents_near else ()
    named = [path for path in sorted(near) if _mentions_session(path, session)]
    for path in (inside + named)[:MAX_AGENTS]:
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


def _first_field(found: dict[str, Any], names: Sequence[str], longest: int) -> str | None:
    """Return the first of the fields that has a text, None without one."""
    values = (_text_field(found, name, longest) for name in names)
    return next((value for value in values if value), None)


def _text_field(found: dict[str, Any], name: str, longest: int) -> str | None:
    """Return a text field, None if it is missing, null or empty."""
    from reasonloom.settings import NO_TEXT

    value = found.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > longest or NO_TEXT.search(value):
        raise InvalidArgument(f"{name}: must be text of at most {longest:,} signs", field=name)
    return value
