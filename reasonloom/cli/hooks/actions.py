"""The action of each hook, once its input is read and the database is open."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reasonloom.cli.hooks.hosts import HookHost
from reasonloom.cli.hooks.input import HookInput, project_folder, transcript_files
from reasonloom.errors import ReasonloomError
from reasonloom.text.plurals import counted

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.execution import Loom
    from reasonloom.nodes.history.ingestion.reports import FileReport
    from reasonloom.settings import Settings
    from reasonloom.stores.database import Database

NOTHING_DONE = "nothing was done"
BATCH_SIZE = 100
"""Chunks stored in one transaction: at most this many are lost when time runs out."""

CLUSTERING_SECONDS = 3.0
"""Maximum seconds for clustering new chunks; a server does it otherwise."""


class HookResult(NamedTuple):
    """The outcome of a hook: what it did or why not, and for which project."""

    message: str
    project: str | None = None
    succeeded: bool = True


@dataclass(slots=True)
class HookContext:
    """The resources of a hook.

    Attributes:
        loom: all dependencies, for hooks that store something; else None.
        answer: writes the output that the host reads.
        until: the reading of `time.monotonic` by which the hook must end.
        host: the host that called.
        done: the progress so far, in words.
    """

    settings: Settings
    caller: Caller
    database: Database
    loom: Loom | None
    answer: Callable[[str], None]
    until: float
    host: HookHost
    done: str = NOTHING_DONE


async def session_start(context: HookContext, given: HookInput) -> HookResult:
    """Give the host a briefing on how the project's past sessions ended."""
    from reasonloom.nodes.history.briefing import Occasion, session_briefing
    from reasonloom.text import tokens

    source = given.source or "startup"
    project = await _project(context, project_folder(given), None)
    if project is None:
        return HookResult("nothing is stored about this project yet")
    occasion = Occasion(given.session, source, datetime.now(UTC))
    async with context.database.begin(context.caller, searching=True) as tx:
        text = await session_briefing(tx, project, occasion)
    if not text:
        return HookResult(f"no notes to send ({source[:20]})", project)
    context.answer(format_context(given, text))
    return HookResult(f"sent {tokens.count_tokens(text)} tokens ({source[:20]})", project)


async def ingest_session(context: HookContext, given: HookInput) -> HookResult:
    """Ingest new content from the transcripts of the session and its sub-agents."""
    from reasonloom.nodes.history.ingestion.pipeline import ingest
    from reasonloom.nodes.history.ingestion.reports import IngestOptions

    files = transcript_files(given, context.host)
    if not files:
        return HookResult("there is no transcript yet: nothing to store")
    read = 0

    def report(more: int) -> None:
        nonlocal read
        read += more
        context.done = f"{read:,} bytes of transcripts are read and stored"

    assert context.loom is not None  # noqa: S101 - opened with all parts for this hook
    folder = None if context.host.names_folder else str(project_folder(given))
    options = IngestOptions(context.host.form, folder, batch=BATCH_SIZE)
    named = [(f"file {number}", path) for number, path in enumerate(files, start=1)]
    reports = await ingest(context.loom, context.caller, named, options, report)
    project = await _project(context, project_folder(given), given.session)
    result = _ingest_result(reports, project)
    if any(each.new for each in reports):
        await _cluster(context, context.loom)
    return result


async def claudemd_generator(context: HookContext, given: HookInput) -> HookResult:
    """Update the block in the project's CLAUDE.md, if there is such a file."""
    from reasonloom.cli.hooks.claude_md import update_claude_md
    from reasonloom.nodes.history.briefing import project_notes

    folder = project_folder(given)
    project = await _project(context, folder, given.session)
    text = None
    if project is not None:
        async with context.database.begin(context.caller, searching=True) as tx:
            text = await project_notes(tx, project, str(folder))
    return HookResult(update_claude_md(folder, text), project)


def format_context(given: HookInput, text: str) -> str:
    """Return `text` in the hosts' JSON for SessionStart, or Cursor's; otherwise as plain text."""
    if given.event == "sessionStart":
        return json.dumps({"additional_context": text}, ensure_ascii=False) + "\n"
    if given.event != "SessionStart":
        return f"{text}\n"
    output = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False) + "\n"


def _ingest_result(reports: list[FileReport], project: str | None) -> HookResult:
    """Return the result for all files in one sentence."""
    new, changed = sum(each.new for each in reports), sum(each.changed for each in reports)
    files = counted(len(reports), "file")
    message = f"{counted(new, 'chunk')} stored, {changed} changed, from {files}"
    refused = [each for each in reports if each.refused]
    if refused:
        message += f"; {counted(len(refused), 'file')} refused: {refused[0].refused}"
    if without := sum(each.unembedded for each in reports):
        message += f"; {without} without a vector, since the embedder cannot be used"
    return HookResult(message, project, succeeded=not refused)


async def _cluster(context: HookContext, loom: Loom) -> None:
    """Cluster new chunks if time permits; nothing is lost otherwise."""
    from reasonloom.nodes.mental_models.basins.upkeep import maintain_basins

    left = min(CLUSTERING_SECONDS, context.until - time.monotonic() - 0.5)
    try:
        async with asyncio.timeout(left):
            await maintain_basins(loom, context.caller, datetime.now(UTC))
    except (TimeoutError, ReasonloomError):
        return


async def _project(context: HookContext, folder: Path, session: str | None) -> str | None:
    """Return the slug of a folder's project, None if it is unknown."""
    from reasonloom.stores.history.projects import project_of

    paths = list(dict.fromkeys([str(folder), *_resolved(folder)]))
    async with context.database.begin(context.caller, searching=True) as tx:
        return await project_of(tx, paths, session)


def _resolved(folder: Path) -> list[str]:
    try:
        return [str(folder.resolve())]
    except (OSError, RuntimeError):
        return []
