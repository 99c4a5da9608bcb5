"""Caches parsed memory files, and reads the files of a workspace."""

import asyncio
import os
import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from threading import Lock
from typing import Any

from reasonloom.contracts.graph_memory.workspaces import Context, State
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.workspaces.folder import FileProblem, open_file
from reasonloom.nodes.graph_memory.workspaces.parsing import ParsedFile, parse_file
from reasonloom.stores.graph_memory import workspaces
from reasonloom.stores.graph_memory.workspaces import ContextRow, WorkspaceRow

MOST_BYTES = 512 * 1024 * 1024
SETTLED = 2.0
"""Seconds: a file changed more recently than this before it was read may change again without a
change of its timestamps, so the next call compares its digest."""

Key = tuple[str, str]


def is_settled(modified: int, changed: int) -> bool:
    """Return whether any later change would change a file's timestamps (ns)."""
    return time.time() - max(modified, changed) / 1e9 > SETTLED


@dataclass(slots=True)
class CachedFile:
    """A parsed file with its size, timestamps and inode, if `settled` enough to detect changes."""

    stamp: tuple[int, int, int, int]
    settled: bool
    parsed: ParsedFile


class ParsedFiles:
    """An LRU cache of this process's parsed files, of up to `most_bytes` in total.

    Concurrent calls for the same file share one read.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Key, CachedFile] = OrderedDict()
        self._reading: dict[Key, asyncio.Task[ParsedFile]] = {}

    async def get(self, folder: Path, relative: str) -> ParsedFile:
        """Return a file's current content; reads and parses it in a thread if it is new or changed.

        Raises:
            FileProblem: it cannot be read.
        """
        key = (str(folder), relative)
        task = self._reading.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(asyncio.to_thread(self._fresh, folder, relative))
            self._reading[key] = task
            task.add_done_callback(lambda done: self._done(key, done))
        return await asyncio.shield(task)

    def _done(self, key: Key, task: asyncio.Task[ParsedFile]) -> None:
        if self._reading.get(key) is task:
            del self._reading[key]
        if not task.cancelled():
            task.exception()  # marks it as retrieved, as nobody may be waiting any more

    def _fresh(self, folder: Path, relative: str) -> ParsedFile:
        key = (str(folder), relative)
        with self._lock:
            kept = self._kept.pop(key, None)
        with open_file(folder, relative) as source:
            status = os.fstat(source.fileno())
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            settled = is_settled(status.st_mtime_ns, status.st_ctime_ns)
            if kept and kept.settled and kept.stamp == stamp:
                parsed = kept.parsed
            else:
                digest = file_digest(source, "sha256").digest()
                same = kept and kept.parsed.digest == digest
                parsed = kept.parsed if kept and same else parse_file(source, digest)
        with self._lock:
            self._kept[key] = CachedFile(stamp, settled, parsed)
        self.trim()
        return parsed

    def trim(self) -> None:
        """Evict the least recently used files until the rest is within the limit."""
        with self._lock:
            total = sum(kept.parsed.bytes for kept in self._kept.values())
            while self._kept and total > self._most:
                _, gone = self._kept.popitem(last=False)
                total -= gone.parsed.bytes

    @property
    def bytes(self) -> int:
        """The approximate size of the parsed files in memory."""
        with self._lock:
            return sum(kept.parsed.bytes for kept in self._kept.values())


FILES = ParsedFiles()
"""One cache for all owners, since all may read the folder."""

NO_FILES = "the workspace has no files yet: add some with memory_workspace_add"
NOT_READ = "not read: {labels}; contexts say why"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The current state of a workspace's file; `parsed` is None if it cannot be read."""

    row: ContextRow
    parsed: ParsedFile | None
    state: State
    problem: str | None

    def render(self) -> Context:
        """Return the file for answers."""
        memories = len(self.parsed.held) if self.parsed else 0
        return Context(**self.identity(), path=self.row.path, memories=memories)

    def identity(self) -> dict[str, Any]:
        """Return the fields that all answers about a file share."""
        return {
            "context_id": self.row.id,
            "label": self.row.label,
            "role": self.row.role,
            "state": self.state,
            "problem": self.problem,
        }


async def read_workspace(
    execution: Execution, workspace_id: str
) -> tuple[WorkspaceRow, list[ReadFile]]:
    """Return a workspace and its files; no file is read while the transaction is open.

    Raises:
        WorkspaceNotFound: this owner has no such workspace.
    """
    async with execution.loom.database.begin(execution.caller) as tx:
        workspace = await workspaces.require(tx, workspace_id)
        tx.end_with_next()
        rows = await workspaces.contexts(tx, workspace)
    return workspace, [await read_file(execution, row) for row in rows]


async def read_file(execution: Execution, row: ContextRow) -> ReadFile:
    """Return a file's current content, or why it cannot be read."""
    try:
        parsed = await FILES.get(execution.loom.settings.files_folder, row.path)
    except FileProblem as fault:
        return ReadFile(row, None, fault.state, fault.reason)
    return ReadFile(row, parsed, "ready", parsed.problem)


def unread_notes(files: list[ReadFile]) -> list[str]:
    """Return notes on a workspace's files that could not be read."""
    if not files:
        return [NO_FILES]
    unread = [file.row.label for file in files if file.parsed is None]
    return [NOT_READ.format(labels=", ".join(unread))] if unread else []
