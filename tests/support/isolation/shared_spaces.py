"""People with every kind of right on spaces of others, and calls that try what they may not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import Place, parse_place
from reasonloom.errors import ReasonloomError
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import administering
from tests.support.calls import call

SPACES = ("team/payments", "team/payments/notes", "user/anna/notes")
SECRETS = dict(zip(SPACES, ("vexpayments", "vexnotes", "vexanna"), strict=True))
PRIVATE = "vexprivate"
"""A word in the default space of anna, which nobody is granted."""

RIGHTS: dict[str, tuple[str, ...]] = {
    "none": (),
    "read": ("read",),
    "write": ("write",),
    "promote": ("promote",),
    "admin": ("admin",),
    "revoked": ("write",),
    "removed": (),
}
"""By person, what it was granted; `revoked` and `removed` have lost it since."""

READERS = frozenset({"read", "write", "promote", "admin"})
WRITERS = frozenset({"write", "admin"})
ADDERS = WRITERS | {"promote"}
STORED = """
SELECT owner, space, id, content, deleted_at IS NULL, tool, principal FROM memories
WHERE owner IN ('anna', 'team/payments') ORDER BY owner, space, id
"""
Rows = list[tuple[Any, ...]]


async def settle(engine: Engine) -> None:
    """Create the spaces, what is stored there, and everybody's grants."""
    anna, loom = Caller("anna"), engine.loom
    await administration.create_team(loom, anna, "payments")
    await administration.create_space(loom, anna, "team/payments/notes")
    await administration.create_space(loom, anna, "me/notes")
    for space, word in SECRETS.items():
        for number in range(3):
            content = f"The code of the vault {number} is {word}."
            given = {"content": content, "space": space, "primarySector": "semantic"}
            await call(engine, "remember", given, owner="anna")
        place = parse_place(space, "space")
        own = Place(None, place.space) if place.owner == "anna" else place
        async with administering(loom, anna, own, "test") as opened:
            for person, rights in RIGHTS.items():
                if rights:
                    await opened.grant(person, rights)
            await opened.revoke("revoked")
            if place.owner == "team/payments" and not place.space:
                await opened.add("removed")
    async with administering(loom, anna, Place("team/payments"), "test") as opened:
        await opened.remove("removed")
    await call(engine, "remember", {"content": f"My own vault: {PRIVATE}."}, owner="anna")
    for person in RIGHTS:
        await call(engine, "remember", {"content": f"The vault of {person}."}, owner=person)


@dataclass
class Attempts:
    """What was tried, and what should not have happened."""

    made: int = 0
    answered: int = 0
    leaks: list[str] = field(default_factory=list)


def _calls(draw: random.Random, space: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield one call of each tool that reaches for a space, in random order."""
    own = f"mem-{draw.randint(1, 4)}"
    foreign = f"{space}:{own}"
    text = draw.choice(["the code of the vault", "vault", "What is the code of the vault?"])
    spaces = draw.choice([[space], ["me", space], ["me", *SPACES], list(SPACES)])
    user = draw.choice([space, "anna", "team/payments", "notes"])
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"text": text, "spaces": spaces}),
        ("recall", {"spaces": [space], "explain": True}),
        ("recall", {"userId": user, "text": text}),
        ("search", {"text": "vault", "spaces": spaces}),
        ("search", {"spaces": [space], "limit": 100}),
        ("remember", {"content": f"Code {draw.random()}", "space": space}),
        ("remember", {"content": "The code changed.", "space": space, "supersede": [foreign]}),
        ("update_memory", {"memoryId": foreign, "content": f"Changed {draw.random()}"}),
        ("forget", {"memoryId": foreign, "soft": True}),
        ("restore_memory", {"memoryId": foreign}),
        ("memory_promote", {"memoryId": own, "space": space}),
        ("memory_promote", {"memoryId": foreign, "space": "me/mine"}),
        ("batch_recall", {"userId": user, "memoryIds": [foreign, own]}),
        ("batch_forget", {"userId": user, "memoryIds": [foreign]}),
        ("export_memories", {"userId": user}),
        ("space_list", {}),
        ("space_grant", {"space": space, "to": "guest", "rights": ["read"]}),
        ("space_revoke", {"space": space, "from": draw.choice(["read", "write"])}),
        ("memory_query", {"max_results": 50}),
        ("reasoning_linear", {"content": "What is the code of the vault?"}),
    ]
    draw.shuffle(calls)
    yield from calls


async def attempt(engine: Engine, seed: int, calls: int, admin: str) -> Attempts:
    """Make `calls` calls of random people; return what leaked. `admin` is a superuser's DSN."""
    draw, done = random.Random(seed), Attempts()  # noqa: S311 - repeatable
    with psycopg.connect(admin, autocommit=True) as eyes:
        before = eyes.execute(STORED).fetchall()
        while done.made < calls:
            person, space = draw.choice(list(RIGHTS)), draw.choice(SPACES)
            for tool, given in _calls(draw, space):
                if person == "admin" and tool == "space_revoke":
                    continue
                answer = await _answer(engine, tool, given, person, done)
                after = eyes.execute(STORED).fetchall()
                label = f"{person}: {tool} {given}"
                done.leaks += [f"{label} told {word}" for word in _disclosed(answer, person)]
                done.leaks += [f"{label} changed {row}" for row in _changed(before, after, person)]
                before = after
    return done


async def _answer(
    engine: Engine, tool: str, given: dict[str, Any], person: str, done: Attempts
) -> str:
    done.made += 1
    try:
        answer = (await call(engine, tool, given, owner=person)).answer
    except ReasonloomError as error:
        return error.message
    done.answered += 1
    return json.dumps(answer)


def _disclosed(answer: str, person: str) -> list[str]:
    """Return the secrets in an answer that this person may not be told."""
    secrets = [PRIVATE] if person in READERS else [PRIVATE, *SECRETS.values()]
    return [word for word in secrets if word in answer]


def _changed(before: Rows, after: Rows, person: str) -> Rows:
    """Return the rows that changed though this person may not change them."""
    if before == after or person in WRITERS:
        return []
    new = [row for row in after if row not in before]
    gone = [row for row in before if row not in after]
    promoted = [row for row in new if row[5] == "memory_promote" and person in ADDERS]
    return [*gone, *(row for row in new if row not in promoted)]
