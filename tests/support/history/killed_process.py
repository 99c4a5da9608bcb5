"""A process that ingests files through the guillotine, or beside another one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.history.ingestion.reports import IngestOptions
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.killing.victim import EMBEDDER


@dataclass(frozen=True)
class Errand:
    """Which files a process ingests, where, for whom, and how many chunks in a transaction."""

    conninfo: str
    files: list[Path]
    owner: str
    batch: int = 8


async def unlinked(loom: Loom, caller: Caller, new: Mapping[str, Sequence[int]]) -> None:
    """Link nothing: what is looked at is what ingestion stores."""


def run(errand: Errand) -> None:
    """Do an errand."""
    asyncio.run(_run(errand))


async def _run(errand: Errand) -> None:
    access = Access(admin=errand.conninfo, app=errand.conninfo)
    settings = Settings(user=errand.owner)
    async with open_engine(settings, access=access, embedder=EMBEDDER, recover=False) as engine:
        files = [(str(file), file) for file in errand.files]
        wish = IngestOptions(batch=errand.batch)
        await ingest(engine.loom, Caller(errand.owner), files, wish, linking=unlinked)
