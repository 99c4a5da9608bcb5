"""Grants and memberships in circles: they end, and pass nothing on."""

from __future__ import annotations

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import Place
from reasonloom.errors import InvalidArgument, SettingMistake, UnknownName
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import administering, list_spaces
from reasonloom.settings import load_settings
from tests.support.calls import call

HEADS = {"red": "anna", "blue": "ben", "green": "carl"}
CIRCLE = (("red", "blue"), ("blue", "green"), ("green", "red"))
"""Who grants to whom."""


async def found_circle(engine: Engine, right: str) -> None:
    """Found three teams, each of which grants a right on its space to the next one."""
    for team, head in HEADS.items():
        await administration.create_team(engine.loom, Caller(head), team)
    for team, other in CIRCLE:
        caller, place = Caller(HEADS[team]), Place(f"team/{team}")
        async with administering(engine.loom, caller, place, "test") as opened:
            await opened.grant(f"team/{other}", [right])


@pytest.mark.parametrize("right", ["read", "admin"])
async def test_a_circle_of_grants_passes_nothing_on(engine: Engine, right: str) -> None:
    await found_circle(engine, right)
    reach = {
        head: {each.name for each in await list_spaces(engine.loom, Caller(head))}
        for head in HEADS.values()
    }
    assert reach == {
        "anna": {"me", "team/red", "team/green"},
        "ben": {"me", "team/blue", "team/red"},
        "carl": {"me", "team/green", "team/blue"},
    }
    with pytest.raises(UnknownName):
        await call(engine, "recall", {"text": "ledger", "spaces": ["team/red"]}, owner="carl")


async def test_two_who_grant_to_each_other_share_what_they_granted_alone(engine: Engine) -> None:
    people = ("anna", "ben")
    for person in people:
        await administration.create_space(engine.loom, Caller(person), "notes")
    for person, other in (people, people[::-1]):
        given = {"space": "me/notes", "to": other, "rights": ["admin"]}
        await call(engine, "space_grant", given, owner=person)
    for person, other in (people, people[::-1]):
        found = {each.name for each in await list_spaces(engine.loom, Caller(person))}
        assert found == {"me", "me/notes", f"user/{other}/notes"}
        given = {"space": f"user/{other}/notes", "to": other, "rights": ["read"]}
        with pytest.raises(InvalidArgument, match="every right"):
            await call(engine, "space_grant", given, owner=person)


async def test_a_team_has_no_team_as_a_member(engine: Engine) -> None:
    await found_circle(engine, "read")
    async with administering(engine.loom, Caller("anna"), Place("team/red"), "test") as opened:
        for name in ("team/red", "team/blue", "group/devs"):
            with pytest.raises(InvalidArgument, match="no teams as members"):
                await opened.add(name)


@pytest.mark.parametrize("name", ["team/red", "group/devs"])
def test_a_team_or_a_group_is_no_user(name: str) -> None:
    with pytest.raises(SettingMistake, match="name a person, such as anna"):
        load_settings(user=name)
