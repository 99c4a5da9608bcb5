"""Synthetic transcripts for benchmarks: a number of sessions, turns and bytes, by seed.

They have the format of Claude Code (see `suites/history/transcript.py`), with thinking, tool calls
and results, sub-agents, summaries and snapshots. Their content has no meaning, so they measure the
cost of ingestion and search, not their quality. A turn is the user's message and everything up to
the next one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import numpy as np

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.history.transcript import Prose, Thread

SEED = 8
SESSIONS = 60
TURNS = 36_000
BYTES = 150_000_000
BEGINS = datetime(2025, 1, 6, 8, tzinfo=UTC)
PROJECTS = (
    "/home/ana/src/api", "/srv/team/api", "/home/ana/src/web-shop", "/home/ana/src/data_tools",
    "/home/ana/papers/review", "/home/ana/house",
)  # fmt: skip
"""Two end in the same word, as real ones do."""

LEAST = 2_500
"""Minimum bytes per turn, mostly taken by its envelopes."""

FILES_OF_A_PROJECT = 120
TURNS_OF_A_TOPIC = 9
THINKS, USES_TOOLS, READS, FAILS, HAS_HELPER = 0.3, 0.65, 0.5, 0.08, 0.03
ENVELOPE = 430
"""Approximate bytes of a line other than its text."""


@dataclass(frozen=True)
class Written:
    """Numbers of files, lines, user turns, and bytes written."""

    files: int
    lines: int
    turns: int
    bytes: int


def generate(
    folder: Path,
    *,
    sessions: int = SESSIONS,
    turns: int = TURNS,
    size: int = BYTES,
    seed: int = SEED,
) -> Written:
    """Write transcripts of about `size` bytes into an empty folder."""
    _require(folder, sessions, turns, size)
    writer = _Writer(seed)
    files = lines = written = 0
    for number in range(sessions):
        share = turns * (number + 1) // sessions - turns * number // sessions
        left = turns - turns * number // sessions
        for thread in writer.session(number, share, (size - written) * share // left):
            written += thread.write(folder)
            lines += len(thread.lines)
            files += 1
    return Written(files, lines, turns, written)


def _require(folder: Path, sessions: int, turns: int, size: int) -> None:
    if sessions < 1:
        raise InvalidArgument("sessions: must be 1 or more", field="sessions")
    if turns < sessions:
        raise InvalidArgument("turns: must be one or more a session", field="turns")
    if size < turns * LEAST:
        raise InvalidArgument(f"size: must be {LEAST} bytes a turn or more", field="size")
    if folder.exists() and any(folder.iterdir()):
        raise InvalidArgument("folder: must be empty or not there yet", field="folder")


class _Writer:
    """Writes sessions one after another, all drawn from one seed."""

    def __init__(self, seed: int) -> None:
        self._dice = np.random.default_rng(seed)
        self._seed = seed
        self._prose = Prose(self._dice)
        self._files = {
            project: [f"{project}/{self._prose.name()}.py" for _ in range(FILES_OF_A_PROJECT)]
            for project in PROJECTS
        }
        self._now = BEGINS
        self._names = self._uuids()

    def session(self, number: int, turns: int, size: int) -> list[Thread]:
        """Return the threads of a session and its sub-agents."""
        self._now = max(self._now, BEGINS + timedelta(hours=20 * number))
        main = Thread(next(self._names), PROJECTS[number % len(PROJECTS)], self._names)
        threads = [main]
        if number % 3 == 0:
            main.note("summary", summary=self._prose.text(60), leafUuid=next(self._names))
        for turn in range(turns):
            if turn % TURNS_OF_A_TOPIC == 0:
                topic = int(self._dice.integers(0, 400))
                self._prose.turn_to(1_000 * self._seed + topic)
                snapshot = next(self._names)
                main.note("file-history-snapshot", messageId=snapshot, isSnapshotUpdate=False)
            spent = sum(thread.size for thread in threads)
            even = max(LEAST, (size - spent) / (turns - turn))
            last = turn == turns - 1
            self._turn(threads, int(even if last else even * self._dice.uniform(0.5, 1.5)))
        return threads

    def _turn(self, threads: list[Thread], size: int) -> None:
        main, odds = threads[0], self._dice.random(4)
        until = main.size + size
        self._pause(20, 900)
        file = self._file(main.cwd)
        message = self._prose.text(int(self._dice.integers(40, 260)))
        main.user(f"{message} ({Path(file).name})" if odds[3] < USES_TOOLS else message, self._now)
        if odds[0] < THINKS:
            self._pause(1, 20)
            main.thinking(self._prose.text(size // 8), self._now)
        if odds[1] < USES_TOOLS:
            self._use(main, file, size // 3, failed=bool(odds[2] < FAILS))
        if odds[2] > 1 - HAS_HELPER:
            threads.append(self._helper(main, size // 2))
            until -= threads[-1].size
        self._pause(2, 60)
        left = until - main.size - ENVELOPE
        main.assistant(self._prose.text(max(120, left)), self._now)

    def _use(self, thread: Thread, file: str, length: int, *, failed: bool) -> None:
        number = f"toolu_{next(self._names).replace('-', '')[:24]}"
        self._pause(1, 9)
        if self._dice.random() < READS:
            thread.call(number, "Read", {"file_path": file}, self._now)
        else:
            command = f"pytest {file} -k {self._prose.name()}"
            thread.call(number, "Bash", {"command": command}, self._now)
        self._pause(1, 30)
        output = self._prose.lines(max(80, length - 2 * ENVELOPE))
        if failed:
            output = f"{self._prose.name().title().replace('_', '')}Error: {file}\n{output}"
        thread.result(number, output, self._now, failed=failed)

    def _helper(self, main: Thread, size: int) -> Thread:
        """Have the main thread brief a sub-agent; return the sub-agent's thread."""
        number = f"toolu_{next(self._names).replace('-', '')[:24]}"
        brief, report = self._prose.text(200), self._prose.text(300)
        main.call(number, "Task", {"description": brief[:40], "prompt": brief}, self._now)
        helper = Thread(main.session, main.cwd, self._names, next(self._names)[:8])
        helper.user(brief, self._now)
        self._use(helper, self._file(main.cwd), size // 2, failed=False)
        helper.assistant(report, self._now)
        main.result(number, report, self._now)
        return helper

    def _file(self, project: str) -> str:
        """Return a file of the project; a few are touched most often."""
        place = int(FILES_OF_A_PROJECT * self._dice.random() ** 3)
        return self._files[project][place]

    def _pause(self, least: int, most: int) -> None:
        self._now += timedelta(seconds=int(self._dice.integers(least, most)))

    def _uuids(self) -> Iterator[str]:
        """Yield UUIDs from a separate generator."""
        own = np.random.default_rng([self._seed, 1])
        while True:
            drawn = own.bytes(16 * 1024)
            for place in range(0, len(drawn), 16):
                yield str(UUID(bytes=drawn[place : place + 16], version=4))
