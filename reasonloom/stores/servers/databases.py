"""Several databases behind the interface of one: every transaction opens where its owner lives.

An owner's data is created in the home that the layout gives it. If it has moved, the database that
it left knows where to; each process learns that at the owner's first transaction, and again when
it moves once more. So there is no central table that all would depend on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DatabaseUnavailable, OwnerMoved, ReasonloomError
from reasonloom.stores.access import Access
from reasonloom.stores.database import NOT_REACHED, Database, Transaction
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.servers.layout import Layout
from reasonloom.stores.servers.standby import database_at

log = logging.getLogger(__name__)
KNOWN_OWNERS = 100_000
"""Owners whose place a process remembers; the others are looked up again."""

MOVING_SECONDS = 5.0
"""How long after a notice of its move an owner's place is confirmed before each transaction."""

REST = 2.0
"""Seconds after a failed attempt to open a database in which no other is made."""

MOST_HOPS = 8
UNKNOWN = (
    "the data of this user is in a database that this server does not know: "
    "REASONLOOM_DATABASES must name the same databases everywhere"
)

DISTANT = (
    "this space belongs to an owner in another database, so it cannot be used from here; let an "
    "administrator move one of both with `reasonloom owner move`"
)


class Place(NamedTuple):
    """Where an owner lives: a database, and the number of the move that led there."""

    name: str
    epoch: int


class Databases(Database):
    """The databases of a layout, each opened when first needed."""

    def __init__(self, layout: Layout, *, connections: int = 5) -> None:
        self.layout = layout
        self._connections = connections
        self._ready: dict[str, Database] = {}
        self._locks = {name: asyncio.Lock() for name in layout.accesses}
        self._failed: dict[str, float] = {}
        self._places: OrderedDict[str, Place] = OrderedDict()
        self._moving: dict[str, float] = {}

    @property
    def access(self) -> Access:  # type: ignore[override]
        """How to reach the default database."""
        return self.layout.accesses[self.layout.default]

    @asynccontextmanager
    async def begin(self, caller: Caller, **ways: bool) -> AsyncIterator[Transaction]:
        """Open a transaction where the caller's owner lives; see `Database.begin`.

        Raises:
            OwnerMoved: the owner has just moved; nothing was stored, the next attempt succeeds.
            Conflict: the caller uses a space of an owner who lives in another database.
        """
        part = await self.database_for(caller.owner)
        if caller.host and await self.database_for(caller.host) is not part:
            part = await self._shared_part(caller.owner, caller.host)
        try:
            async with part.begin(caller, **ways) as tx:
                yield tx
        except OwnerMoved as moved:
            self._learn(moved.owner, moved)
            raise

    async def _shared_part(self, *owners: str) -> Database:
        """Return the database where all owners live, after a look at where they live by now."""
        names = {(await self._confirmed(each)).name for each in owners}
        if len(names) > 1:
            raise Conflict(DISTANT)
        return await self.part(names.pop())

    @asynccontextmanager
    async def recovering(self) -> AsyncIterator[Transaction]:
        """Open a transaction on the default database; see `Database.recovering`."""
        async with (await self.part(self.layout.default)).recovering() as tx:
            yield tx

    async def database_for(self, owner: str) -> Database:
        """Return the database where an owner lives.

        Raises:
            DatabaseUnavailable: it cannot be reached.
        """
        place = self._places.get(owner)
        if place is None or self._is_moving(owner):
            place = await self._confirmed(owner)
        return await self.part(place.name)

    async def place_of(self, owner: str) -> Place:
        """Return where an owner lives now, as confirmed by that database."""
        return await self._confirmed(owner)

    async def parts(self) -> Sequence[Database]:
        """Return the databases that can be reached."""
        found = []
        for name in self.layout.accesses:
            try:
                found.append(await self.part(name))
            except DatabaseUnavailable:
                log.debug("database %s is away", name)
        if not found:
            raise DatabaseUnavailable(NOT_REACHED)
        return found

    async def every_part(self) -> Sequence[Database]:
        """Return all databases; see `Database.every_part`."""
        return [await self.part(name) for name in self.layout.accesses]

    async def part(self, name: str) -> Database:
        """Return a database by its name, opened and up to date.

        Raises:
            DatabaseUnavailable: it cannot be reached; all others go on.
        """
        async with self._locks[name]:
            if name not in self._ready:
                await self._open_part(name)
        return self._ready[name]

    async def _open_part(self, name: str) -> None:
        if time.monotonic() - self._failed.get(name, -REST) < REST:
            raise DatabaseUnavailable(NOT_REACHED)
        access = self.layout.accesses[name]
        try:
            await bring_up_to_date(access)
        except ReasonloomError as error:
            self._failed[name] = time.monotonic()
            log.warning("database %s cannot be used: %s", name, error.message)
            raise DatabaseUnavailable(NOT_REACHED) from error
        self._ready[name] = database_at(
            access,
            connections=self._connections,
            epoch_of=partial(self._epoch_in, name),
            on_move=partial(self._note_move),
        )

    def _is_moving(self, owner: str) -> bool:
        return time.monotonic() < self._moving.get(owner, 0.0)

    def _note_move(self, owner: str) -> None:
        """Remember that an owner is being moved, from a notice of its database."""
        now = time.monotonic()
        self._moving = {each: end for each, end in self._moving.items() if end > now}
        self._moving[owner] = now + MOVING_SECONDS

    def _epoch_of(self, owner: str) -> int:
        place = self._places.get(owner)
        return place.epoch if place else 0

    def _epoch_in(self, name: str, owner: str) -> int:
        """Return the move that led an owner into a database; 0 if it is not known to live there.

        A caller that chose this database before the owner moved away is thus refused.
        """
        place = self._places.get(owner)
        return place.epoch if place and place.name == name else 0

    def _learn(self, owner: str, moved: OwnerMoved) -> None:
        if moved.destination not in self.layout.accesses:
            raise DatabaseUnavailable(UNKNOWN) from moved
        if moved.epoch > self._epoch_of(owner):
            self._remember(owner, Place(moved.destination, moved.epoch))
            if part := self._ready.get(moved.destination):
                part.note_arrival(owner)

    def _remember(self, owner: str, place: Place) -> None:
        self._places[owner] = place
        self._places.move_to_end(owner)
        while len(self._places) > KNOWN_OWNERS:
            self._places.popitem(last=False)

    async def _confirmed(self, owner: str) -> Place:
        """Follow an owner's moves, in one round trip each; wait while one is being completed."""
        place = self._places.get(owner) or Place(self.layout.home_of(owner), 0)
        for _ in range(MOST_HOPS):
            self._remember(owner, place)
            try:
                async with (await self.part(place.name)).begin(Caller(owner)):
                    return place
            except OwnerMoved as moved:
                self._learn(owner, moved)
                place = self._places[owner]
            except BaseException:
                if not place.epoch:
                    self._places.pop(owner, None)  # not confirmed
                raise
        raise DatabaseUnavailable(NOT_REACHED)

    async def close(self) -> None:
        """Close every database."""
        for part in self._ready.values():
            await part.close()
