"""`reasonloom tokens`: the static tokens of a small team, stored only as digests."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.output import print_rows, print_table
from reasonloom.cli.user_files.rewrite import read_file, replace_file
from reasonloom.errors import SettingMistake, UnknownName
from reasonloom.server.auth.scopes import METRICS
from reasonloom.server.auth.token_file import (
    VARIABLE,
    TokenEntry,
    append_entry,
    new_entry,
    read_entries,
)
from reasonloom.settings import load_settings

LISTED = {"id", "owner", "scopes", "groups", "expires"}
EXAMPLE_URL = "https://memory.example.com/mcp"
CLIENT = """\
To connect Claude Code, with the token as TOKEN:
  claude mcp add --transport http reasonloom {url} --header "Authorization: Bearer TOKEN"
Other clients: docs/access.md"""


def new(
    owner: Annotated[
        str, typer.Argument(help="The owner whose memories the token gives access to.")
    ],
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, write, read:TOOLSET, write:TOOLSET or metrics; repeatable."),
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="A group that spaces can be granted to; repeatable.")
    ] = None,
    days: Annotated[
        float | None,
        typer.Option(min=0.001, max=36_500, help="Days until the token expires. Default: never."),
    ] = None,
) -> None:
    """Create a token and print it once; the default scope is read and write."""
    token, entry = new_entry(owner, tuple(scope or ("read", "write")), days, tuple(group or ()))
    append_entry(_file(), entry)
    typer.echo(f"{entry.id} for {entry.owner}: {' '.join(entry.scopes)}", err=True)
    typer.echo(token)
    if set(entry.scopes) != {METRICS}:
        url = (load_settings().public_url or EXAMPLE_URL).rstrip("/")
        typer.echo(CLIENT.format(url=url), err=True)


def list_(as_json: AsJson = False) -> None:
    """List tokens by id; the tokens themselves are not stored."""
    entries = read_entries(_existing())
    rows = [each.model_dump(include=LISTED) for each in entries]
    print_rows(rows, lambda: _print_tokens(entries), as_json=as_json)


def _print_tokens(entries: Sequence[TokenEntry]) -> None:
    table = Table(Column("id", no_wrap=True), "owner", "scopes", "groups", "expires")
    for each in entries:
        table.add_row(
            each.id, Text(each.owner), " ".join(each.scopes), Text(", ".join(each.groups)),
            _until(each.expires),
        )  # fmt: skip
    print_table(table)


def revoke(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The token's id, as in `tokens list`.")
    ],
) -> None:
    """Revoke a token; servers refuse it from the next request on."""
    path = _existing()
    found = read_file(path)
    entries = read_entries(path)
    kept = [entry for entry in entries if entry.id != identifier]
    if found is None or len(kept) == len(entries):
        raise UnknownName(f"there is no token {identifier[:20]}; see `reasonloom tokens list`")
    replace_file(
        found,
        "".join(entry.model_dump_json(exclude_defaults=True) + "\n" for entry in kept).encode(),
    )
    typer.echo(f"revoked {identifier}")


def _until(expires: int | None) -> str:
    if expires is None:
        return "never"
    moment = datetime.fromtimestamp(expires, UTC)
    expired = " (expired)" if moment <= datetime.now(UTC) else ""
    return f"{moment:%Y-%m-%d %H:%M} UTC{expired}"


def _file() -> Path:
    path = load_settings().tokens
    if path is None:
        raise SettingMistake(
            f"{VARIABLE}: must be the path of the token file, such as tokens.jsonl", field=VARIABLE
        )
    return path


def _existing() -> Path:
    path = _file()
    if not path.exists():
        raise SettingMistake(
            f"{VARIABLE}: no such file; `reasonloom tokens new` creates it", field=VARIABLE
        )
    return path
