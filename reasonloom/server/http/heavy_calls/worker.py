"""The worker process that runs heavy calls for a server, with its own engine."""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress

from reasonloom.errors import InternalFault, ReasonloomError
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome, Step
from reasonloom.server.engine_lifespan import AFTER_SIGNAL, EngineLifespan, exit_within
from reasonloom.server.http.fair_share import MeteredThreads, current_budget, metered_task
from reasonloom.server.http.heavy_calls.messages import (
    Begin,
    Cancel,
    End,
    Leave,
    Measurement,
    Progress,
    RaisedError,
    read_message,
    write_message,
)
from reasonloom.settings import Settings
from reasonloom.telemetry.metrics import recording

NICE = 5
"""Niceness of the worker once it has loaded its engine."""

THREADS = max(1, min(4, (os.cpu_count() or 1) - 1))
"""Threads for heavy work, which leaves one CPU free."""


class CallMeter:
    """A budget that only measures the CPU time of one call and never makes it wait."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def exhausted(self) -> bool:
        """Return False: turns are decided before a call reaches the worker."""
        return False

    def spend(self, seconds: float) -> None:
        """Add used CPU time."""
        self.seconds += seconds

    def charge(self, seconds: float) -> None:
        """Add CPU time used elsewhere."""
        self.seconds += seconds

    def must_wait(self) -> bool:
        """Return False, as the budget is never exhausted."""
        return False

    def wait(self) -> asyncio.Future[None]:
        """Never called, as the budget is never exhausted."""
        raise NotImplementedError


class Worker:
    """Runs the calls that arrive over a connection."""

    def __init__(self, lifespan: EngineLifespan, writer: asyncio.StreamWriter) -> None:
        self._lifespan = lifespan
        self._writer = writer
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Run calls until the server closes the connection."""
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
        """Lower the priority of the process once its engine is open."""
        with suppress(ReasonloomError):  # calls report the error
            await self._lifespan.engine()
        os.nice(NICE)

    async def end(self) -> None:
        """Cancel all calls and leave their runs to other processes."""
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
    """Run heavy calls until the server at the other end of the connection is gone.

    `prepare` is called with the settings, which arrive as the first message.
    """
    loop = asyncio.get_running_loop()
    loop.set_task_factory(metered_task)  # type: ignore[arg-type]
    loop.set_default_executor(MeteredThreads(THREADS))
    reader, writer = await asyncio.open_connection(sock=connection)
    settings = await read_message(reader)
    if settings is None:
        return
    prepare(settings)
    recording.to = lambda name, value, of: write_message(writer, Measurement(name, value, dict(of)))
    async with EngineLifespan(settings, recover=False) as lifespan:
        worker = Worker(lifespan, writer)
        loading = asyncio.create_task(worker.give_way())
        await worker.serve(reader)
        loading.cancel()
        exit_within(AFTER_SIGNAL)
        with suppress(ConnectionError):
            await worker.end()
