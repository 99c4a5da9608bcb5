"""`reasonloom hook`: called by Claude Code at the start and end of a session; never blocks it.

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

from reasonloom.cli.hooks.log import append_entry, error_summary

if TYPE_CHECKING:
    from reasonloom.settings import Settings

HOOK_NAMES = ("session-start", "session-end", "pre-compact", "claudemd-generator")
STARTUP_SECONDS = 20.0
"""Seconds within which the settings, which contain the time limit, must be read."""

TAIL, SHARE = 1.5, 0.2
"""Seconds reserved for reporting progress at the end, and their share of a shorter limit."""


def hook(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"One or more of: {', '.join(HOOK_NAMES)}.")
    ] = None,
) -> None:
    """Do what Claude Code's hooks are for; reads the host's JSON on stdin, always ends with 0."""
    run: TimedRun | None = None
    try:
        run = TimedRun(names or [])
        run.work()
    except BaseException as error:  # noqa: BLE001 - the host must never notice
        if run:
            run.say(error_summary(error))
    finally:
        os._exit(0)


class TimedRun:
    """One invocation of some hooks, which ends the process when its time is up."""

    def __init__(self, names: Sequence[str]) -> None:
        self.begun = time.monotonic()
        self.names = names
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
            self.say(f"not all of these are hooks; there are {', '.join(HOOK_NAMES)}", loud=True)
        if not known or settings is None:
            return
        import asyncio

        from reasonloom.cli.hooks.runner import HookRunner

        work = HookRunner(settings, known, self.begun, self.write_answer, self.say)
        loop = asyncio.new_event_loop()
        tail = min(TAIL, settings.hook_seconds * SHARE)
        loop.run_until_complete(work.run(settings.hook_seconds - tail))

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
            self.say("the time limit was reached: given up, what was stored stays")
        finally:
            os._exit(0)


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
        run.say("ended by the host: given up, what was stored stays")
        os._exit(0)

    signal.signal(signal.SIGTERM, ended)
