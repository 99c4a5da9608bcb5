"""`reasonloom install`: names us in the configuration of a host, after showing how."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonloom.cli.install_hosts import Host
    from reasonloom.cli.replace_file import Found

HostName = Annotated[
    str, typer.Argument(metavar="HOST", help="claude-code, claude-desktop, vscode, cursor, codex.")
]
Scope = Annotated[str, typer.Option(help="user, or project: the working directory's own file.")]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="Serve one reference.")]
Sets = Annotated[str | None, typer.Option("--toolsets", help="As `reasonloom serve` takes them.")]
Env = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME=VALUE", help="A variable that the host sets; or NAME."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]
Dry = Annotated[bool, typer.Option("--dry-run", help="Show the change and write nothing.")]


def install(
    host: HostName,
    as_: As = None,
    toolsets: Sets = None,
    scope: Scope = "user",
    env: Env = None,
    yes: Yes = False,
    dry_run: Dry = False,
) -> None:
    """Name this server in a host's configuration; shows the change and asks first."""
    from reasonloom.cli.install_entry import showable  # noqa: PLC0415
    from reasonloom.cli.install_form import entry_in, installed  # noqa: PLC0415
    from reasonloom.cli.own_program import needed  # noqa: PLC0415
    from reasonloom.cli.shown_change import ask, show, write_beside_backup  # noqa: PLC0415

    target, entry = _asked(host, as_, toolsets, env)
    path = target.path(scope)
    found, text = _text(path)
    try:
        new = installed(target.form, text, target.table, entry)
        ours = entry_in(target.form, new, target.table)
    except InvalidArgument as error:
        raise _named(path, error) from None
    if new == text:
        typer.echo(f"{path}: reasonloom is installed, nothing to do")
        return
    shown = showable(ours) | showable(entry)
    show(path, text, new, lambda said: target.form.hide(said, shown))
    _warn(target, path, scope, entry)
    for line in needed(target.title, frozenset(ours.get("env", {}))):
        typer.echo(line)
    if dry_run:
        typer.echo("nothing was written")
        return
    ask(yes)
    write_beside_backup(path, found, new)
    typer.echo(f"{path}: installed. {target.after}")


def uninstall(
    host: HostName, scope: Scope = "user", yes: Yes = False, dry_run: Dry = False
) -> None:
    """Take this server out of a host's configuration; shows the change and asks first."""
    from reasonloom.cli.install_entry import showable  # noqa: PLC0415
    from reasonloom.cli.install_form import entry_in, removed  # noqa: PLC0415
    from reasonloom.cli.install_hosts import host_named  # noqa: PLC0415
    from reasonloom.cli.shown_change import (  # noqa: PLC0415
        ask,
        backup,
        show,
        write_beside_backup,
    )

    target = host_named(host)
    path = target.path(scope)
    found, text = _text(path)
    try:
        ours = entry_in(target.form, text, target.table)
        if found is None or ours is None:
            typer.echo(f"{path}: reasonloom is not in it, nothing to do")
            return
        before = _text(backup(found.path))
        new = removed(target.form, text, target.table, before[1] if before[0] else None)
    except InvalidArgument as error:
        raise _named(path, error) from None
    shown = showable(ours) if isinstance(ours, dict) else set()
    show(path, text, new or "", lambda said: target.form.hide(said, shown))
    if dry_run:
        typer.echo("nothing was written")
        return
    ask(yes)
    write_beside_backup(path, found, new)
    typer.echo(f"{path}: " + ("removed, it held nothing else" if new is None else "taken out"))


def print_config(
    host: HostName, as_: As = None, toolsets: Sets = None, scope: Scope = "user", env: Env = None
) -> None:
    """Print what `install` would write, to copy; secrets are left out."""
    from reasonloom.cli.install_entry import is_secret  # noqa: PLC0415
    from reasonloom.cli.install_form import installed  # noqa: PLC0415

    target, entry = _asked(host, as_, toolsets, env)
    hidden = {name: f"<{name}>" for name, said in entry.get("env", {}).items()
              if is_secret(name, said)}  # fmt: skip
    if hidden:
        entry["env"] = entry["env"] | hidden
        typer.echo(f"To be filled in: {', '.join(hidden.values())}", err=True)
    typer.echo(f"For {target.path(scope)}:", err=True)
    typer.echo(installed(target.form, "", target.table, entry).rstrip())


def _asked(
    host: str, serve_as: str | None, toolsets: str | None, env: list[str] | None
) -> tuple[Host, dict[str, Any]]:
    from reasonloom.cli.install_entry import entry_of, variables_given  # noqa: PLC0415
    from reasonloom.cli.install_hosts import host_named  # noqa: PLC0415

    target = host_named(host)
    return target, target.entry(entry_of(serve_as, toolsets, variables_given(env or [])))


def _text(path: Path) -> tuple[Found | None, str]:
    """Return a file and its text; none and nothing where there is no such file."""
    from reasonloom.cli.replace_file import look  # noqa: PLC0415

    try:
        found = look(path)
        text = found.text if found else ""
    except InvalidArgument as error:
        raise _named(path, error) from None
    return found, text


def _named(path: Path, error: InvalidArgument) -> InvalidArgument:
    """Return an error that names the whole file."""
    said = error.message.removeprefix(f"{path.name}: ")
    return InvalidArgument(f"{path}: {said}; nothing was written", field=error.field)


def _warn(target: Host, path: Path, scope: str, entry: dict[str, Any]) -> None:
    """Tell of secrets in a file that others may read, and of a host that seems not to be here."""
    from reasonloom.cli.install_entry import is_secret  # noqa: PLC0415

    secret = [name for name, said in entry.get("env", {}).items() if is_secret(name, said)]
    if secret and scope == "project":
        typer.echo(f"A project's file is often shared; it will hold {', '.join(secret)}.")
    if scope == "user" and not path.parent.is_dir():
        typer.echo(f"{path.parent} is not there: is {target.title} installed? It will be made.")
