"""A worker ends when it is told to, also while the database is unavailable."""

from __future__ import annotations

import asyncio
from pathlib import Path

from reasonloom.evals.engine import temporary_database
from reasonloom.stores.access import Access
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrate import bring_up_to_date
from tests.support.workers.process import wait_for_workers, worker


async def test_a_worker_ends_while_the_database_is_away(tmp_path: Path) -> None:
    async with temporary_database() as (settings, access):
        await bring_up_to_date(access)
        ways = Access(access.admin, access.app)  # without the server, which it would start again
        with worker(ways, tmp_path / "book") as process:
            await asyncio.to_thread(wait_for_workers, access, 1)
            EmbeddedServer(settings.database_folder).stop()
            await asyncio.sleep(2)
            process.terminate()
            assert await asyncio.to_thread(process.wait, 40) == 0
