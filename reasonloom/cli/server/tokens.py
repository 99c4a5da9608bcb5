"""`reasonloom tokens`: the static tokens of a small team, of which only digests are kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make, list and revoke tokens for serving over HTTP.", no_args_is_help=True)


@app.command()
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
    from reasonloom.server.auth.token_file import append_entry, new_entry  # noqa: PLC0415

    token, entry = new_entry(owner, tuple(scope or ("read", "write")), days)
    append_entry(_file(), entry)
    typer.echo(f"{entry.id} for {entry.owner}: {' '.join(entry.scopes)}", err=True)
    typer.echo(token)


@app.command("list")
def list_() -> None:
    """List the tokens by their ids; what a token is cannot be told any more."""
    from reasonloom.server.auth.token_file import read_entries  # noqa: PLC0415

    for entry in read_entries(_existing()):
        typer.echo(f"{entry.id}  {entry.owner}  {' '.join(entry.scopes)}  {_until(entry.expires)}")


@app.command()
def revoke(identifier: Annotated[str, typer.Argument(metavar="ID", help="As listed.")]) -> None:
    """Take a token away; running servers refuse it from their next request on."""
    from reasonloom.cli.user_files.rewrite import read_file, replace_file  # noqa: PLC0415
    from reasonloom.errors import UnknownName  # noqa: PLC0415
    from reasonloom.server.auth.token_file import read_entries  # noqa: PLC0415

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
    from reasonloom.errors import SettingMistake  # noqa: PLC0415
    from reasonloom.server.auth.token_file import VARIABLE  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    path = load_settings().tokens
    if path is None:
        raise SettingMistake(f"{VARIABLE}: must name the file of tokens", field=VARIABLE)
    return path


def _existing() -> Path:
    from reasonloom.errors import SettingMistake  # noqa: PLC0415
    from reasonloom.server.auth.token_file import VARIABLE  # noqa: PLC0415

    path = _file()
    if not path.exists():
        raise SettingMistake(
            f"{VARIABLE}: there is no such file; `reasonloom tokens new` makes it", field=VARIABLE
        )
    return path
