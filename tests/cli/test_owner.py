"""`owner move` and what the other commands do with several databases."""

from __future__ import annotations

import json

import psycopg
import pytest

from reasonloom.settings import Settings
from tests.cli.test_every_command import Type, type_
from tests.stores.servers.conftest import layout_file, several, urls

__all__ = ["layout_file", "several", "type_", "urls"]


@pytest.fixture(autouse=True)
def set_layout(several: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REASONLOOM_DATABASES", str(several.databases))


def remember(type_: Type, user: str, content: str) -> None:
    arguments = {"content": content, "sessionId": "s", "primarySector": "semantic", "userId": user}
    done = type_("call", "remember", json.dumps(arguments))
    assert done.code == 0, done.err


def test_an_owner_is_moved(
    type_: Type, urls: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REASONLOOM_USER", "anna")
    remember(type_, "anna", "The key is in the drawer.")
    assert type_("owner", "show", "anna").out == "anna: one\n"
    done = type_("owner", "move", "anna", "--to", "two")
    assert done.code == 0
    assert done.out.startswith("anna: one -> two, ")
    assert "writes waited" in done.out
    assert "switched ..." in done.err
    shown = json.loads(type_("owner", "show", "anna", "--json").out)
    assert shown == {"owner": "anna", "database": "two", "unfinished_move": None}
    assert "The key is in the drawer." in type_("memory", "list").out
    with psycopg.connect(urls["two"]) as connection:
        assert connection.execute("SELECT count(*) FROM reasonloom.memories").fetchone() == (1,)


@pytest.mark.parametrize(("words", "fault"), [
    (("anna",), "--to: give exactly one"),
    (("anna", "--to", "two", "--resume"), "--to: give exactly one"),
    (("anna", "--to", "four"), "--to: no database 'four'; there are one, two, three"),
    (("anna", "--to", "one"), "'anna' is in one already"),
    (("anna", "--resume"), "no move of 'anna' was interrupted"),
    ((" ", "--to", "two"), "owner: must not be blank"),
])  # fmt: skip
def test_what_cannot_be_moved(words: tuple[str, ...], fault: str, type_: Type) -> None:
    type_("db", "upgrade")
    done = type_("owner", "move", *words)
    assert done.code != 0
    assert fault in done.err


def test_commands_see_every_database(type_: Type, tmp_path: object) -> None:
    lines = type_("db", "status").out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["one", "two", "three"]
    assert type_("db", "status", "--database", "two").out.startswith("two: schema ")
    assert "no database 'four'" in type_("db", "status", "--database", "four").err
    assert "name one of one, two, three" in type_("backup", f"{tmp_path}/all.backup").err
    saved = type_("backup", f"{tmp_path}/two.backup", "--database", "two")
    assert saved.code == 0, saved.err


def test_the_doctor_sees_what_is_stranded(
    type_: Type, several: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REASONLOOM_USER", "anna")
    remember(type_, "anna", "The key is in the drawer.")
    well = type_("doctor").out
    for name in ("one", "two", "three"):
        assert f"{name}: schema" in well
    assert "one: 1, two: 0, three: 0" in well
    assert several.databases
    text = several.databases.read_text()
    several.databases.write_text(text.replace("anna = 'one'", "anna = 'three'"))
    ill = type_("doctor")
    assert ill.code == 1
    assert "'anna' has data in one, but is looked for in three" in ill.out
    several.databases.write_text(
        text.replace("dbname=two", "x").replace(
            "[owners]", "four = 'postgresql://a@127.0.0.1:1/b'\n[owners]"
        )
    )
    assert "four: the database could not be reached" in type_("doctor").out
