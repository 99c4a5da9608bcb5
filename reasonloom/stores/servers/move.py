"""Moves an owner from one database to another while its servers run.

    copying   the source is authoritative; the target has an unfinished copy that nobody uses
    moved     the target is authoritative; the source has rows that nobody uses
    gone      the source only knows where the owner is

The state is a row in the source. One commit there switches from `copying` to `moved`, after the
target's copy is complete, compared and committed; so at any moment, also after a crash, exactly one
database is authoritative. For that last step the owner's transactions wait on a lock which each of
them takes (`enter_owner`), and then go on in the target.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg

from reasonloom.contracts.places import GROUP
from reasonloom.errors import Conflict, DatabaseUnavailable, InvalidArgument
from reasonloom.stores.access import Access
from reasonloom.stores.backup.catalog import Connection, administrator_errors
from reasonloom.stores.schema import one_value
from reasonloom.stores.servers.layout import Layout
from reasonloom.stores.servers.rows import (
    bring,
    copy_bars,
    count_all,
    delete_all,
    name_threads,
    owned_tables,
    require_same,
    settled,
)

LAST_MOVE = "SELECT destination, epoch, state FROM owner_moves WHERE owner = %s"
EPOCH = "SELECT epoch FROM owner_moves WHERE owner = %s"
BEGIN_MOVE = """
INSERT INTO owner_moves (owner, destination, epoch, state) VALUES (%s, %s, %s, 'copying')
ON CONFLICT (owner) DO UPDATE SET destination = excluded.destination, epoch = excluded.epoch,
    state = 'copying', started_at = now(), moved_at = NULL
"""
SWITCH = "UPDATE owner_moves SET state = 'moved', moved_at = now() WHERE owner = %s"
END_MOVE = "UPDATE owner_moves SET state = 'gone' WHERE owner = %s"
CANCEL_FIRST = "DELETE FROM owner_moves WHERE owner = %s AND state = 'copying' AND epoch = 1"
CANCEL_LATER = """
UPDATE owner_moves SET destination = %s, epoch = epoch - 1, state = 'gone'
WHERE owner = %s AND state = 'copying'
"""
FORWARD = "UPDATE owner_moves SET destination = %s, epoch = %s WHERE owner = %s AND epoch < %s"
SNAPSHOT = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"
ONLY_MOVER = "SELECT pg_try_advisory_lock(hashtextextended(%s, 24))"
STOP_OWNER = "SELECT pg_advisory_lock(hashtextextended(%s, 23))"
LET_GO = "SELECT pg_advisory_unlock(hashtextextended(%s, 23))"

LATE = ("leases", "spaces")
"""Tables that jobs change for owners whom they do not look up; they are copied at the very end."""

PASSES = 6
"""Copies of what has changed meanwhile, at most, before the owner's writes are stopped."""

SHORT = 0.3
"""Seconds of such a pass after which the next one may be the last."""

STOP_PATIENCE = 1.0
"""Seconds to wait for the owner's open transactions while new ones wait behind us."""

STOP_TRIES = 60
BUSY = "transactions of this owner take too long to be interrupted; try `owner move --resume` later"
OTHER_MOVER = "another process is moving this owner"
NO_GROUP = "owner: must be a person or a team, such as anna; a group is in every database"
ELSEWHERE = "the owner has moved meanwhile; see `owner show`, and start again"
NOT_BEGUN = "no move of the owner is under way, so there is nothing to abort"


@dataclass(slots=True)
class Moved:
    """The outcome of a move: rows by table, passes, and the seconds that writes had to wait."""

    owner: str
    source: str
    target: str
    rows: dict[str, int] = field(default_factory=dict)
    passes: int = 0
    paused: float = 0.0
    seconds: float = 0.0


def nothing_to_do(_point: str) -> None:
    """Ignore a point of the move."""


