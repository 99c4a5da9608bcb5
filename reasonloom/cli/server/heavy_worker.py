"""The command of the process for heavy calls, which a server starts itself."""

import socket
import sys

import anyio

from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.server.http.heavy_calls.worker import serve_calls
from reasonloom.server.telemetry.start import start_telemetry
from reasonloom.settings import Settings


def prepare(settings: Settings) -> None:
    """Set up logging and telemetry, as a server does."""
    set_up_log(settings)
    start_telemetry(settings)


if __name__ == "__main__":
    anyio.run(serve_calls, socket.socket(fileno=int(sys.argv[1])), prepare)
