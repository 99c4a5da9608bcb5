"""What a server over stdio has imported when it answers the first `tools/list`.

Clients give up on servers that start slowly: a change that imports more must show in review.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class TextFile(SingleFileSnapshotExtension):
    """One readable file for the list."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def message(method: str, **more: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode() + b"\n"


def imported_until_listed(home: Path) -> list[str]:
    """Return the modules imported before `tools/list` was answered, in order."""
    log = home / "imports"
    env = {**os.environ, "REASONLOOM_HOME": str(home), "REASONLOOM_LLM": "offline"}
    command = [sys.executable, "-X", "importtime", "-m", "reasonloom", "serve"]
    with log.open("wb") as errors, subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
    ) as server:  # fmt: skip
        assert server.stdin
        assert server.stdout
        server.stdin.write(message("initialize", id=1, params=INITIALIZE))
        server.stdin.flush()
        assert b'"id":1' in server.stdout.readline()
        server.stdin.write(message("notifications/initialized") + message("tools/list", id=2))
        server.stdin.flush()
        assert b'"tools"' in server.stdout.readline()
        size = log.stat().st_size
        server.kill()
    lines = log.read_bytes()[:size].decode().splitlines()
    return [line.split("|")[-1].strip() for line in lines if line.startswith("import time:")][1:]


def test_what_is_imported_before_the_first_tools_list(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    modules = imported_until_listed(tmp_path)
    ours = sorted({name for name in modules if name.split(".")[0] == "reasonloom"})
    others = packages_distributions().keys() & {name.split(".")[0] for name in modules}
    public = sorted(name for name in others - {"reasonloom"} if not name.startswith("_"))
    assert "\n".join([*ours, "", *public]) == snapshot.use_extension(TextFile)
