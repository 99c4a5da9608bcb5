"""Waits until a server has nothing left to do in its database."""

from __future__ import annotations

import time

import psycopg

from tests.support.clients.processes import PATIENCE, Process

LEFT = "SELECT (SELECT count(*) FROM reasonloom.leases), count(*) FROM reasonloom.runs \
WHERE status = 'running'"
WORKING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
AND state <> 'idle' AND pid <> pg_backend_pid()"


def settled(server: Process, url: str) -> None:
    """Wait until the database has nothing to do for the server, and no run is unfinished."""
    until = time.monotonic() + PATIENCE
    while True:
        with psycopg.connect(url) as connection:
            left = connection.execute(LEFT).fetchone(), connection.execute(WORKING).fetchone()
        if left == ((0, 0), (0,)):
            return
        assert time.monotonic() < until, (left, server.log[-2_000:])
        time.sleep(0.1)
