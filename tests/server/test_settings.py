"""A setting that cannot be used is refused by its variable's name; paths are made whole."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from reasonloom.errors import SettingMistake
from reasonloom.server.catalogue import choose
from reasonloom.settings import load_settings
from tests.support.processes import command, environment


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


@pytest.mark.parametrize(
    ("field", "variable"),
    [("home", "REASONLOOM_HOME"), ("database_path", "DATABASE_PATH")],
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