class OwnerMove:
    """One owner's move from a database, in which the owner lives since move `epoch`, to another.

    `reached` is called with the name of each point that the move gets to.

    Raises:
        InvalidArgument: the owner is a group, which is noted in every database.
    """

    def __init__(
        self,
        layout: Layout,
        owner: str,
        source: str,
        target: str,
        *,
        epoch: int,
        reached: Callable[[str], None] = nothing_to_do,
    ) -> None:
        if owner.startswith(GROUP):
            raise InvalidArgument(NO_GROUP, field="owner")
        self._layout = layout
        self._owner = owner
        self._names = source, target
        self._epoch = epoch
        self._reached = reached

    def run(self) -> Moved:
        """Begin the move, or continue it from wherever it was interrupted.

        Raises:
            Conflict: the target has rows of the owner, a copy differs, or the move is under way.
            DatabaseUnavailable: one of the databases cannot be reached, or is busy.
            SettingMistake: a login lacks privileges.
        """
        started = time.monotonic()
        done = Moved(self._owner, *self._names)
        with self._connected() as (source, target):
            state = self._state(source)
            if state != "moved":
                self._begin(source, target, resumed=state == "copying")
                self._copy(source, target, done)
            self._finish(source, target)
        done.seconds = time.monotonic() - started
        return done

    def abort(self) -> None:
        """Undo a move that has not been switched yet.

        Raises:
            Conflict: it has been switched and can only be resumed, has ended, or is under way.
        """
        with self._connected() as (source, target):
            state = self._state(source)
            if state == "moved":
                raise Conflict("the owner has moved already; only --resume can end this move")
            if state != "copying":
                raise Conflict(NOT_BEGUN)
            with self._open(source, target):
                delete_all(target, self._tables)
            with settled(source):
                source.execute(CANCEL_FIRST, (self._owner,))
                source.execute(CANCEL_LATER, (self._names[0], self._owner))

    @contextmanager
    def _connected(self) -> Iterator[tuple[Connection, Connection]]:
        source, target = (self._layout.accesses[name] for name in self._names)
        with administrator_errors(), _opened(source) as one, _opened(target) as two:
            if not one_value(one, ONLY_MOVER, self._owner):
                raise Conflict(OTHER_MOVER)
            self._tables = owned_tables(one, self._owner)
            yield one, two

    @contextmanager
    def _open(self, source: Connection, target: Connection) -> Iterator[None]:
        """Open a transaction in each database; that of the target commits first."""
        with settled(source), settled(target, fills=True):
            name_threads(self._owner, source, target)
            yield

    def _state(self, source: Connection) -> str | None:
        """Return the state of this move, None if it has not begun.

        The owner may have moved since the caller looked where it lives; other movers are now locked
        out, so what is read here holds.
        """
        with settled(source):
            row = source.execute(LAST_MOVE, (self._owner,)).fetchone()
        destination, epoch, state = row or ("", 0, "gone")
        begun = state != "gone"
        if begun and destination != self._names[1]:
            raise Conflict(f"the owner is being moved to {destination}: resume or abort that first")
        if epoch > self._epoch + begun or (state == "copying" and epoch <= self._epoch):
            raise Conflict(ELSEWHERE)
        return str(state) if begun else None

    def _begin(self, source: Connection, target: Connection, *, resumed: bool) -> None:
        """Record the move, from now on under way; an interrupted copy is deleted first."""
        with self._open(source, target):
            if resumed:
                delete_all(target, self._tables)
            elif there := count_all(target, self._tables):
                raise Conflict(f"{self._names[1]} has rows of this owner in {min(there)}")
        with settled(source):
            source.execute(BEGIN_MOVE, (self._owner, self._names[1], self._epoch + 1))
        self._reached("begun")

    def _copy(self, source: Connection, target: Connection, done: Moved) -> None:
        """Copy until little changes meanwhile, compare, and switch."""
        since = self._pass(source, target, None, done)
        self._reached("copied")
        for _ in range(PASSES):
            before = time.monotonic()
            since = self._pass(source, target, since, done)
            if time.monotonic() - before < SHORT:
                break
        self._reached("caught up")
        since = self._pass(source, target, since, done, compare=True)
        self._reached("compared")
        with settled(source), settled(target):
            copy_bars(source, target)
        for _ in range(STOP_TRIES):
            since = self._pass(source, target, since, done)
            if (began := self._stop(source)) is not None:
                self._switch(source, target, since, done, began)
                return
        raise DatabaseUnavailable(BUSY)

    def _pass(
        self, source: Connection, target: Connection, since: str | None, done: Moved,
        *, compare: bool = False,
    ) -> str:  # fmt: skip
        """Copy what changed since a transaction; return the oldest one still open in this look."""
        tables = [each for each in self._tables if each.name not in LATE]
        with self._open(source, target):
            oldest = str(one_value(source, SNAPSHOT))
            bring(source, target, tables, since)
            if compare:
                require_same(source, target, tables, None)
        done.passes += 1
        return oldest

    def _switch(
        self, source: Connection, target: Connection, since: str, done: Moved, began: float
    ) -> None:
        """Copy the rest while the owner's transactions wait, compare it, and switch."""
        self._reached("stopped")
        try:
            with settled(source):
                with settled(target, fills=True):
                    name_threads(self._owner, source, target)
                    late = [each for each in self._tables if each.name in LATE]
                    rest = [each for each in self._tables if each.name not in LATE]
                    for tables, changed_since in ((rest, since), (late, None)):
                        changed = bring(source, target, tables, changed_since)
                        require_same(source, target, changed, changed_since)
                    done.rows = count_all(target, self._tables)
                    self._reached("compared the rest")
                self._reached("copy committed")
                source.execute(SWITCH, (self._owner,))
        finally:
            with suppress(psycopg.Error):
                source.execute(LET_GO, (self._owner,))
        done.passes += 1
        done.paused = time.monotonic() - began
        self._reached("switched")

    def _stop(self, source: Connection) -> float | None:
        """Take the lock on which the owner's new transactions wait; return when that began.

        None if a transaction of the owner is open for too long: the others then go on for now.
        """
        source.execute(f"SET lock_timeout = {round(STOP_PATIENCE * 1000)}".encode())
        began = time.monotonic()
        try:
            source.execute(STOP_OWNER, (self._owner,))
        except psycopg.errors.LockNotAvailable:
            return None
        return began

    def _finish(self, source: Connection, target: Connection) -> None:
        """Delete what the owner left behind, and shorten the way to the new place."""
        epoch = int(one_value(source, EPOCH, self._owner))
        forward = (self._names[1], epoch, self._owner, epoch)
        with settled(target):  # where the owner may have been before
            target.execute(FORWARD, forward)
        with settled(source, fills=True):
            name_threads(self._owner, source)
            delete_all(source, self._tables)
            self._reached("deleted")
            source.execute(END_MOVE, (self._owner,))
        self._reached("ended")
        home = self._layout.home_of(self._owner)
        if home not in self._names:
            with _opened(self._layout.accesses[home]) as first, settled(first):
                first.execute(FORWARD, forward)


@contextmanager
def _opened(access: Access) -> Iterator[Connection]:
    """Yield an administrator's connection that reads each transaction in one snapshot."""
    connection: psycopg.Connection[Any]
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        yield connection
