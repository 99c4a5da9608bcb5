"""What a host's configuration says of us: the command that starts this installation."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument, MissingArgument
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import Settings, environment, load_settings, variables_of


def start_command() -> list[str]:
    """Return the words that start this installation, by its whole path."""
    beside = installed_script()
    return [beside] if beside else [sys.executable, "-m", "reasonloom"]


def installed_script() -> str | None:
    """Return the program that belongs to this very installation."""
    beside = Path(sys.executable).absolute().parent / "reasonloom"
    return str(beside) if beside.is_file() else None


def missing_settings(where: str, given: frozenset[str] = frozenset()) -> list[str]:
    """Return what to tell of settings that are known in this terminal, and perhaps nowhere else.

    Args:
        where: the host that will start us, such as `Claude Code`.
        given: variables that it is told.
    """
    known = environment()
    names = {v for field in Settings.model_fields for v in variables_of(field) if known.get(v)}
    if not names - given:
        return []
    return [f"Set here, and needed where {where} runs: {', '.join(sorted(names - given))}."]


NAME = "reasonloom"
"""Under which a host knows us."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|DATABASE_URL|DSN", re.I)
USERINFO = re.compile(r"://[^/@\s]*@")


def build_entry(
    serve_as: str | None, toolsets: str | None, variables: Mapping[str, str]
) -> dict[str, Any]:
    """Return what a host is to start, with the variables that are given, and no others.

    Raises:
        SettingMistake: an unknown reference or toolset.
    """
    choose(load_settings(serve_as=serve_as, toolsets=toolsets))
    program, *words = start_command()
    chosen = ["--as", serve_as] if serve_as else ["--toolsets", toolsets] if toolsets else []
    entry: dict[str, Any] = {"command": program, "args": [*words, "serve", *chosen]}
    return entry | ({"env": dict(variables)} if variables else {})


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Return what `--env` says: NAME=VALUE, or NAME alone for the value that it has here.

    Raises:
        InvalidArgument: no name of a variable.
        MissingArgument: NAME alone, and it is not set here.
    """
    found: dict[str, str] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not VARIABLE.fullmatch(name):
            raise InvalidArgument(
                "--env: must be NAME=VALUE, or the NAME of a variable that is set", field="env"
            )
        if not equals and name not in environment():
            raise MissingArgument(
                f"--env {name}: not set here; give {name}=VALUE", field="env", kind="missing"
            )
        found[name] = value if equals else environment()[name]
        if "\0" in found[name]:
            raise InvalidArgument(f"--env {name}: must not hold NUL", field="env")
    return found


def is_secret(name: str, value: str) -> bool:
    """Tell whether a variable's value must not be seen on a screen."""
    secret = {
        variable
        for field, told in Settings.model_fields.items()
        if "SecretStr" in str(told.annotation)
        for variable in variables_of(field)
    }
    return name in secret or bool(SECRET.search(name) or USERINFO.search(value))


def public_texts(entry: Mapping[str, Any]) -> set[str]:
    """Return the texts of our entry that anybody may see."""
    env = entry.get("env", {})
    said = {name: value for name, value in env.items() if not is_secret(name, str(value))}
    return {str(entry.get("command")), "stdio", *map(str, entry.get("args", ())), *said.values()}
