"""Sets up the log: one line per entry on stderr, never on stdout, which belongs to MCP.

No entry has contents or secrets at any level. Our own messages have ids, counts and kinds; for
messages of other libraries, only the format string is logged; tracebacks have places and types but
no messages, since those quote input.
"""

import json
import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from reasonloom.settings import Settings
from reasonloom.telemetry.active_run import active_run

OWN_LOGGER = "reasonloom"
ACCESS_LOGGER = "reasonloom.access"
TRUSTED_LOGGERS = (OWN_LOGGER, "uvicorn.error")
"""Loggers whose messages are logged in full: ours, and uvicorn's on the served address."""

WITHHELD = "a message is withheld, since it may contain user data"
MAX_CAUSES = 5
HEAD = ("time", "level", "logger", "message", "traceback")
"""The keys of an entry that a line of text has in places of their own."""


class TextFormatter(logging.Formatter):
    """One line per entry, for people: time, level, logger, message, then fields as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry; control characters are escaped."""
        entry = log_entry(record)
        line = f"{entry['time']} {entry['level']:<7} {entry['logger']}: {entry['message']}"
        line += "".join(f" {name}={_value(entry[name])}" for name in entry if name not in HEAD)
        return "\n  ".join([_escape_line(line), *entry.get("traceback", ())])


class JsonFormatter(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry as JSON in ASCII."""
        return json.dumps(log_entry(record))


def log_entry(record: logging.LogRecord) -> dict[str, Any]:
    """Return the entry for a record, with the active tool and run and its own fields, if any."""
    at = datetime.fromtimestamp(record.created, UTC)
    entry: dict[str, Any] = {
        "time": at.isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": _message(record),
    }
    if (current := active_run()) is not None:
        entry |= {"tool": current.tool, "run": str(current.run_id)}
    if _is_trusted(record, OWN_LOGGER):
        entry |= getattr(record, "fields", {})
    if record.exc_info and record.exc_info[1] is not None:
        entry["traceback"] = list(_traceback_lines(record.exc_info[1]))
    return entry


def _message(record: logging.LogRecord) -> str:
    """Return the message; for other libraries, only the format string."""
    if _is_trusted(record, *TRUSTED_LOGGERS):
        return record.getMessage()
    if record.args and isinstance(record.msg, str):
        return record.msg
    return f"{WITHHELD} ({record.module}:{record.lineno})"


def _is_trusted(record: logging.LogRecord, *loggers: str) -> bool:
    """Return whether a record comes from one of these loggers or one below them."""
    return any(record.name == name or record.name.startswith(f"{name}.") for name in loggers)


def _traceback_lines(error: BaseException) -> list[str]:
    """Return an exception and its causes as places and types, the outermost first."""
    lines: list[str] = []
    for _ in range(MAX_CAUSES):
        state = getattr(error, "sqlstate", None)
        lines.append(type(error).__qualname__ + (f" {state}" if isinstance(state, str) else ""))
        for frame in traceback.extract_tb(error.__traceback__):
            lines.append(f"  {frame.filename}:{frame.lineno} in {frame.name}")
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None:
            break
        error = cause
    return lines


def _value(value: object) -> str:
    """Return a field's value, quoted if it has a space, a quotation mark or an equals sign."""
    text = str(value)
    return text if re.fullmatch(r'[^\s"=]+', text) else json.dumps(text, ensure_ascii=False)


def _escape_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def set_up_log(settings: Settings) -> None:
    """Log to stderr in the configured format, our own messages from the configured level.

    Other libraries, Python's warnings and uncaught errors are logged from level warning.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger(OWN_LOGGER).setLevel(settings.log_level.upper())
    _set_up_access_log(settings)
    logging.raiseExceptions = False  # an error of the log itself would quote its entry
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught


def _set_up_access_log(settings: Settings) -> None:
    """Log requests at every level of the log, or not at all; `json` even if the log is text."""
    log = logging.getLogger(ACCESS_LOGGER)
    log.setLevel(logging.INFO)
    log.disabled = settings.access_log == "off"
    if settings.access_log == "json":
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonFormatter())
        log.handlers, log.propagate = [handler], False


def _log_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log an uncaught exception like any other entry."""
    logging.getLogger(f"{OWN_LOGGER}.cli").critical("uncaught", exc_info=(kind, error, trace))
