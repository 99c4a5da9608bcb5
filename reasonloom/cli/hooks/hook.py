"""`reasonloom hook`: called by a host at the start and end of a session; never blocks it.

A hook exits with 0 within its time limit whatever happens, and writes to stdout only what the host
reads: exit code 2 would block the host, and other output would become part of the agent's context.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.hooks.hosts import CLAUDE_CODE, HOOK_HOSTS, RECORD
from reasonloom.cli.hooks.log import append_entry, error_summary

if TYPE_CHECKING:
    from reasonloom.settings import Settings

HOOK_NAMES = ("session-start", "session-end", "pre-compact", "claudemd-generator", RECORD)
STARTUP_SECONDS = 20.0
"""Seconds within which the settings, which contain the time limit, must be read."""

TAIL, SHARE = 1.5, 0.2
"""Seconds reserved for reporting progress at the end, and their share of a shorter limit."""


def hook(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"One or more of: {', '.join(HOOK_NAMES)}.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The host that calls.")] = CLAUDE_CODE,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once, and work in the background.")
    ] = False,
) -> None:
    """Run a host's hook: read its JSON from stdin; the exit code is always 0."""
    run: TimedRun | None = None
    try:
        if detach:
            _leave_to_child()
        run = TimedRun(names or [], host)
        run.work()
    except BaseException as error:  # noqa: BLE001 - the host must never notice
        if run:
            run.say(error_summary(error))
    finally:
        os._exit(0)


class TimedRun:
    """One invocation of some hooks, which ends the process when its time is up."""

    def __init__(self, names: Sequence[str], host: str = CLAUDE_CODE) -> None:
        self.begun = time.monotonic()
        self.names, self.host = names, host
        self.home: Path | None = None
        self.answer = _reserve_stdout()
        self.timer = self._ending(STARTUP_SECONDS)
        _ignore_hangups(self)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.begun

    def work(self) -> None:
        """Read the settings and the host's input, and run each hook."""
        settings = self._settings()
        known = [name for name in self.names if name in HOOK_NAMES]
        if not known or len(known) < len(self.names):
            self.say(f"unknown hook; known: {', '.join(HOOK_NAMES)}", loud=True)
        if self.host not in HOOK_HOSTS:
            self.say(f"unknown host; known: {', '.join(HOOK_HOSTS)}", loud=True)
        if not known or settings is None or self.host not in HOOK_HOSTS:
            return
        if RECORD in known:
            self._record(settings)
            return
        import asyncio

        from reasonloom.cli.hooks.runner import HookRunner

        work = HookRunner(
            settings, known, self.begun, self.write_answer, self.say, HOOK_HOSTS[self.host]
        )
        loop = asyncio.new_event_loop()
        tail = min(TAIL, settings.hook_seconds * SHARE)
        loop.run_until_complete(work.run(settings.hook_seconds - tail))

    def _record(self, settings: Settings) -> None:
        """Record the host's input, without the database: hosts call this all the time."""
        from reasonloom.cli.hooks.recording import record_input

        record_input(HOOK_HOSTS[self.host], settings.hook_seconds / 2)

    def write_answer(self, text: str) -> None:
        """Write output for the host; it is no error if the host has gone."""
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(self.answer, data) :]
        except OSError:
            self.say("the host did not read the answer")

    def say(self, message: str, *, hook: str | None = None, loud: bool = False) -> None:
        """Add a line to the log, and with `loud` also to stderr, for a person who mistyped."""
        append_entry(self._home(), hook or ",".join(self.names)[:100], message, self.seconds)
        if loud and sys.stderr:
            sys.stderr.write(f"reasonloom hook: {message}\n")

    def _settings(self) -> Settings | None:
        from reasonloom.errors import SettingMistake
        from reasonloom.settings import load_settings

        try:
            settings = load_settings()
        except SettingMistake as error:
            self.say(error.message, loud=True)
            return None
        self.home = settings.home
        self.timer.cancel()
        self.timer = self._ending(settings.hook_seconds - self.seconds)
        return settings

    def _home(self) -> Path:
        if self.home is None:
            from reasonloom.settings import home_or_default

            self.home = home_or_default()
        return self.home

    def _ending(self, seconds: float) -> threading.Timer:
        """Start a thread that ends the process after `seconds`."""
        timer = threading.Timer(max(0.0, seconds), self._expire)
        timer.daemon = True
        timer.start()
        return timer

    def _expire(self) -> None:
        try:
            self.say("the time limit was reached: stopped; what was stored stays")
        finally:
            os._exit(0)


def _leave_to_child() -> None:
    """End this process and go on in a child with a session of its own.

    The child holds none of the host's output streams, because a host waits until they close.
    """
    if os.fork():
        os._exit(0)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nothing, number)


def _reserve_stdout() -> int:
    """Return a private handle of stdout; any other output to stdout goes to stderr.

    A stream that the host closed becomes the null device, so that no file opened later gets its
    number and is written to.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def _ignore_hangups(run: TimedRun) -> None:
    """Survive the closing of the terminal, which ends a session; exit on SIGTERM."""
    for name in ("SIGHUP", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)

    def ended(*_: object) -> None:
        run.say("ended by the host: stopped; what was stored stays")
        os._exit(0)

    signal.signal(signal.SIGTERM, ended)
