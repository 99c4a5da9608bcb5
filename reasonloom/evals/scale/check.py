"""Checks the arithmetic on this machine: predicts 2 and more processes from 1, then measures them.

The processes share the machine's processors with Postgres, the callers and whatever else runs, so
a prediction takes into account how many processors were to be had.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psutil

from reasonloom.compose import open_engine
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.server import replicas
from reasonloom.evals.bench.server.servers import child_environment
from reasonloom.evals.engine import temporary_database
from reasonloom.stores.embedded.postmaster import inhabitants

REPLICAS = (1, 2, 3)
WORKERS = (1, 2, 4)
SECONDS = 15.0
WARM_UP = 4.0
MEMORIES = 500
WORKER = (sys.executable, "-m", "reasonloom.evals.scale.worker")


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement; processor times are seconds per call.

    Attributes:
        count: the number of processes.
        rate: calls a second.
        own: processor time in the processes that are counted.
        postgres, callers: in Postgres, and in what makes the calls.
        available: the processors that nobody else used meanwhile.
    """

    count: int
    rate: float
    own: float
    postgres: float
    callers: float
    available: float


@dataclass(frozen=True, slots=True)
class Check:
    """A prediction for some processes, and what was measured."""

    what: str
    sample: Sample
    predicted: float

    @property
    def off(self) -> float:
        """By what share the prediction is off."""
        return self.predicted / self.sample.rate - 1


def predict(first: Sample, count: int, available: float, calls_at_once: float) -> float:
    """Return the calls a second of `count` processes, from a sample of one.

    The least of three limits counts: what the processes can do, each at most what it did alone;
    what the machine can do, where all share; and what the callers ask for.
    """
    total = first.own + first.postgres + first.callers
    return min(count * first.rate, available / total, calls_at_once)


@dataclass
class Meter:
    """Reads processor times of this machine and of groups of processes."""

    own: Sequence[int]
    postgres: Callable[[], Iterable[psutil.Process]]
    times: dict[str, float] = field(default_factory=dict)

    def read(self) -> dict[str, float]:
        """Return the seconds used so far by each group, and by nobody."""
        whole = psutil.cpu_times()
        return {
            "own": sum(_used(psutil.Process(pid)) for pid in self.own),
            "postgres": sum(_used(each) for each in self.postgres()),
            "callers": _used(psutil.Process()),
            "idle": whole.idle + whole.iowait if hasattr(whole, "iowait") else whole.idle,
            "at": time.perf_counter(),
        }


def _used(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def sample_of(count: int, calls: int, before: dict[str, float], after: dict[str, float]) -> Sample:
    """Return a sample from two readings of a meter and the calls between them."""
    spent = {name: after[name] - before[name] for name in before}
    ours = spent["own"] + spent["postgres"] + spent["callers"]
    return Sample(
        count,
        calls / spent["at"],
        spent["own"] / calls,
        spent["postgres"] / calls,
        spent["callers"] / calls,
        (ours + spent["idle"]) / spent["at"],
    )


async def check_replicas() -> list[Check]:
    """Measure one to three replicas with `reasonloom bench`'s callers; predict the later ones."""
    async with replicas.replica_site() as site:
        folder = site.folder
        samples = []
        for count in REPLICAS:
            ports = site.ports[:count]
            pids = [site.processes[port].pid for port in ports]
            meter = Meter(pids, lambda: inhabitants(folder))
            work = site.load(ports)
            running = asyncio.create_task(work.run(WARM_UP + SECONDS))
            await asyncio.sleep(WARM_UP)
            before, done = meter.read(), len(work.took)
            await asyncio.sleep(SECONDS)
            after, calls = meter.read(), len(work.took) - done
            await running
            samples.append(sample_of(count, calls, before, after))
        return _checks("replicas, reasoning_linear", samples, replicas.CALLERS / replicas.LATENCY)


async def check_workers() -> list[Check]:
    """Measure one to four processes that recall as fast as they can; predict the later ones."""
    async with temporary_database() as (settings, access):
        async with open_engine(settings, access=access, recover=False) as engine:
            for number in range(max(WORKERS)):
                await load(engine.loom.database, engine.loom.embedder, f"w{number}", MEMORIES)
        folder, env = settings.database_folder, child_environment(settings)
        samples = []
        for count in WORKERS:
            async with _workers(count, env) as processes:
                pids = [each.pid for each in processes]
                meter = Meter(pids, lambda: inhabitants(folder))
                before = meter.read()
                await asyncio.sleep(SECONDS)
                after = meter.read()
                calls = sum([await _stopped(each) for each in processes])
            samples.append(sample_of(count, calls, before, after))
        return _checks("workers, recall", samples, float("inf"))


@asynccontextmanager
async def _workers(
    count: int, env: dict[str, str]
) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Yield processes that begin to work at the same moment."""
    processes = [
        await asyncio.create_subprocess_exec(
            *WORKER, f"w{number}", env=env,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )
        for number in range(count)
    ]  # fmt: skip
    try:
        for each in processes:
            await _line(each)
        for each in processes:
            await _say(each)
        yield processes
    finally:
        for each in processes:
            if each.returncode is None:
                each.kill()
            await each.wait()


async def _stopped(process: asyncio.subprocess.Process) -> int:
    """Stop a worker; return how many calls it made."""
    await _say(process)
    return int(await _line(process))


async def _say(process: asyncio.subprocess.Process) -> None:
    assert process.stdin  # noqa: S101 - it was opened so
    process.stdin.write(b"\n")
    await process.stdin.drain()


async def _line(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout  # noqa: S101 - it was opened so
    line = await process.stdout.readline()
    if not line:
        raise RuntimeError("a worker has ended")
    return line


def _checks(what: str, samples: Sequence[Sample], most: float) -> list[Check]:
    first = samples[0]
    return [Check(what, each, predict(first, each.count, each.available, most)) for each in samples]


def processors() -> int:
    """Return the number of processors of this machine."""
    return os.cpu_count() or 1
