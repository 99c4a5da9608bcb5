"""The process that carries out heavy calls for a server, with an engine of its own."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from reasonloom.errors import InternalFault, ReasonloomError
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Step
from reasonloom.server.engine_lifespan import AFTER_SIGNAL, EngineLifespan, exit_within
from reasonloom.server.http.fair_share import MeteredThreads, current_budget, metered_task
from reasonloom.server.http.heavy_calls.messages import (
    Begin,
    Cancel,
    End,
    Leave,
    Progress,
    RaisedError,
    read_message,
    write_message,
)

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Outcome
    from reasonloom.settings import Settings

NICE = 5
"""How much the process, once it has loaded what it needs, gives way to others of this machine."""

THREADS = max(1, min(4, (os.cpu_count() or 1) - 1))
"""Threads for heavy work: one processor is left to others."""


class CallMeter:
    """The processor time of one call, which never waits for it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def exhausted(self) -> bool:
        """Return False: who waits for whom is decided before a call comes here."""
        return False

    def spend(self, seconds: float) -> None:
        """Add processor time that was used."""
        self.seconds += seconds

    def charge(self, seconds: float) -> None:
        """Add processor time that was used elsewhere."""
        self.seconds += seconds

    def must_wait(self) -> bool:
        """Return False, as nothing is ever exhausted."""
        return False

    def wait(self) -> asyncio.Future[None]:
        """Never called, since nothing is ever exhausted."""
        raise NotImplementedError


class Worker:
    """Carries out the calls that come over a connection."""

    def __init__(self, lifespan: EngineLifespan, writer: asyncio.StreamWriter) -> None:
        self._lifespan = lifespan
        self._writer = writer
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Carry out calls until the server closes the connection."""
        while message := await read_message(reader):
            match message:
                case Begin():
                    self._begin(message)
                case Cancel():
                    if task := self._tasks.get(message.number):
                        task.cancel()
                case Leave():
                    self._lifespan.leave()

    async def give_way(self) -> None:
        """Lower the priority of the process once it has loaded its parts."""
        with suppress(ReasonloomError):  # the calls say what is wrong
            await self._lifespan.engine()
        os.nice(NICE)

    async def end(self) -> None:
        """Leave all calls to others."""
        self._lifespan.leave()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, begin: Begin) -> None:
        meter = CallMeter()
        token = current_budget.set(meter)
        task = asyncio.create_task(self._run(begin, meter))
        current_budget.reset(token)
        self._tasks[begin.number] = task

    async def _run(self, begin: Begin, meter: CallMeter) -> None:
        outcome: Outcome | None = None
        error: ReasonloomError | None = None
        try:
            outcome = await self._outcome(begin)
        except ReasonloomError as raised:
            error = raised
        except Exception:  # noqa: BLE001 - the engine has logged it, or it is the database's opening
            error = InternalFault(str(begin.number))
        finally:
            del self._tasks[begin.number]
            packed = RaisedError.of(error) if error else None
            write_message(self._writer, End(begin.number, meter.seconds, outcome, packed))

    async def _outcome(self, begin: Begin) -> Outcome:
        async def report(step: Step) -> None:
            write_message(self._writer, Progress(begin.number, step))

        engine = await self._lifespan.engine()
        call = Call(
            tool=begin.tool,
            graph=load_graph(begin.graph),
            request=begin.request,
            caller=begin.caller,
            key=begin.key,
            report=report,
            offered=begin.offered,
            asks_caller=begin.asks_caller,
        )
        return await engine.call(call)


async def serve_calls(connection: socket.socket, prepare: Callable[[Settings], None]) -> None:
    """Carry out heavy calls until the server at the other end of a connection is gone.

    `prepare` is called with the settings, which are the first message.
    """
    loop = asyncio.get_running_loop()
    loop.set_task_factory(metered_task)  # type: ignore[arg-type]
    loop.set_default_executor(MeteredThreads(THREADS))
    reader, writer = await asyncio.open_connection(sock=connection)
    settings = await read_message(reader)
    if settings is None:
        return
    prepare(settings)
    async with EngineLifespan(settings, recover=False) as lifespan:
        worker = Worker(lifespan, writer)
        loading = asyncio.create_task(worker.give_way())
        await worker.serve(reader)
        loading.cancel()
        exit_within(AFTER_SIGNAL)
        with suppress(ConnectionError):
            await worker.end()
