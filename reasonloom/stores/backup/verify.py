"""Proves that a backup can be restored: into a temporary database, which is then deleted."""

import asyncio
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from reasonloom.errors import InvalidArgument
from reasonloom.stores.access import Access, embedded_access
from reasonloom.stores.backup.catalog import tables_of
from reasonloom.stores.backup.dump import BackupSize, Progress
from reasonloom.stores.backup.file_format import open_backup, row_counts
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.schema import newest_step, one_value

COUNT_ROWS = sql.SQL("SELECT count(*) FROM {}")
MADE_FOR_SPEED = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}


@dataclass(frozen=True, slots=True)
class Verified:
    """What was restored: the backup's extent, and the rows of each table after the migrations."""

    size: BackupSize
    rows: dict[str, int]


async def verify(
    home: Path, path: Path, progress: Progress, identity: Path | None = None
) -> Verified:
    """Restore a backup on a new embedded server in `home`, count its rows, and delete the server.

    Nothing else is read or changed: the database of `DATABASE_URL` is not opened.

    Raises:
        InvalidArgument: it cannot be restored, or the restored rows are not those of the file.
        DatabaseUnavailable: the embedded server cannot be started.
    """
    expected = await asyncio.to_thread(_expected, path, identity)
    folder = home / f"verify-{secrets.token_hex(4)}"
    server = EmbeddedServer(folder / "postgres", MADE_FOR_SPEED)
    try:
        access = await embedded_access(server, "reasonloom")
        size = await restore(access, path, progress, identity=identity)
        found = await asyncio.to_thread(_counted, access)
        differing = [name for name in sorted(expected) if found.get(name) != expected[name]]
        if differing and size.header.schema == newest_step():  # a migration may change rows
            fault = f"other rows than in the file after the restore: {', '.join(differing)}"
            raise InvalidArgument(f"{path.name}: {fault}", field="file")
        return Verified(size, found)
    finally:
        await asyncio.to_thread(server.stop)
        shutil.rmtree(folder, ignore_errors=True)


def _expected(path: Path, identity: Path | None) -> dict[str, int]:
    with open_backup(path, identity) as file:
        return row_counts(file)


def _counted(access: Access) -> dict[str, int]:
    """Return the number of rows of each table."""
    with psycopg.connect(access.admin) as connection:
        return {
            table: int(one_value(connection, COUNT_ROWS.format(sql.Identifier(table))))
            for table in tables_of(connection)
        }
