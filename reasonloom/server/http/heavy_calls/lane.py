"""The server's side of heavy calls: starts the worker process and sends calls to it.

A call is heavy if its arguments are long or its owner's CPU budget is used up.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reasonloom.errors import ServiceFault
from reasonloom.graphs.runs.cancellation import await_shielded
from reasonloom.server.http.fair_share import current_budget
from reasonloom.server.http.heavy_calls.messages import (
    Begin,
    Cancel,
    End,
    Leave,
    Measurement,
    Progress,
    read_message,
    write_message,
)
from reasonloom.server.http.heavy_calls.turns import Turns
from reasonloom.telemetry.metrics import GAUGES, recording

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Call, Outcome
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.settings import Settings

HEAVY_CHARACTERS = 8_000
"""Characters of arguments from which a call is heavy; values other than strings count as one."""

PLACES = 8
"""Maximum concurrent calls in the worker: more would only wait for each other."""

CONNECTIONS = 3
"""Database connections of the worker, at most as many as the server has."""

WORKER = "reasonloom.cli.server.heavy_worker"
END_SECONDS = 2.0
"""Seconds the worker has to record cancelled calls and exit by itself."""

LOST = "the process of this call has exited; try again"


class WorkerLost(ServiceFault):
    """The worker ended during a call; the run can be resumed with the same idempotency key."""

    retryable = True


class WorkerProcess:
    """One worker process and the calls it is running."""

    def __init__(self, process: asyncio.subprocess.Process, writer: asyncio.StreamWriter) -> None:
        self._process = process
        self._writer = writer
        self._inboxes: dict[int, asyncio.Queue[Progress | End | None]] = {}
        self._number = 0
        self._reading: asyncio.Task[None] | None = None
        self.alive = True

    @classmethod
    async def start(cls, settings: Settings) -> WorkerProcess:
        """Start a worker process."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", WORKER, str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # signals to the group are for the server to handle
            )
        reader, writer = await asyncio.open_connection(sock=ours)
        connections = min(CONNECTIONS, settings.database_connections)
        write_message(writer, settings.model_copy(update={"database_connections": connections}))
        made = cls(process, writer)
        made._reading = asyncio.create_task(made._read(reader))
        return made

    async def call(self, call: Call) -> End:
        """Run a call and return how it ended; cancelling the wait cancels the call.

        Raises:
            WorkerLost: the worker ended meanwhile.
        """
        self._number += 1
        number = self._number
        inbox = self._inboxes[number] = asyncio.Queue()
        self._send(Begin.of(number, call))
        try:
            return await _end_of(inbox, call)
        except asyncio.CancelledError:
            self._send(Cancel(number))
            with suppress(WorkerLost):
                await await_shielded(_end_of(inbox, None))
            raise
        finally:
            del self._inboxes[number]

    def leave(self) -> None:
        """Make the worker leave interrupted runs to other processes."""
        self._send(Leave())

    async def end(self) -> None:
        """Stop the worker; kill it if it does not exit by itself."""
        self._writer.close()
        try:
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()

    def _send(self, message: object) -> None:
        if self.alive:
            write_message(self._writer, message)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        gauges: Counter[tuple[str, frozenset[tuple[str, str | bool]]]] = Counter()
        while message := await read_message(reader):
            if isinstance(message, Measurement):
                recording.to(message.name, message.value, message.of)
                if message.name in GAUGES:
                    gauges[message.name, frozenset(message.of.items())] += int(message.value)
            elif inbox := self._inboxes.get(message.number):
                inbox.put_nowait(message)
        self.alive = False
        for inbox in self._inboxes.values():
            inbox.put_nowait(None)
        for (name, of), rest in gauges.items():  # a killed worker lowers none
            recording.to(name, -rest, dict(of))


async def _end_of(inbox: asyncio.Queue[Progress | End | None], call: Call | None) -> End:
    """Return how a call ended, reporting its steps to `call` if given.

    Raises:
        WorkerLost: the worker ended meanwhile.
    """
    while not isinstance(message := await inbox.get(), End):
        if message is None:
            raise WorkerLost(LOST)
        if call is not None:
            await call.report(message.step)
    return message


class HeavyLane:
    """Runs heavy calls in a worker process that is started on first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns = Turns(PLACES)
        self._starting = asyncio.Lock()
        self._worker: WorkerProcess | None = None

    async def call(self, engine: Engine, call: Call) -> Outcome:
        """Run a call: a heavy one in the worker, any other in the server's engine.

        Raises:
            ReasonloomError: the graph raised it.
            WorkerLost: the worker ended meanwhile.
        """
        budget = current_budget.get()
        if budget is None or not (budget.exhausted() or is_long(call.request)):
            return await engine.call(call)
        async with self._turns.place(call.caller.owner):
            ended = await (await self._started()).call(call)
        budget.charge(ended.seconds)
        if ended.outcome is None:
            raise ended.error.error() if ended.error else WorkerLost(LOST)
        return ended.outcome

    def leave(self) -> None:
        """Leave interrupted runs to other processes."""
        if self._worker:
            self._worker.leave()

    async def close(self) -> None:
        """Stop the worker."""
        if self._worker:
            await self._worker.end()

    async def _started(self) -> WorkerProcess:
        async with self._starting:
            if self._worker is None or not self._worker.alive:
                self._worker = await WorkerProcess.start(self._settings)
            return self._worker


def is_long(arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments are long enough to make a call heavy."""
    size = 0
    left: list[Any] = [arguments]
    while left and size < HEAVY_CHARACTERS:
        value = left.pop()
        size += len(value) if isinstance(value, str) else 1
        if isinstance(value, Mapping):
            left += [*value, *value.values()]
        elif isinstance(value, list):
            left += value
    return size >= HEAVY_CHARACTERS
