"""Our entry in a host's configuration: the command that starts this installation."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from reasonloom.cli.user_files.program import start_command
from reasonloom.errors import InvalidArgument, MissingArgument
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import Settings, environment, load_settings, variables_of

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|DATABASE_URL|DSN", re.I)
USERINFO = re.compile(r"://[^/@\s]*@")


def build_entry(
    serve_as: str | None,
    toolsets: str | None,
    variables: Mapping[str, str],
    *,
    shared: bool = False,
) -> dict[str, Any]:
    """Return the entry: the command, its arguments, and only the given variables.

    `shared` connects to a server that hosts share, instead of starting one for each.

    Raises:
        SettingMistake: an unknown reference or toolset.
    """
    choose(load_settings(serve_as=serve_as, toolsets=toolsets))
    program, *words = start_command()
    chosen = ["--as", serve_as] if serve_as else ["--toolsets", toolsets] if toolsets else []
    entry: dict[str, Any] = {
        "command": program,
        "args": [*words, "connect" if shared else "serve", *chosen],
    }
    return entry | ({"env": dict(variables)} if variables else {})


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Return the variables of `--env`: NAME=VALUE, or NAME for its current value.

    Raises:
        InvalidArgument: a name is not that of a variable, or a value contains NUL.
        MissingArgument: NAME alone is given, but it is not set here.
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
            raise InvalidArgument(f"--env {name}: must not contain NUL", field="env")
    return found


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable's value must not be displayed."""
    secret = {
        variable
        for field, info in Settings.model_fields.items()
        if "SecretStr" in str(info.annotation)
        for variable in variables_of(field)
    }
    return name in secret or bool(SECRET.search(name) or USERINFO.search(value))


def public_texts(entry: Mapping[str, Any]) -> set[str]:
    """Return the texts of our entry that are not secret."""
    env = entry.get("env", {})
    public = {name: value for name, value in env.items() if not is_secret(name, str(value))}
    return {str(entry.get("command")), "stdio", *map(str, entry.get("args", ())), *public.values()}
