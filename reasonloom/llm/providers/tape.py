"""The file under a recording: whole lines only, whoever writes at the same time."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from reasonloom.errors import LlmRefused, SettingMistake

if TYPE_CHECKING:
    from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: threads of one process are still kept apart
    fcntl = None  # type: ignore[assignment]

_ONE_WRITER = threading.Lock()


def read_lines(path: Path) -> list[str]:
    """Return the lines of a tape, each of them whole.

    Raises:
        SettingMistake: the file cannot be read, is no text, or ends within a line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "is no text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        reason = "does not exist" if isinstance(error, FileNotFoundError) else reason
        raise _unusable(path, reason) from None
    if text and not text.endswith("\n"):
        raise _unusable(path, "ends within a line: it was cut short")
    return text.split("\n")[:-1]


def append_line(path: Path, line: str) -> None:
    """Add one line, wholly or not at all, under a lock that other processes respect.

    Raises:
        LlmRefused: the file cannot be written, so the reply would be lost to the recording.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        with _ONE_WRITER:
            file = os.open(path, flags, 0o600)
            try:
                _write(file, line.encode() + b"\n")
            finally:
                os.close(file)
    except OSError:
        raise LlmRefused(f"record:{path.name}: the recording cannot be written") from None


def _write(file: int, data: bytes) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
    size = os.fstat(file).st_size
    try:
        while data:
            data = data[os.write(file, data) :]
    except OSError:
        os.ftruncate(file, size)
        raise


def _unusable(path: Path, reason: str) -> SettingMistake:
    return SettingMistake(
        f"REASONLOOM_LLM: the recording {path.name} {reason}", field="REASONLOOM_LLM"
    )
