"""What each hook does once the host has been heard and the database is open."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reasonloom.cli.hooks.input import HookInput, project_folder, transcript_files
from reasonloom.cli.output import counted
from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.history.ingestion.reports import FileReport
    from reasonloom.nodes.loom import Loom
    from reasonloom.settings import Settings
    from reasonloom.stores.database import Database

NOTHING_DONE = "nothing was done"
BATCH_SIZE = 100
"""Chunks kept in one transaction: what is lost where the time ends is no more than that."""

CLUSTERING_SECONDS = 3.0
"""Seconds for putting new chunks into clusters; a server does it else."""


class HookResult(NamedTuple):
    """How a hook ended: what it did or why not, and for which project."""

    message: str
    project: str | None = None
    succeeded: bool = True


@dataclass(slots=True)
class HookContext:
    """What a hook works with.

    Attributes:
        loom: all parts, where a hook stores something; else None.
        answer: writes what the host is to read.
        until: a reading of `time.monotonic` by which the hook must have ended.
        done: how far it has come, in words.
    """

    settings: Settings
    caller: Caller
    database: Database
    loom: Loom | None
    answer: Callable[[str], None]
    until: float
    done: str = NOTHING_DONE


async def session_start(room: HookContext, given: HookInput) -> HookResult:
    """Tell the host how the project's past sessions ended."""
    from reasonloom.nodes.history.briefing import Occasion, session_briefing  # noqa: PLC0415
    from reasonloom.text import tokens  # noqa: PLC0415

    source = given.source or "startup"
    project = await _project(room, project_folder(given), None)
    if project is None:
        return HookResult("nothing is known of this project yet")
    occasion = Occasion(given.session, source, datetime.now(UTC))
    async with room.database.begin(room.caller, searching=True) as tx:
        text = await session_briefing(tx, project, occasion)
    if not text:
        return HookResult(f"nothing to tell ({source[:20]})", project)
    room.answer(format_context(given, text))
    return HookResult(f"told {tokens.count_tokens(text)} tokens ({source[:20]})", project)


async def ingest_session(room: HookContext, given: HookInput) -> HookResult:
    """Keep what is new in the session's transcript and in those of its sub-agents."""
    from reasonloom.nodes.history.ingestion.pipeline import ingest  # noqa: PLC0415
    from reasonloom.nodes.history.ingestion.reports import IngestOptions  # noqa: PLC0415

    files = transcript_files(given, room.settings.claude_folder / "projects")
    if not files:
        return HookResult("there is no transcript yet: nothing to keep")
    read = 0

    def tell(more: int) -> None:
        nonlocal read
        read += more
        room.done = f"{read:,} bytes of transcripts are read and kept"

    assert room.loom is not None  # noqa: S101 - opened with all parts for this hook
    wish = IngestOptions(form="claude-code", batch=BATCH_SIZE)
    named = [(f"file {number}", path) for number, path in enumerate(files, start=1)]
    told = await ingest(room.loom, room.caller, named, wish, tell)
    project = await _project(room, project_folder(given), given.session)
    went = _ingest_result(told, project)
    if any(each.new for each in told):
        await _cluster(room, room.loom)
    return went


async def claudemd_generator(room: HookContext, given: HookInput) -> HookResult:
    """Bring the block in the project's CLAUDE.md up to date, where there is such a file."""
    from reasonloom.cli.hooks.claude_md import update_claude_md  # noqa: PLC0415
    from reasonloom.nodes.history.briefing import project_notes  # noqa: PLC0415

    folder = project_folder(given)
    project = await _project(room, folder, given.session)
    text = None
    if project is not None:
        async with room.database.begin(room.caller, searching=True) as tx:
            text = await project_notes(tx, project, str(folder))
    return HookResult(update_claude_md(folder, text), project)


def format_context(given: HookInput, text: str) -> str:
    """Return `text` as the host takes it for context; plain where the host is not that one."""
    if given.event != "SessionStart":
        return f"{text}\n"
    told = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": told}, ensure_ascii=False) + "\n"


def _ingest_result(told: list[FileReport], project: str | None) -> HookResult:
    """Return what became of all files in one sentence; the first is the session's own."""
    new, changed = sum(each.new for each in told), sum(each.changed for each in told)
    files = counted(len(told), "file")
    said = f"{counted(new, 'chunk')} stored, {changed} changed, from {files}"
    refused = [each for each in told if each.refused]
    if refused:
        said += f"; {counted(len(refused), 'file')} refused: {refused[0].refused}"
    if without := sum(each.unembedded for each in told):
        said += f"; {without} without a vector, since the embedder cannot be used"
    return HookResult(said, project, succeeded=not refused)


async def _cluster(room: HookContext, loom: Loom) -> None:
    """Put new chunks into clusters, if that is done soon; where it is not, nothing is lost."""
    from reasonloom.nodes.mental_models.basins.upkeep import maintain_basins  # noqa: PLC0415

    left = min(CLUSTERING_SECONDS, room.until - time.monotonic() - 0.5)
    try:
        async with asyncio.timeout(left):
            await maintain_basins(loom, room.caller, datetime.now(UTC))
    except (TimeoutError, ReasonloomError):
        return


async def _project(room: HookContext, folder: Path, session: str | None) -> str | None:
    """Return the slug of the project of a folder, None where nothing is known of it."""
    from reasonloom.stores.history.projects import project_of  # noqa: PLC0415

    paths = list(dict.fromkeys([str(folder), *_resolved(folder)]))
    async with room.database.begin(room.caller, searching=True) as tx:
        return await project_of(tx, paths, session)


def _resolved(folder: Path) -> list[str]:
    try:
        return [str(folder.resolve())]
    except (OSError, RuntimeError):
        return []
