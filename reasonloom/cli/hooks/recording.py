"""Records the inputs of hooks of a host whose transcripts have no documented format."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from reasonloom.cli.hooks.hosts import HookHost, recording_path
from reasonloom.cli.hooks.input import read_object
from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.hosts.cursor import KNOWN, RECORDED

LARGEST = 64 * 1024 * 1024
"""Maximum bytes of one recording."""


def record_input(host: HookHost, seconds: float) -> None:
    """Append the input on standard input to the recording of its session.

    Raises:
        InvalidArgument: the host's hooks are not recorded, or the input is no JSON object of a
            known event and session.
        TimedOut: the input did not arrive within `seconds`.
    """
    if not host.records:
        raise InvalidArgument(f"--host: {host.title} writes transcripts itself", field="host")
    given = read_object(seconds)
    session = given.get("conversation_id")
    path = recording_path(host, session if isinstance(session, str) else None)
    if given.get("hook_event_name") not in KNOWN:
        known = ", ".join(sorted(KNOWN))
        raise InvalidArgument(f"hook_event_name: must be one of {known}", field="hook_event_name")
    kept = {name: given[name] for name in RECORDED if given.get(name) is not None}
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"timestamp": now, **kept}, ensure_ascii=True) + "\n"
    _append(path, line.encode())


def _append(path: Path, data: bytes) -> None:
    """Append a line by one write, so that hooks that run at once do not mix theirs."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    number = os.open(path, flags, 0o600)
    try:
        if os.fstat(number).st_size + len(data) > LARGEST:
            raise InvalidArgument(
                f"the recording has {LARGEST:,} bytes: not recorded", field="path"
            )
        os.write(number, data)
    finally:
        os.close(number)
