"""The log of hooks: a file in the home, since nobody reads a hook's stderr."""

import json
import os
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from reasonloom.errors import ReasonloomError

FILE_NAME = "hooks.log"
MAX_SIZE = 1024 * 1024
"""Bytes of the file before it is renamed to `hooks.log.1`."""

MAX_FRAMES = 3
"""Frames of our code logged for a defect, the innermost last."""


def append_entry(home: Path, hook: str, message: str, seconds: float) -> None:
    """Add one line of JSON to the log; a failure to write it is ignored."""
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "hook": hook,
        "seconds": round(seconds, 3),
        "message": message,
    }
    line = json.dumps(entry, ensure_ascii=True) + "\n"
    path = home / FILE_NAME
    with suppress(OSError, ValueError):
        root = hasattr(os, "geteuid") and os.geteuid() == 0  # Postgres' user must traverse it
        home.mkdir(mode=0o755 if root else 0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_SIZE:
            path.replace(path.with_name(f"{FILE_NAME}.1"))
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)


def error_summary(error: BaseException) -> str:
    """Return the message of our own errors, or the place of a defect, without contents."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ReasonloomError):
        return error.message
    places = traceback.extract_tb(error.__traceback__)
    ours = [place for place in places if "reasonloom" in Path(place.filename).parts]
    innermost = (ours or list(places))[-MAX_FRAMES:]
    where = ", ".join(f"{Path(place.filename).name}:{place.lineno}" for place in innermost)
    return f"defect: {type(error).__name__} at {where or 'an unknown place'}"
