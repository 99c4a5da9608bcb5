"""`reasonloom tokens`: the static tokens of a small team, stored only as digests."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.user_files.rewrite import read_file, replace_file
from reasonloom.errors import SettingMistake, UnknownName
from reasonloom.server.auth.token_file import VARIABLE, append_entry, new_entry, read_entries
from reasonloom.settings import load_settings


def new(
    owner: Annotated[str, typer.Argument(help="Whose memories the token opens.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, write, read:TOOLSET or write:TOOLSET; again for more."),
    ] = None,
    days: Annotated[
        float | None, typer.Option(min=0.001, max=36_500, help="Days until it ends.")
    ] = None,
) -> None:
    """Print a new token, once; without --scope it may read and write everything of its owner."""
    token, entry = new_entry(owner, tuple(scope or ("read", "write")), days)
    append_entry(_file(), entry)
    typer.echo(f"{entry.id} for {entry.owner}: {' '.join(entry.scopes)}", err=True)
    typer.echo(token)


def list_() -> None:
    """List the tokens by their ids; what a token is cannot be told any more."""
    for entry in read_entries(_existing()):
        typer.echo(f"{entry.id}  {entry.owner}  {' '.join(entry.scopes)}  {_until(entry.expires)}")


def revoke(identifier: Annotated[str, typer.Argument(metavar="ID", help="As listed.")]) -> None:
    """Take a token away; running servers refuse it from their next request on."""
    path = _existing()
    found = read_file(path)
    entries = read_entries(path)
    kept = [entry for entry in entries if entry.id != identifier]
    if found is None or len(kept) == len(entries):
        raise UnknownName(f"there is no token {identifier[:20]}; see `reasonloom tokens list`")
    replace_file(found, "".join(entry.model_dump_json() + "\n" for entry in kept).encode())
    typer.echo(f"{identifier} is revoked")


def _until(expires: int | None) -> str:
    if expires is None:
        return "for ever"
    moment = datetime.fromtimestamp(expires, UTC)
    return f"{'ended' if moment <= datetime.now(UTC) else 'until'} {moment:%Y-%m-%d %H:%M} UTC"


def _file() -> Path:
    path = load_settings().tokens
    if path is None:
        raise SettingMistake(f"{VARIABLE}: must name the file of tokens", field=VARIABLE)
    return path


def _existing() -> Path:
    path = _file()
    if not path.exists():
        raise SettingMistake(
            f"{VARIABLE}: there is no such file; `reasonloom tokens new` makes it", field=VARIABLE
        )
    return path
