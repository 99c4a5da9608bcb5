"""A worker whose language model counts its calls in a book, and which may die at one of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from reasonloom.workers.kinds import QUEUES
from reasonloom.workers.worker import run_worker
from tests.support.clients.processes import environment
from tests.support.evals.killed_process import NEVER, Mortal

LEASE = 1.5
"""Seconds until the jobs of a worker that was killed are taken over."""

PATIENT = 60.0
"""The same where nothing is killed: on a busy machine a worker may be silent for longer."""

PATIENCE = 25.0


@contextmanager
def worker(
    access: Access | Path,
    book: Path,
    *,
    at: int = NEVER,
    queues: str = ",".join(QUEUES),
    concurrency: int = 2,
    listens: bool = True,
    lease: float = LEASE,
) -> Iterator[subprocess.Popen[str]]:
    """Yield a worker process, which pays by writing to a book; ended by SIGTERM if it lives.

    `access` is a database of a running server, or the home of an embedded one.
    """
    ways = ("", str(access)) if isinstance(access, Path) else (access.admin, access.app)
    given = (*ways, book, at, queues, concurrency, int(listens), lease)
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, *map(str, given)],
        env=environment(book.parent / "home"), text=True, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
        sys.stderr.write(err)  # pytest shows it where a test fails


def wait_for_workers(access: Access, count: int) -> None:
    """Wait until so many workers have registered."""
    until = time.monotonic() + PATIENCE
    with psycopg.connect(access.admin, autocommit=True) as connection:
        query = "SELECT count(*) FROM reasonloom_queue.procrastinate_workers"
        while time.monotonic() < until:
            if connection.execute("SELECT to_regclass('reasonloom_queue.step')").fetchone() != (
                None,
            ) and connection.execute(query).fetchone() >= (count,):  # type: ignore[operator]
                return
            time.sleep(0.05)
    raise AssertionError("the workers did not start")


def paid(book: Path) -> list[str]:
    """Return what was paid for."""
    return book.read_text().splitlines() if book.exists() else []


def main() -> None:
    """Run a worker."""
    admin, app, book, at, queues, concurrency, listens, lease = sys.argv[1:]
    llm = Mortal(book=Path(book), at=int(at), seconds=0.01)
    settings = load_settings(lease_seconds=float(lease), home=None if admin else Path(app))
    work = run_worker(
        settings, queues.split(","), access=Access(admin, app) if admin else None, llm=llm,
        concurrency=int(concurrency), listen=bool(int(listens)),
    )  # fmt: skip
    asyncio.run(work)


if __name__ == "__main__":
    main()
