"""Two spaces of one owner: what is stored under a `userId` is found under it alone."""

from __future__ import annotations

import json
from pathlib import Path

from reasonloom.contracts.schema import publish
from reasonloom.llm.interfaces import Embedder
from tests.support.calls import LINES
from tests.support.clients.processes import environment, web
from tests.support.databases.postgres import TestPostgres
from tests.support.isolation.owners import Bearer, settle
from tests.support.isolation.reachable import OwnerView, ask_around, live
from tests.support.isolation.tool_calls import USES, Known

SPACED = [tool for tool in USES if "userId" in publish(LINES[tool].request)["properties"]]
"""The tools that say whose memories they mean."""

OWNER_WORD, GUEST_WORD = "vexlocal", "vexguest"


def reached(caller: Bearer, known: Known, other: Known) -> OwnerView:
    """Call the tools of a space with the ids of what lies in another, and ask for its words."""
    words = f"{other.words.split()[0]} {known.words}"
    foreign = Known(known.user, words, other.ids)
    asked = {tool: {**USES[tool].arguments(foreign), "userId": known.user} for tool in SPACED}
    return OwnerView({tool: (given, caller.call(tool, given)) for tool, given in asked.items()})


def test_nothing_of_a_space_is_told_in_another(
    postgres: TestPostgres, database: str, embedder: Embedder, tmp_path: Path
) -> None:
    url, home = postgres.address.dsn("postgres", database), tmp_path / "home"
    (home / "files").mkdir(parents=True)
    (home / "files" / "common.jsonl").write_text('{"content": "The amber lantern hangs."}\n')
    own, guest = Known("local", f"quxlocal {OWNER_WORD}"), Known("guest", f"quxguest {GUEST_WORD}")
    settle(url, tmp_path, own, ["dog", "kitchen"], embedder)
    with web(
        environment(home, DATABASE_URL=url, REASONLOOM_TOOLSETS="all,extras"), tmp_path / "cwd"
    ) as server:
        caller = Bearer(server, None)
        held = live(caller, guest, SPACED, key="a guest's", more={"userId": guest.user})
        told = live(caller, own)
        pages = [f"reasonloom://memory/{guest['memory']}"]
        told.answers.update(ask_around(caller, guest, pages).answers)
        in_default = reached(caller, own, guest)
        in_guests = reached(caller, guest, own)
    assert held.holding("mem-")
    assert GUEST_WORD in json.dumps([held.answers["recall, own"], held.answers["search, own"]])
    assert len(told.holding("mem-")) > 5
    assert told.holding(GUEST_WORD) == []
    assert in_default.holding(GUEST_WORD) == []
    assert in_guests.holding(OWNER_WORD) == []
    for tool in ("update_memory", "forget", "restore_memory"):
        for _, answer in (in_default.answers[tool], in_guests.answers[tool]):
            assert answer["structuredContent"]["error"] == "Memory not found"
