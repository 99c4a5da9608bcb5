"""`reasonloom hook`: what Claude Code calls at the edges of a session. It never stands in its way.

A hook ends with 0 within its time limit whatever happens, and writes nothing to stdout but what the
host is to read: exit 2 would block the host, and stray words would become the agent's context.
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
"""Seconds until settings are read, which say how long it may take."""

TAIL, SHARE = 1.5, 0.2
"""Seconds kept at the end to say how far it came, and their share of a shorter limit."""

CONTEXT_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True}
"""A host of another version may give arguments that we do not know: no reason to fail."""


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
    """One call of some hooks, which ends by itself when its time is over."""

    def __init__(self, names: Sequence[str]) -> None:
        self.begun = time.monotonic()
        self.names = names
        self.home: Path | None = None
        self.answer = _reserve_stdout()
        self.timer = self._ending(STARTUP_SECONDS)
        _ignore_hangups(self)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self.begun

    def work(self) -> None:
        """Read settings and the host's words, and do what each name stands for."""
        settings = self._settings()
        known = [name for name in self.names if name in HOOK_NAMES]
        if not known or len(known) < len(self.names):
            self.say(f"not all of these are hooks; there are {', '.join(HOOK_NAMES)}", loud=True)
        if not known or settings is None:
            return
        import asyncio  # noqa: PLC0415

        from reasonloom.cli.hooks.runner import HookRunner  # noqa: PLC0415

        work = HookRunner(settings, known, self.begun, self.answered, self.say)
        loop = asyncio.new_event_loop()
        tail = min(TAIL, settings.hook_seconds * SHARE)
        loop.run_until_complete(work.run(settings.hook_seconds - tail))

    def answered(self, text: str) -> None:
        """Write what the host is to read; a host that has gone away is no fault."""
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(self.answer, data) :]
        except OSError:
            self.say("the host did not read the answer")

    def say(self, said: str, *, hook: str | None = None, loud: bool = False) -> None:
        """Add a line to the log, and to stderr where a person may have mistyped."""
        append_entry(self._home(), hook or ",".join(self.names)[:100], said, self.seconds)
        if loud and sys.stderr:
            sys.stderr.write(f"reasonloom hook: {said}\n")

    def _settings(self) -> Settings | None:
        from reasonloom.errors import SettingMistake  # noqa: PLC0415
        from reasonloom.settings import load_settings  # noqa: PLC0415

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
            from reasonloom.settings import home_or_default  # noqa: PLC0415

            self.home = home_or_default()
        return self.home

    def _ending(self, seconds: float) -> threading.Timer:
        """Begin to wait in a thread of its own, and end the process then."""
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
    """Return stdout as a handle of ours alone; what anything else prints goes to stderr.

    A stream that the host closed becomes the null device, lest a file that is opened takes its
    number and is written to.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def _ignore_hangups(run: TimedRun) -> None:
    """Go on while a terminal is closed, which is when a session ends; end when asked to."""
    for name in ("SIGHUP", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)

    def ended(*_: object) -> None:
        run.say("ended by the host: given up, what was stored stays")
        os._exit(0)

    signal.signal(signal.SIGTERM, ended)
