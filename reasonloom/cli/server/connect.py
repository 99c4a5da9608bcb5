"""`reasonloom connect`: connects a host to the server that hosts share, started if needed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.user_files.program import start_command
from reasonloom.errors import DatabaseUnavailable
from reasonloom.server.stdio.shared.place import PAUSE, START_SECONDS, SharedPlace
from reasonloom.settings import load_settings

if TYPE_CHECKING:
    from socket import socket

RELAY = Path(__file__).with_name("relay.py")
LOG_NAME, LOG_SIZE = "shared.log", 1024 * 1024


def connect(
    toolsets: Annotated[
        str | None, typer.Option(help="Toolsets to serve, as in `reasonloom serve`.")
    ] = None,
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Serve one reference under its own names."),
    ] = None,
) -> None:
    """Connect stdin and stdout to the server that hosts share; start it if none runs."""
    load_settings(toolsets=toolsets, serve_as=as_)
    chosen = {"--toolsets": toolsets, "--as": as_}
    flags = [word for name, value in chosen.items() if value for word in (name, value)]
    place = SharedPlace.of(flags)
    connection = place.connect()
    if connection is None:
        with place.starting():
            connection = place.connect() or _started(place, flags)
    connection.set_inheritable(True)
    number = str(connection.detach())
    os.execv(sys.executable, [sys.executable, "-I", "-S", str(RELAY), number])  # noqa: S606


def _started(place: SharedPlace, flags: list[str]) -> socket:
    """Start a server and return a connection to it.

    Raises:
        DatabaseUnavailable: it ended at once, or did not listen in time.
    """
    home = load_settings().home
    home.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
    path = home / LOG_NAME
    mode = "wb" if path.exists() and path.stat().st_size > LOG_SIZE else "ab"
    with path.open(mode) as log:
        begin = log.tell()
        process = subprocess.Popen(  # noqa: S603
            [*start_command(), "serve", "--socket", str(place.socket), *flags],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
            start_new_session=True, cwd="/",
        )  # fmt: skip
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if connection := place.connect():
            return connection
        if process.poll() is not None:
            break
        time.sleep(PAUSE)
    written = path.read_bytes()[begin:].decode("utf-8", "replace").strip().splitlines()
    why = written[-1].removeprefix("reasonloom: ")[:500] if written else "it did not listen in time"
    raise DatabaseUnavailable(f"the shared server did not start: {why}")
