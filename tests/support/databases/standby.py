"""A primary with a streaming standby, from the Postgres programs of the embedded server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from reasonloom.stores.embedded.boot import bundled, identity
from reasonloom.stores.embedded.postmaster import Address
from tests.support.databases.postgres import TEMPLATE, TestPostgres, running_server

NAME = "followed"


@dataclass(frozen=True)
class Pair:
    """A primary and its standby, both with the database `followed`."""

    primary: TestPostgres
    standby: Path
    programs: Path
    user: dict[str, Any]

    @property
    def primary_url(self) -> str:
        """The URL of the primary alone."""
        return self.primary.address.dsn("postgres", NAME)

    @property
    def standby_url(self) -> str:
        """The URL of the standby alone."""
        return Address(self.standby.parent, self.primary.address.port).dsn("postgres", NAME)

    @property
    def both_url(self) -> str:
        """The URL of whichever of both accepts writes."""
        port = self.primary.address.port
        hosts = f"{self.primary.address.socket_dir},{self.standby.parent}"
        attributes = "target_session_attrs=read-write"
        return f"postgresql://postgres@/{NAME}?host={hosts}&port={port},{port}&{attributes}"

    def control(self, *words: str) -> None:
        """Run `pg_ctl` for the standby."""
        command = [str(self.programs / "pg_ctl"), "-D", str(self.standby), "-w", "-s", *words]
        subprocess.run(command, check=True, cwd=self.standby, **self.user)

    def start(self) -> None:
        """Start the standby; its socket is beside its data, which has a copy of the primary's."""
        folder, port = self.standby.parent, self.primary.address.port
        self.control("-o", f"-h '' -k {folder} -p {port}", "-l", f"{folder}/log", "start")

    def promote(self) -> None:
        """Make the standby a primary, and wait until it is."""
        self.control("promote")

    def kill_primary(self) -> None:
        """Kill the primary's postmaster with SIGKILL; its other processes end by themselves."""
        folder = self.primary.server.folder
        pid = int((folder / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)

    def wait_until_followed(self) -> None:
        """Wait until the standby has replayed what the primary has written."""
        with psycopg.connect(self.primary_url) as one, psycopg.connect(self.standby_url) as two:
            at = one.execute("SELECT pg_current_wal_lsn()").fetchone()
            replayed = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            until = time.monotonic() + 30
            while two.execute(replayed, at).fetchone() != (True,):
                assert time.monotonic() < until
                time.sleep(0.02)


@contextmanager
def followed_server(*, synchronous: bool) -> Iterator[Pair]:
    """Yield a primary with a standby; if `synchronous`, commits wait for the standby."""
    with running_server() as primary, tempfile.TemporaryDirectory(prefix="rls") as name:
        with psycopg.connect(primary.address.dsn("postgres", "postgres"), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {NAME} TEMPLATE {TEMPLATE}".encode())
            library = bundled(primary.server.folder)
            user = identity(library.system_user)
            if user:
                for each in (name, primary.server.folder / "log"):
                    shutil.chown(each, library.system_user)
            Path(name).chmod(0o755)
            pair = Pair(primary, Path(name) / "standby", library.bin_path, user)
            host = str(primary.address.socket_dir)
            copy = ["-D", str(pair.standby), "-h", host, "-U", "postgres", "-R", "-c", "fast"]
            port = str(primary.address.port)
            program = str(library.bin_path / "pg_basebackup")
            subprocess.run([program, *copy, "-p", port], check=True, cwd=name, **user)
            pair.start()
            if synchronous:
                admin.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
                admin.execute("ALTER SYSTEM SET synchronous_commit = 'on'")
                admin.execute("SELECT pg_reload_conf()")
        try:
            yield pair
        finally:
            pair.control("-m", "immediate", "stop")
