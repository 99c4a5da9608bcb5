"""A setting that cannot be used is refused by its variable's name; paths are made whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reasonloom.errors import SettingMistake
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import load_settings
from tests.support.clients.processes import command, environment, free_port, spoken
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import Rows


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("REASONLOOM_USER", "   "),
        ("REASONLOOM_USER", "\t\u00a0"),
        ("REASONLOOM_USER", "a\udcffb"),
        ("REASONLOOM_PROJECT", " "),
        ("REASONLOOM_PROJECT", "\udcff"),
        ("REASONLOOM_LEASE_SECONDS", "3601"),
        ("REASONLOOM_LEASE_SECONDS", "nan"),
        ("REASONLOOM_RESUME_WITHIN", "inf"),
        ("REASONLOOM_RESUME_WITHIN", "1e12"),
        ("REASONLOOM_TOOL_TIMEOUT", "inf"),
        ("REASONLOOM_TOOL_TIMEOUT", "1e9"),
        ("REASONLOOM_BUDGET_USD", "inf"),
        ("REASONLOOM_RECENCY_HALF_LIFE_DAYS", "1e300"),
        ("REASONLOOM_HOME", "~nobody-of-this-name/x"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingMistake, match=variable) as caught:
        load_settings()
    assert caught.value.field == variable
    assert "Value error" not in caught.value.message


def test_a_nul_in_a_name_is_refused() -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_USER"):
        load_settings(user="a\0b")


def test_bytes_that_are_no_utf8_stop_the_start(tmp_path: Path) -> None:
    env = {os.fsencode(name): os.fsencode(value) for name, value in environment(tmp_path).items()}
    done = subprocess.run(
        command(), env={**env, b"REASONLOOM_USER": b"a\xff"}, cwd=tmp_path, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"REASONLOOM_USER: must be text in UTF-8" in done.stderr


@pytest.mark.parametrize("flags", [(), ("--http", "127.0.0.1:{port}")])
@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("REASONLOOM_LLM", "bogus", "REASONLOOM_LLM: `bogus` is none of offline"),
        ("REASONLOOM_LLM", "replay:absent.jsonl", "absent.jsonl does not exist"),
        ("REASONLOOM_JUDGE_LLM", "bogus", "REASONLOOM_JUDGE_LLM: `bogus` is none of langbase"),
        ("REASONLOOM_JUDGE_LLM", "caller", "REASONLOOM_JUDGE_LLM: `caller` is none of langbase"),
        ("REASONLOOM_JUDGE_LLM", "replay:absent.jsonl", "REASONLOOM_JUDGE_LLM: the recording"),
        ("REASONLOOM_EMBEDDER", "fastembed", "REASONLOOM_EMBEDDER: `fastembed` is none of"),
        ("REASONLOOM_DATABASE_URL", "mysql://u:hushhush@h/x", "must be postgresql://"),
        ("DATABASE_URL", "postgresql://u:hushhush@h/x?no=1", "DATABASE_URL: not a URL"),
        ("REASONLOOM_PROMPTS", "/nowhere", "REASONLOOM_PROMPTS: must be a folder"),
        ("REASONLOOM_ACCESS_LOG", "loud", "REASONLOOM_ACCESS_LOG: Input should be 'on', 'off' or"),
        ("REASONLOOM_TRUSTED_PROXIES", "*", "REASONLOOM_TRUSTED_PROXIES: each must be an address"),
    ],
)
def test_what_cannot_be_chosen_stops_the_start(
    tmp_path: Path, flags: tuple[str, ...], variable: str, value: str, said: str
) -> None:
    given = [flag.format(port=free_port()) for flag in flags]
    done = subprocess.run(
        command(*given), env=environment(tmp_path / "home", **{variable: value}), cwd=tmp_path,
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "hushhush" not in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not (tmp_path / "home").exists()


def test_looking_at_settings_loads_none_of_what_they_choose(tmp_path: Path) -> None:
    code = f"""
import sys, anyio
from reasonloom.cli.server.serve import require_usable
from reasonloom.settings import load_settings
anyio.run(require_usable, load_settings(
    llm="litellm:openai/x", embedder="litellm:openai/x", prompts={str(tmp_path)!r},
    database_url="postgresql://127.0.0.1:1/none",
))
heavy = {{"litellm", "torch", "psycopg_pool", "sqlalchemy", "langgraph", "jinja2", "wordllama"}}
print(sorted(heavy.intersection(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path / "home"), cwd=tmp_path,
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize(
    ("field", "variable"),
    [
        ("home", "REASONLOOM_HOME"),
        ("database_path", "DATABASE_PATH"),
        ("prompts", "REASONLOOM_PROMPTS"),
    ],
)
def test_a_path_is_made_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, field: str, variable: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for given, meant in (
        ("data", tmp_path / "data"),
        ("~/data", tmp_path / "me" / "data"),
        ("/srv/data", Path("/srv/data")),
    ):
        monkeypatch.setenv(variable, given)
        assert getattr(load_settings(), field) == meant


def test_the_variable_that_the_message_names_is_the_one_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REASONLOOM_AS", "thoughtmcp")
    assert choose(load_settings()).name == "thoughtmcp"
    monkeypatch.setenv("REASONLOOM_AS", "thoughtmpc")
    with pytest.raises(SettingMistake, match="REASONLOOM_AS: there is no thoughtmpc"):
        choose(load_settings())


def test_nothing_is_written_into_the_current_folder(
    postgres: TestPostgres, database: str, folder: Path, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    env = environment(
        tmp_path / "home", DATABASE_URL=url, LOG_LEVEL="debug", REASONLOOM_TOOLSETS="classic"
    )
    who = {"userId": "local"}
    memory = {**who, "content": "Tea.", "sessionId": "s", "primarySector": "semantic"}
    with spoken(env, folder) as server:
        assert not server.call("remember", memory).get("isError")
        for _ in range(2):
            for tool, arguments in (
                ("recall", {**who, "text": "tea"}),
                ("search", {**who, "text": "tea"}),
                ("reasoning_linear", {"content": "Which tea?"}),
                ("update_memory", {**who, "memoryId": "mem-1", "content": "Green tea."}),
                ("recall", {"text": 5}),
            ):
                server.call(tool, arguments)
        server.call("forget", {**who, "memoryId": "mem-1"})
        assert list(folder.iterdir()) == []
    assert list(folder.iterdir()) == []
    assert Rows(url).number("SELECT count(*) FROM runs") > 0
