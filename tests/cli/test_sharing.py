"""`space` and `team`: from nothing to a shared recall, and what goes wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest

from reasonloom.cli.app import main
from reasonloom.stores.access import Access
from tests.support.databases.postgres import TestPostgres

Run = Callable[..., str]


@pytest.fixture
def run(
    access: Access,
    postgres: TestPostgres,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    monkeypatch.setenv("DATABASE_URL", postgres.address.dsn("postgres", database))
    monkeypatch.setenv("REASONLOOM_LLM", "offline")

    def run(user: str, *arguments: str, code: int = 0) -> str:
        monkeypatch.setenv("REASONLOOM_USER", user)
        monkeypatch.setattr(sys, "argv", ["reasonloom", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        assert int(ended.value.code or 0) == code, told
        return told.out + told.err if code else told.out

    return run


def remember(run: Run, user: str, content: str, space: str) -> str:
    given = json.dumps({"content": content, "space": space})
    return str(json.loads(run(user, "call", "remember", given))["data"]["memoryId"])


def test_five_commands_from_nothing_to_a_shared_recall(run: Run) -> None:
    assert run("anna", "team", "create", "payments") == "created team/payments\n"
    run("anna", "team", "add", "payments", "ben")
    content = "The payment run is at 4 in the morning."
    assert remember(run, "anna", content, "team/payments") == "team/payments:mem-1"
    asked = json.dumps({"text": "When is the payment run?", "spaces": ["me", "team/payments"]})
    found = json.loads(run("ben", "call", "recall", asked))["data"]["memories"]
    assert [(each["content"], each["writer"]) for each in found] == [(content, "anna")]
    log = run("anna", "space", "audit", "team/payments", "--json").splitlines()
    assert [json.loads(line)["action"] for line in log] == ["read", "write", "add", "create"]
    assert content not in "".join(log)
    assert "ben" in run("anna", "team", "members", "payments")
    run("ben", "team", "leave", "payments")
    assert "there is no space" in run("ben", "call", "recall", asked, code=1)
    assert "team/payments" in run("anna", "space", "list")


def test_teams_are_listed_with_ones_rights(run: Run) -> None:
    assert json.loads(run("ben", "team", "list", "--json") or "[]") == []
    run("anna", "team", "create", "payments")
    run("anna", "team", "add", "payments", "ben")
    run("anna", "space", "create", "team/payments/notes")
    assert json.loads(run("ben", "team", "list", "--json")) == {
        "name": "team/payments", "rights": ["read", "write"],
    }  # fmt: skip
    assert "admin" in run("anna", "team", "list")
    assert "notes" not in run("anna", "team", "list")


def test_an_own_space_is_created_granted_and_revoked(run: Run) -> None:
    assert run("anna", "space", "create", "notes") == "created me/notes\n"
    assert "exists" in run("anna", "space", "create", "notes", code=2)
    run("anna", "space", "grant", "me/notes", "ben", "--right", "write")
    assert remember(run, "ben", "Note.", "user/anna/notes") == "user/anna/notes:mem-1"
    assert "(write)" in run("anna", "space", "list")
    run("anna", "space", "revoke", "me/notes", "ben")
    assert "user/anna/notes" not in run("ben", "space", "list")
    assert "no rights" in run("anna", "space", "revoke", "me/notes", "ben", code=2)
    assert "private" in run("anna", "space", "grant", "me", "ben", code=2)
    assert "admin" in run("anna", "space", "grant", "me/notes", "ben", "--right", "own", code=2)


def test_erasing_a_person_reaches_what_it_wrote_for_others(run: Run) -> None:
    run("anna", "team", "create", "payments")
    run("anna", "team", "add", "payments", "ben")
    remember(run, "anna", "Anna keeps the ledger.", "team/payments")
    remember(run, "ben", "Ben keeps the stamps.", "team/payments")
    done = json.loads(run("anna", "space", "erase", "ben", "--yes", "--json"))
    assert (done["memories"], done["memberships"]) == (1, 1)
    log = run("anna", "space", "audit", "team/payments", "--json")
    assert '"ben"' not in log
    assert done["pseudonym"] in log
    asked = json.dumps({"text": "Who keeps what?", "spaces": ["team/payments"]})
    found = json.loads(run("anna", "call", "recall", asked))["data"]["memories"]
    assert [each["content"] for each in found] == ["Anna keeps the ledger."]


def test_who_may_read_a_space_exports_it(run: Run) -> None:
    run("anna", "team", "create", "payments")
    remember(run, "anna", "Anna keeps the ledger.", "team/payments")
    forgotten = remember(run, "anna", "Anna loses the stamps.", "team/payments")
    run("anna", "call", "forget", json.dumps({"memoryId": forgotten, "soft": True}))
    remember(run, "anna", "My own.", "me")
    export = ("memory", "export", "-", "--space", "team/payments")
    unknown = run("ben", *export, code=2)
    assert "--space: there is no space team/payments that you may read" in unknown
    assert unknown.replace("payments", "none") == run("ben", *export[:-1], "team/none", code=2)
    run("anna", "space", "grant", "team/payments", "ben")
    lines = [json.loads(line) for line in run("ben", *export).splitlines()]
    assert [each.get("content") for each in lines] == [None, "Anna keeps the ledger."]
    assert lines[1]["provenance"]["principal"] == "anna"
    log = run("anna", "space", "audit", "team/payments", "--json").splitlines()
    taken = json.loads(log[0])
    assert (taken["principal"], taken["action"], taken["memories"]) == ("ben", "read", [1])
    assert taken["tool"] == "memory export"
    assert "the right write" in run("ben", *export, "--include-hidden", code=2)
    assert "loses the stamps" in run("anna", *export, "--include-hidden")
    assert "there is no space me/typo" in run("anna", *export[:-1], "me/typo", code=2)
    assert "not both" in run("anna", *export, "--user", "anna", code=2)
    assert "--space: must be" in run("anna", *export[:-1], "payments", code=2)
