"""Looks over all databases of a layout: how many owners each has, and what is not in order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import psycopg

from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.servers.layout import Layout

RECOVER = "SELECT set_config('app.recovery', 'on', true)"
OWNERS = "SELECT DISTINCT owner FROM spaces ORDER BY owner"
MOVES = "SELECT owner, destination, epoch, state FROM owner_moves"
AWAY = "a database could not be reached; see `reasonloom doctor`"
MOST_STRANDED = 20


class Move(NamedTuple):
    """A move that began in a database; `state` is copying, moved or gone."""

    owner: str
    destination: str
    epoch: int
    state: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in all databases.

    Attributes:
        counts: the number of owners with memories, by database.
        unfinished: owners whose move is under way or was interrupted, with its destination.
        stranded: owners with memories in a database where they are not looked for: the owner, that
            database, and the one where they are. At most 20.
    """

    counts: dict[str, int]
    unfinished: list[tuple[str, str]]
    stranded: list[tuple[str, str, str]]


async def survey(layout: Layout) -> Survey:
    """Read the owners and moves of every database.

    Raises:
        DatabaseUnavailable: one of them cannot be reached.
    """
    found = await asyncio.gather(
        *(asyncio.to_thread(_read, access) for access in layout.accesses.values())
    )
    owners = dict(zip(layout.accesses, (each for each, _ in found), strict=True))
    moves = {
        name: {move.owner: move for move in each}
        for name, (_, each) in zip(layout.accesses, found, strict=True)
    }
    unfinished = {
        owner: move.destination
        for each in moves.values()
        for owner, move in each.items()
        if move.state != "gone"
    }
    stranded = [
        (owner, name, place)
        for name, there in owners.items()
        for owner in there
        if owner not in unfinished and (place := followed(layout, moves, owner)) != name
    ]
    counts = {name: len(there) for name, there in owners.items()}
    return Survey(counts, sorted(unfinished.items()), stranded[:MOST_STRANDED])


class Location(NamedTuple):
    """Where an owner lives, since which move, and the ends of a move that has not ended."""

    place: str
    epoch: int
    unfinished: tuple[str, str] | None


async def locate(layout: Layout, owner: str) -> Location:
    """Follow an owner's moves from home.

    Raises:
        DatabaseUnavailable: a database on the way cannot be reached.
    """
    name, epoch, unfinished = layout.home_of(owner), 0, None
    while move := await asyncio.to_thread(_move_of, layout.accesses[name], owner):
        if move.epoch <= epoch:
            break
        if move.state != "gone":
            unfinished = name, move.destination
        if move.state == "copying":
            break
        name, epoch = layout.require(move.destination, "destination"), move.epoch
    return Location(name, epoch, unfinished)


def followed(layout: Layout, moves: Mapping[str, Mapping[str, Move]], owner: str) -> str:
    """Return the database where an owner is looked for."""
    name, epoch = layout.home_of(owner), 0
    while (move := moves.get(name, {}).get(owner)) and move.epoch > epoch:
        if move.state == "copying":
            break
        name, epoch = move.destination, move.epoch
    return name


def _read(access: Access) -> tuple[list[str], list[Move]]:
    try:
        with psycopg.connect(access.app) as connection:
            connection.execute(RECOVER)
            owners = [str(row[0]) for row in connection.execute(OWNERS)]
            return owners, [Move(*row) for row in connection.execute(MOVES)]
    except psycopg.Error:
        raise DatabaseUnavailable(AWAY) from None


def _move_of(access: Access, owner: str) -> Move | None:
    try:
        with psycopg.connect(access.app) as connection:
            connection.execute(RECOVER)
            row = connection.execute(f"{MOVES} WHERE owner = %s", (owner,)).fetchone()
    except psycopg.Error:
        raise DatabaseUnavailable(AWAY) from None
    return Move(*row) if row else None
