"""Shared spaces among several databases: what must hold in each of them."""

from __future__ import annotations

import asyncio
import threading

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import Place
from reasonloom.errors import DatabaseUnavailable, InvalidArgument, UnknownName
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import administering
from reasonloom.nodes.sharing.erasure import erase_person
from reasonloom.settings import Settings
from reasonloom.stores.servers.layout import load_layout
from reasonloom.stores.servers.move import OwnerMove
from tests.stores.servers.conftest import WriteLayout
from tests.stores.servers.test_move import contents, moved
from tests.stores.servers.test_routing import NOWHERE
from tests.support.calls import call

TEAM = "team/red"


def people_of(settings: Settings, place: str, size: int) -> list[str]:
    """Return persons who live in a database."""
    layout = load_layout(settings)
    names = (f"person{number}" for number in range(200))
    return [each for each in names if layout.home_of(each) == place][:size]


async def write(engine: Engine, owner: str, content: str) -> None:
    given = {"content": content, "primarySector": "semantic", "space": TEAM}
    await call(engine, "remember", given, owner=owner)


async def test_a_person_is_erased_in_every_database(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    head, ben = people_of(several, "two", 2)
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await administration.create_team(engine.loom, Caller(head), "red")
        async with administering(engine.loom, Caller(head), Place(TEAM), "test") as opened:
            await opened.add(ben)
        await write(engine, head, "The head keeps the ledger.")
        await write(engine, ben, "Ben keeps the stamps.")
        done = await erase_person(engine.loom, ben)
        assert (done.memories, done.grants, done.memberships) == (1, 0, 1)
    assert contents(urls["two"], TEAM) == ["The head keeps the ledger."]
    with psycopg.connect(urls["two"]) as connection:
        named = "SELECT principal FROM reasonloom.audit_log UNION SELECT subject FROM audit_log"
        connection.execute("SET search_path = reasonloom, public")
        found = {row[0] for row in connection.execute(named)}
    assert ben not in found
    assert done.pseudonym in found


async def test_a_person_is_not_called_erased_while_a_database_is_away(
    urls: dict[str, str], layout_file: WriteLayout, embedder: Embedder
) -> None:
    settings = layout_file({**urls, "three": NOWHERE}, "spread = ['one', 'two']")
    async with open_engine(settings, embedder=embedder, recover=False) as engine:
        with pytest.raises(DatabaseUnavailable):
            await erase_person(engine.loom, "ben")


async def set_member(engine: Engine, group: str, person: str, *, member: bool) -> None:
    """Add a person to a group or remove it, as the commands do."""
    async with administration.opened_team(engine.loom, Caller("root"), group, "test") as opened:
        await (opened.add if member else opened.remove)(person)


async def reads(engine: Engine, person: str, group: str) -> bool:
    """Return whether a person whose token claims a group may read the team's space."""
    given = {"text": "ledger", "spaces": [TEAM]}
    claimed = (group.removeprefix("group/"),)
    try:
        await call(engine, "recall", given, owner=person, groups=claimed)
    except UnknownName:
        return False
    return True


async def open_to_a_group(engine: Engine, settings: Settings) -> tuple[str, list[str]]:
    """Grant a team's space to a group with another home; return it and persons of the team's."""
    group = next(
        name for name in (f"group/g{number}" for number in range(100))
        if load_layout(settings).home_of(name) == "three"
    )  # fmt: skip
    head, *persons = people_of(settings, "two", 4)
    await administration.create_team(engine.loom, Caller(head), "red")
    async with administering(engine.loom, Caller(head), Place(TEAM), "test") as opened:
        await opened.grant(group, ["read"])
    return group, persons


async def test_whoever_is_removed_from_a_group_loses_access_in_every_database(
    several: Settings, embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        group, (noted, new, other) = await open_to_a_group(engine, several)
        assert await reads(engine, noted, group)
        for person in (noted, new):
            await set_member(engine, group, person, member=False)
            assert not await reads(engine, person, group)
            with pytest.raises(UnknownName):
                await set_member(engine, group, person, member=False)
        assert await reads(engine, other, group)
        await set_member(engine, group, noted, member=True)
        assert await reads(engine, noted, group)
        async with administration.opened_team(engine.loom, Caller("a"), group, "t") as opened:
            assert [each.member for each in await opened.members()] == sorted([noted, other])
        with pytest.raises(InvalidArgument):
            await set_member(engine, group, TEAM, member=False)


async def test_a_removal_fails_while_a_database_is_away(
    urls: dict[str, str], layout_file: WriteLayout, embedder: Embedder
) -> None:
    settings = layout_file({**urls, "three": NOWHERE}, "spread = ['two', 'three']")
    async with open_engine(settings, embedder=embedder, recover=False) as engine:
        group, (noted, *_) = await open_to_a_group(engine, settings)
        assert await reads(engine, noted, group)
        with pytest.raises(DatabaseUnavailable):
            await set_member(engine, group, noted, member=False)
        assert await reads(engine, noted, group)


@pytest.mark.parametrize("by", ["token", "root"])
async def test_a_removal_holds_where_a_space_moves_to(
    by: str, several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    """The target may have been added after it; who was added again there stays a member."""
    layout = load_layout(several)
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        group, (barred, *_) = await open_to_a_group(engine, several)
        await set_member(engine, group, barred, member=False)
        with psycopg.connect(urls["three"]) as connection:
            again = "UPDATE reasonloom.memberships SET removed_at = NULL, added_by = %s, "
            connection.execute(again + "added_at = now() + interval '1 hour'", (by,))
        for owner in (TEAM, barred):
            await moved(several, "two", "three", owner=owner)
        assert await reads(engine, barred, group) is (by == "root")
    with psycopg.connect(urls["two"]) as connection:
        kept = connection.execute("SELECT member FROM reasonloom.memberships").fetchall()
    assert kept == [(barred,)]
    with pytest.raises(InvalidArgument, match="a group is in every database"):
        OwnerMove(layout, group, "three", "two", epoch=0)


class SlowMove:
    """Moves an owner from two to three, and waits at each of some points until it may go on."""

    def __init__(self, settings: Settings, owner: str, *points: str) -> None:
        self._there = {point: threading.Event() for point in points}
        self._goes_on = {point: threading.Event() for point in points}
        moving = moved(settings, "two", "three", owner=owner, reached=self._reach)
        self._task = asyncio.create_task(moving)

    def _reach(self, point: str) -> None:
        if point in self._there:
            self._there[point].set()
            self._goes_on[point].wait(60)

    async def reached(self, point: str) -> None:
        """Wait until it is at a point, having left those before."""
        for earlier in self._goes_on:
            if earlier == point:
                break
            self._goes_on[earlier].set()
        assert await asyncio.to_thread(self._there[point].wait, 60)

    async def end(self) -> None:
        """Let the move go on to its end."""
        for each in self._goes_on.values():
            each.set()
        await self._task


def quoting(url: str, owner: str, words: str) -> int:
    """Return how many runs of an owner hold the words."""
    held = "SELECT count(*) FROM reasonloom.runs WHERE owner = %s AND concat(input, output) LIKE %s"
    with psycopg.connect(url) as connection:
        ((count,),) = connection.execute(held, (owner, f"%{words}%")).fetchall()
    return int(count)


STAMPS = "Ben keeps the stamps."


async def shared_by_two(engine: Engine, settings: Settings) -> tuple[str, str]:
    """Let a member write to a team's space; return its head and the member."""
    head, ben = people_of(settings, "two", 2)
    await administration.create_team(engine.loom, Caller(head), "red")
    async with administering(engine.loom, Caller(head), Place(TEAM), "test") as opened:
        await opened.add(ben)
    await write(engine, ben, STAMPS)
    return head, ben


FORGET = {"memoryId": f"{TEAM}:mem-1", "soft": False}


@pytest.mark.parametrize("point", ["copied", "compared"])
async def test_what_is_forgotten_during_a_copy_is_not_in_the_copy(
    point: str, several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        head, ben = await shared_by_two(engine, several)
        move = SlowMove(several, ben, point)
        await move.reached(point)
        await call(engine, "forget", FORGET, owner=head)
        await move.end()
    assert [quoting(urls[name], ben, STAMPS) for name in ("two", "three")] == [0, 0]


async def test_forgetting_waits_for_the_last_step_of_a_move_and_is_then_refused(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        head, ben = await shared_by_two(engine, several)
        move = SlowMove(several, ben, "stopped", "switched")
        await move.reached("stopped")
        forgetting = asyncio.create_task(call(engine, "forget", FORGET, owner=head))
        await asyncio.sleep(0.5)
        assert not forgetting.done()
        await move.reached("switched")
        with pytest.raises(DatabaseUnavailable, match=r"is being moved .* try again"):
            await forgetting
        assert contents(urls["two"], TEAM) == [STAMPS]
        await move.end()
        await call(engine, "forget", FORGET, owner=head)
    assert contents(urls["two"], TEAM) == []


async def test_a_person_is_not_erased_from_the_log_of_an_owner_who_is_being_moved(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        _, ben = await shared_by_two(engine, several)
        move = SlowMove(several, TEAM, "copied")
        await move.reached("copied")
        with pytest.raises(DatabaseUnavailable, match=r"is being moved .* try again"):
            await erase_person(engine.loom, ben)
        await move.end()
        assert (await erase_person(engine.loom, ben)).memories == 1
    assert [contents(urls[name], TEAM) for name in ("two", "three")] == [[], []]
    with psycopg.connect(urls["three"]) as connection:
        named = "SELECT count(*) FROM reasonloom.audit_log WHERE principal = %s OR subject = %s"
        assert connection.execute(named, (ben, ben)).fetchone() == (0,)
