"""Teams, shared spaces and grants, as the tools and commands use them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import Place
from reasonloom.errors import (
    CallerMistake,
    Conflict,
    InvalidArgument,
    MemoryNotFound,
    NotPermitted,
    UnknownName,
)
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.portable.export import export_lines
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import administering
from reasonloom.nodes.sharing.erasure import erase_person
from reasonloom.stores.access import Access
from reasonloom.stores.runs.redaction import redact
from reasonloom.stores.sharing import audit, memberships
from reasonloom.stores.sharing.audit import AuditEntry
from tests.support.calls import call
from tests.support.memory.housekeeping import PLAIN, silent

TEAM = "team/payments"
PLACE = Place(TEAM)
QUESTION = "When is the payment run?"
OLD = "Petra's phone number is 0664 1234567."
NEW = "Petra no longer uses that phone; her new number is 0699 7654321."
RUN = "The payment run is at 4 in the morning."
ANNA, BEN = Caller("anna"), Caller("ben")


async def found_team(engine: Engine, *members: str) -> None:
    await administration.create_team(engine.loom, ANNA, "payments")
    async with administering(engine.loom, ANNA, PLACE, "test") as opened:
        for member in members:
            await opened.add(member)


async def remember(engine: Engine, content: str, owner: str, **more: Any) -> str:
    arguments = {"content": content, "primarySector": "semantic", **more}
    return str((await call(engine, "remember", arguments, owner=owner)).answer["memoryId"])


async def recall(
    engine: Engine, owner: str, *spaces: str, groups: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    arguments = {"text": QUESTION, "spaces": list(spaces)}
    outcome = await call(engine, "recall", arguments, owner=owner, groups=groups)
    return list(outcome.answer["memories"])


async def log_of(engine: Engine) -> list[AuditEntry]:
    caller = ANNA.at(TEAM, "", TEAM)
    async with engine.loom.database.begin(caller) as tx:
        return list(reversed(await audit.page(tx, limit=100)))


async def test_a_team_shares_a_memory(engine: Engine) -> None:
    await found_team(engine, "ben")
    shared = await remember(engine, RUN, "anna", space=TEAM)
    assert shared == "team/payments:mem-1"
    own = await remember(engine, "My payment run notes are in the drawer.", "ben")
    found = await recall(engine, "ben", "me", TEAM)
    assert {each["id"] for each in found} == {shared, own}
    best = found[0]
    assert (best["id"], best["space"], best["writer"]) == (shared, TEAM, "anna")
    assert best["content"] == RUN
    (mine,) = (each for each in found if each["id"] == own)
    assert "space" not in mine
    assert [each["id"] for each in await recall(engine, "ben", "me")] == [own]
    assert await recall(engine, "anna", "me") == []
    words = {"text": "payment", "spaces": ["me", TEAM]}
    matched = (await call(engine, "search", words, owner="ben")).answer
    assert {each["id"] for each in matched["memories"]} == {shared, own}
    assert matched["totalCount"] == 2


async def test_what_a_member_is_given_is_not_kept_in_its_runs(engine: Engine) -> None:
    await found_team(engine, "ben")
    await remember(engine, RUN, "anna", space=TEAM)
    await call(engine, "recall", {"text": QUESTION, "spaces": [TEAM]}, owner="ben", key="k")
    async with administering(engine.loom, ANNA, PLACE, "test") as opened:
        await opened.remove("ben")
    with pytest.raises(UnknownName):
        await call(engine, "recall", {"text": QUESTION, "spaces": [TEAM]}, owner="ben", key="k")


async def test_a_member_changes_and_forgets_by_the_id_it_was_told(engine: Engine) -> None:
    await found_team(engine, "ben")
    shared = await remember(engine, RUN, "anna", space=TEAM)
    new = "The payment run is at 5 in the morning."
    await call(engine, "update_memory", {"memoryId": shared, "content": new}, owner="ben")
    assert [each["content"] for each in await recall(engine, "anna", TEAM)] == [new]
    replaced = await remember(engine, RUN, "ben", space=TEAM, supersede=[shared])
    assert (await recall(engine, "anna", TEAM))[0]["id"] == replaced
    await call(engine, "forget", {"memoryId": replaced}, owner="ben")
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"memoryId": replaced}, owner="anna")


async def test_leaving_a_team_ends_access_at_once(engine: Engine) -> None:
    await found_team(engine, "ben")
    shared = await remember(engine, RUN, "anna", space=TEAM)
    assert await recall(engine, "ben", TEAM)
    await administration.leave(engine.loom, BEN, "payments", "test")
    for attempt in (recall(engine, "ben", TEAM), remember(engine, "No.", "ben", space=TEAM)):
        with pytest.raises(UnknownName):
            await attempt
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"memoryId": shared}, owner="ben")
    with pytest.raises(Conflict, match="without an admin"):
        await administration.leave(engine.loom, ANNA, "payments", "test")


async def test_a_space_of_ones_own_is_shared_by_a_grant(engine: Engine) -> None:
    await administration.create_space(engine.loom, ANNA, "notes")
    noted = await remember(engine, RUN, "anna", space="me/notes")
    assert noted == "me/notes:mem-1"
    secret = await remember(engine, "The payment run password is swordfish.", "anna")
    with pytest.raises(UnknownName):
        await recall(engine, "ben", "user/anna/notes")
    granted = {"space": "me/notes", "to": "ben", "rights": ["read"]}
    await call(engine, "space_grant", granted, owner="anna")
    (found,) = await recall(engine, "ben", "user/anna/notes")
    assert found["id"] == "user/anna/notes:mem-1"
    with pytest.raises(NotPermitted, match="right write"):
        await remember(engine, "No.", "ben", space="user/anna/notes")
    with pytest.raises(NotPermitted):
        await call(engine, "forget", {"memoryId": found["id"]}, owner="ben")
    await call(engine, "space_grant", {**granted, "rights": ["write"]}, owner="anna")
    for foreign in (f"user/anna:{secret}", f"user/anna/notes:{secret}", "user/anna/x:mem-1"):
        with pytest.raises(MemoryNotFound):
            await call(engine, "forget", {"memoryId": foreign}, owner="ben")
    listed = (await call(engine, "space_list", {}, owner="ben")).answer["spaces"]
    assert [(each["space"], each["rights"]) for each in listed[1:]] == [
        ("user/anna/notes", ["write"])
    ]
    own = (await call(engine, "space_list", {}, owner="anna")).answer["spaces"]
    assert own[1]["grants"][0]["to"] == "ben"
    await call(engine, "space_revoke", {"space": "me/notes", "from": "ben"}, owner="anna")
    with pytest.raises(UnknownName):
        await recall(engine, "ben", "user/anna/notes")


async def test_a_promoted_memory_says_where_it_came_from(engine: Engine) -> None:
    await found_team(engine, "ben")
    own = await remember(engine, RUN, "ben", metadata={"tags": ["payments"]})
    given = {"memoryId": own, "space": TEAM}
    done = (await call(engine, "memory_promote", given, owner="ben")).answer
    assert done == {"memoryId": "team/payments:mem-1", "space": TEAM, "promotedFrom": own}
    again = (await call(engine, "memory_promote", given, owner="ben")).answer
    assert again == done
    (copy,) = await recall(engine, "anna", TEAM)
    assert copy["writer"] == "ben"
    assert copy["metadata"]["tags"] == ["payments"]
    assert copy["metadata"]["promotedFrom"] == own
    with pytest.raises(InvalidArgument, match="another space"):
        await call(engine, "memory_promote", {"memoryId": own, "space": "me"}, owner="ben")


async def test_the_right_to_promote_is_none_to_write(engine: Engine) -> None:
    await found_team(engine)
    granted = {"space": TEAM, "to": "carl", "rights": ["promote"]}
    await call(engine, "space_grant", granted, owner="anna")
    own = await remember(engine, RUN, "carl")
    with pytest.raises(NotPermitted):
        await remember(engine, RUN, "carl", space=TEAM)
    done = await call(engine, "memory_promote", {"memoryId": own, "space": TEAM}, owner="carl")
    with pytest.raises(NotPermitted):
        await call(engine, "forget", {"memoryId": done.answer["memoryId"]}, owner="carl")


async def test_a_group_acts_only_as_long_as_token_and_membership_say(engine: Engine) -> None:
    await found_team(engine)
    granted = {"space": TEAM, "to": "group/devs", "rights": ["read"]}
    await call(engine, "space_grant", granted, owner="anna")
    await remember(engine, RUN, "anna", space=TEAM)
    claims = ("devs", "ops")
    for groups, names in ((claims, ["me", TEAM]), (("ops",), ["me"]), ((), ["me"])):
        listed = (await call(engine, "space_list", {}, owner="dora", groups=groups)).answer
        assert [each["space"] for each in listed["spaces"]] == names
    assert len(await recall(engine, "dora", TEAM, groups=claims)) == 1
    with pytest.raises(UnknownName):
        await recall(engine, "dora", TEAM)
    async with engine.loom.database.begin(Caller("group/devs")) as tx:
        assert [each.added_by for each in await memberships.members(tx)] == ["token"]
        await memberships.remove(tx, "dora", engine.loom.clock())
    with pytest.raises(UnknownName):
        await recall(engine, "dora", TEAM, groups=claims)


async def test_the_log_names_who_did_what_without_contents(engine: Engine) -> None:
    await found_team(engine, "ben")
    shared = await remember(engine, RUN, "ben", space=TEAM)
    await recall(engine, "ben", TEAM)
    await call(engine, "forget", {"memoryId": shared, "soft": True}, owner="ben")
    log = await log_of(engine)
    assert [(each.principal, each.action, each.memories) for each in log] == [
        ("anna", "create", []), ("anna", "add", []), ("ben", "write", [1]), ("ben", "read", [1]),
        ("ben", "forget", [1]),
    ]  # fmt: skip
    assert not any(RUN in repr(each) for each in log)


async def test_what_a_write_quotes_of_others_is_logged_as_read(engine: Engine) -> None:
    await found_team(engine, "ben")
    await remember(engine, OLD, "anna", space=TEAM)
    given = {"content": NEW, "space": TEAM}
    (quoted,) = (await call(engine, "remember", given, owner="ben")).answer["mayReplace"]
    assert (quoted["id"], quoted["content"]) == (f"{TEAM}:mem-1", OLD)
    log = [(each.principal, each.action, each.memories) for each in await log_of(engine)]
    assert sorted(log)[-2:] == [("ben", "read", [1]), ("ben", "write", [2])]


@pytest.mark.parametrize("name", ["user/%00/x", "user/a%0Ab", "user/%20/x", "user/%FF%00"])
async def test_a_name_that_no_person_has_is_refused(engine: Engine, name: str) -> None:
    with pytest.raises(InvalidArgument, match="must be"):
        await recall(engine, "ben", name)
    with pytest.raises(MemoryNotFound):
        await call(engine, "forget", {"memoryId": f"{name}:mem-1"}, owner="ben")


async def test_an_export_ends_with_an_error_where_the_right_was_revoked_meanwhile(
    engine: Engine,
) -> None:
    await found_team(engine, "ben")
    for content in (RUN, "The ledger is green."):
        await remember(engine, content, "anna", space=TEAM)
    lines = export_lines(engine.loom, BEN.at(TEAM, "", TEAM), PLAIN, silent, size=1)
    assert '"memories":2' in await anext(lines)
    assert RUN in await anext(lines)
    await administration.leave(engine.loom, BEN, "payments", "test")
    with pytest.raises(UnknownName, match="that you may read"):
        await anext(lines)
    read = [each.memories for each in await log_of(engine) if each.action == "read"]
    assert read == [[1]]


WRONG: list[tuple[dict[str, Any], type[CallerMistake], str]] = [
    ({"to": "anna"}, InvalidArgument, "every right"),
    ({"to": "  "}, InvalidArgument, "empty"),
    ({"to": "group/"}, InvalidArgument, "must name a person"),
    ({"to": "me"}, InvalidArgument, "must name a person"),
    ({"to": "team/payments/notes"}, InvalidArgument, "must name a person"),
    ({"to": "team/nobody"}, UnknownName, "no team"),
    ({"to": "ben", "rights": ["own"]}, InvalidArgument, "rights"),
    ({"to": "ben", "rights": []}, InvalidArgument, "rights"),
    ({"to": "ben", "space": "me"}, InvalidArgument, "private"),
    ({"to": "ben", "space": "anna"}, InvalidArgument, "must be"),
    ({"to": "ben", "space": "me/nowhere"}, UnknownName, "no space"),
    ({"to": "ben", "space": "team/other"}, UnknownName, "no space"),
]


@pytest.mark.parametrize(("given", "error", "words"), WRONG)
async def test_a_wrong_grant_is_refused_and_stores_nothing(
    engine: Engine, given: dict[str, Any], error: type[CallerMistake], words: str
) -> None:
    await found_team(engine)
    before = await log_of(engine)
    with pytest.raises(error, match=words):
        arguments = {"space": TEAM, "rights": ["read"], **given}
        await call(engine, "space_grant", arguments, owner="anna")
    assert await log_of(engine) == before


async def test_only_an_admin_grants(engine: Engine) -> None:
    await found_team(engine, "ben")
    granted = {"space": TEAM, "to": "carl", "rights": ["read"]}
    with pytest.raises(NotPermitted, match="admin"):
        await call(engine, "space_grant", granted, owner="ben")
    with pytest.raises(UnknownName):
        await call(engine, "space_grant", granted, owner="carl")
    async with administering(engine.loom, ANNA, PLACE, "test") as opened:
        with pytest.raises(InvalidArgument, match="no teams as members"):
            await opened.add(TEAM)
    with pytest.raises(Conflict, match="without an admin"):
        await call(engine, "space_revoke", {"space": TEAM, "from": "anna"}, owner="anna")
    with pytest.raises(Conflict, match="exists"):
        await administration.create_team(engine.loom, BEN, "payments")


async def test_an_empty_shared_space_names_no_others(engine: Engine) -> None:
    for number in range(12):
        await remember(engine, f"Private note {number}.", "anna", space=f"me/private-{number}")
    await administration.create_space(engine.loom, ANNA, "zshared")
    granted = {"space": "me/zshared", "to": "ben", "rights": ["read"]}
    await call(engine, "space_grant", granted, owner="anna")
    for tool in ("recall", "search"):
        given = {"text": QUESTION, "spaces": ["user/anna/zshared"]}
        outcome = await call(engine, tool, given, owner="ben")
        assert outcome.answer["memories"] == []
        assert "private" not in repr(outcome)


def runs_with(access: Access, words: str) -> set[tuple[str, str]]:
    """Return the owners and tools of runs that hold the words, by whatever key."""
    held = "SELECT owner, tool FROM runs WHERE concat(input, output) LIKE %s"
    with psycopg.connect(access.admin) as connection:
        return set(connection.execute(held, [f"%{words}%"]).fetchall())


async def test_what_is_forgotten_for_good_stays_in_no_run_of_a_named_space(
    engine: Engine, access: Access
) -> None:
    noted = await remember(engine, RUN, "anna", space="me/notes")
    given = {"text": QUESTION, "spaces": ["me/notes"]}
    await call(engine, "recall", given, owner="anna", key="k")
    assert len(runs_with(access, RUN)) == 2
    await call(engine, "forget", {"memoryId": noted, "soft": False}, owner="anna")
    assert runs_with(access, RUN) == set()


@pytest.mark.parametrize("by", ["anna", "ben", "carl"])
@pytest.mark.parametrize("space", ["team/payments", "me/notes"])
async def test_what_is_forgotten_for_good_stays_in_no_run_of_others(
    engine: Engine, access: Access, space: str, by: str
) -> None:
    """Ben stored it; Carl was quoted it when he stored another, and has a mem-1 of his own."""
    address = space.replace("me/", "user/anna/")
    await found_team(engine, "ben", "carl")
    if space == "me/notes":
        await administration.create_space(engine.loom, ANNA, "notes")
        for person in ("ben", "carl"):
            granted = {"space": space, "to": person, "rights": ["write"]}
            await call(engine, "space_grant", granted, owner="anna")
    own = await remember(engine, "My own note.", "carl")
    shared = await remember(engine, OLD, "ben", space=address)
    assert (own, shared) == ("mem-1", f"{address}:mem-1")
    quoting = {"content": NEW, "space": address}
    assert (await call(engine, "remember", quoting, owner="carl")).answer["mayReplace"]
    given = {"text": "Petra's number?", "spaces": [space]}
    await call(engine, "recall", given, owner="anna", key="k")
    assert {owner for owner, _ in runs_with(access, OLD)} >= {"ben", "carl"}
    named = f"{space if by == 'anna' else address}:mem-1"
    done = await call(engine, "forget", {"memoryId": named, "soft": False}, owner=by)
    assert runs_with(access, OLD) == set()
    assert runs_with(access, "My own note.") == {("carl", "remember")}
    assert ("recorded calls" in done.answer["message"]) == (by != "anna" or space != "me/notes")


async def test_who_may_only_read_redacts_nothing(engine: Engine, access: Access) -> None:
    await found_team(engine)
    granted = {"space": TEAM, "to": "dora", "rights": ["promote"]}
    await call(engine, "space_grant", granted, owner="anna")
    await remember(engine, RUN, "anna", space=TEAM)
    for person in ("dora", "nobody"):
        async with engine.loom.database.begin(Caller(person).at(TEAM, "", TEAM)) as tx:
            assert await redact(tx, 1) == 0
    assert runs_with(access, RUN) == {("anna", "remember")}


async def test_who_may_write_redacts_nothing_of_another_space(
    engine: Engine, access: Access
) -> None:
    await administration.create_space(engine.loom, ANNA, "notes")
    granted = {"space": "me/notes", "to": "ben", "rights": ["write"]}
    await call(engine, "space_grant", granted, owner="anna")
    assert await remember(engine, RUN, "anna") == "mem-1"
    notes = BEN.at("anna", "notes", "user/anna/notes")
    async with engine.loom.database.begin(notes) as tx:
        assert await redact(tx, 1) == 0
    assert runs_with(access, RUN) == {("anna", "remember")}


async def test_erasing_a_person_redacts_the_runs_that_wrote(engine: Engine, access: Access) -> None:
    await found_team(engine, "ben")
    await remember(engine, RUN, "ben", space=TEAM)
    assert (await erase_person(engine.loom, "ben")).memories == 1
    assert runs_with(access, RUN) == set()
