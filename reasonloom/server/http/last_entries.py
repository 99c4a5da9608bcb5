"""Makes an end that was asked for no defect in the log: what it cuts short is told as such."""

from __future__ import annotations

import asyncio
import logging

SERVER_LOG = "uvicorn.error"
CUT = "Exception in ASGI application"
ENDED = "Cancel %s running task(s)"
"""How uvicorn begins what it says of tasks that do not end in time."""


def lower(record: logging.LogRecord) -> bool:
    """Make of an entry about a request that the end has cut an `info` without a traceback."""
    words = str(record.msg)
    error = record.exc_info[1] if record.exc_info else None
    cut = words.startswith(CUT) and isinstance(error, asyncio.CancelledError)
    if cut or words.startswith(ENDED):
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        record.exc_info = record.exc_text = None
    if cut:
        record.msg = "a request is cut by the end of the server"
    return True


def expect_the_end() -> None:
    """Take what is logged from now on for the end's: called when the process is asked to end."""
    logging.getLogger(SERVER_LOG).addFilter(lower)
