"""`reasonloom install` and `uninstall`: edit a host's configuration after showing the change."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from reasonloom.cli.hooks.commands import install_hooks, require_hookable, uninstall_hooks
from reasonloom.cli.hooks.hosts import HOOK_HOSTS
from reasonloom.cli.hooks.settings_file import has_ours
from reasonloom.cli.install.entry import (
    build_entry,
    is_secret,
    parse_variables,
    public_texts,
)
from reasonloom.cli.install.hosts import Host, find_host
from reasonloom.cli.user_files.formats import add_entry, find_entry, remove_entry
from reasonloom.cli.user_files.preview import confirm_change, show_change
from reasonloom.cli.user_files.program import cache_hint, missing_settings
from reasonloom.cli.user_files.rewrite import (
    FileSnapshot,
    errors_for,
    read_backup,
    read_file,
    write_restored,
    write_with_backup,
)
from reasonloom.server.prompts.guide import read_guide

HostName = Annotated[
    str,
    typer.Argument(
        metavar="HOST", help="claude-code, claude-desktop, vscode, cursor, codex, gemini."
    ),
]
Scope = Annotated[str, typer.Option(help="user, or project: the file of the working directory.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="Serve one reference under its own names."),
]
Sets = Annotated[
    str | None, typer.Option("--toolsets", help="Toolsets to serve, as in `reasonloom serve`.")
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME=VALUE",
        help="Variable for the host to set; repeatable. NAME copies yours.",
    ),
]
Yes = Annotated[
    bool, typer.Option("--yes", help="Write without asking, and print a summary instead of a diff.")
]
Hooks = Annotated[
    bool, typer.Option(help="Also set the hooks that capture conversations, if the host has any.")
]
Shared = Annotated[
    bool, typer.Option("--shared", help="Connect to one server process that hosts share.")
]
Dry = Annotated[bool, typer.Option("--dry-run", help="Show the change without writing it.")]

MAX_SIZE = 64 * 1024 * 1024
"""Maximum bytes of a configuration; Claude Code's own contains the state of every project."""


def install(
    host: HostName,
    as_: As = None,
    toolsets: Sets = None,
    scope: Scope = "user",
    env: Env = None,
    yes: Yes = False,
    dry_run: Dry = False,
    hooks: Hooks = True,
    shared: Shared = False,
) -> None:
    """Add reasonloom to the configuration of an agent host, after you confirm."""
    target, entry = _target_and_entry(host, as_, toolsets, env, shared=shared)
    path = target.path(scope)
    yes = yes and not dry_run
    hooked = HOOK_HOSTS.get(host) if hooks and as_ is None else None
    if hooked:
        require_hookable(hooked.places[scope]())
    _install_entry(target, path, scope, entry, yes=yes, dry_run=dry_run)
    if hooked:
        install_hooks(host, hooked.places[scope](), yes=yes, dry_run=dry_run)
    if as_ is None and scope in target.skills:
        _install_skill(_skill_path(target, scope), yes=yes, dry_run=dry_run)
    if not dry_run:
        typer.echo(f"To undo this: reasonloom uninstall {host}{_option(scope)}")


def _option(scope: str) -> str:
    return "" if scope == "user" else f" --scope {scope}"


def _install_skill(path: Path, *, yes: bool, dry_run: bool) -> None:
    """Offer a skill that explains how to use the tools."""
    new = read_guide()
    with errors_for(path):
        found, text = _read(path)
        if new == text:
            return
        if not yes:
            show_change(path, text, new)
        if not confirm_change(yes, dry_run=dry_run):
            return
        kept = write_with_backup(path, found, new, first=not _is_guide(text))
    typer.echo(f"{path}: skill written. It explains the tools to agents.")
    if kept:
        typer.echo(kept)


def _uninstall_skill(path: Path, *, yes: bool, dry_run: bool) -> None:
    """Remove our skill; one by another author is left alone."""
    with errors_for(path):
        found, text = _read(path)
        if found is None or not _is_guide(text):
            return
        if not yes:
            show_change(path, text, "")
        if not confirm_change(yes, dry_run=dry_run):
            return
        write_restored(path, found, None, None)
        with suppress(OSError):  # non-empty folders remain
            for folder in (path.parent, path.parent.parent, path.parent.parent.parent):
                folder.rmdir()
    typer.echo(f"{path}: removed")


def _skill_path(target: Host, scope: str) -> Path:
    return target.skills[scope]() / "reasonloom" / "SKILL.md"


def _is_guide(text: str) -> bool:
    """Return whether a skill is ours, in any version, by the start of its front matter."""
    return text.startswith("---\nname: reasonloom\n")


def _install_entry(
    target: Host, path: Path, scope: str, entry: dict[str, Any], *, yes: bool, dry_run: bool
) -> None:
    with errors_for(path):
        found, text = _read(path)
        new = add_entry(target.form, text, target.table, entry)
        ours = find_entry(target.form, new, target.table)
        first = find_entry(target.form, text, target.table) is None and not _has_hooks(target, text)
    if new == text:
        typer.echo(f"{path}: reasonloom is installed, nothing to do")
        return
    public = public_texts(ours) | public_texts(entry)
    if not yes:
        show_change(path, text, new, lambda text: target.form.hide(text, public))
    _warn(target, path, scope, entry)
    for line in missing_settings(target.title, frozenset(ours.get("env", {}))):
        typer.echo(f"{line} Add --env NAME for each to write its value into the entry.")
    for line in cache_hint():
        typer.echo(line)
    if not confirm_change(yes, dry_run=dry_run):
        return
    kept = write_with_backup(path, found, new, first=first)
    typer.echo(f"{path}: server added. {target.after}")
    if kept:
        typer.echo(kept)


def _has_hooks(target: Host, text: str) -> bool:
    """Return whether a file with servers, which may be that of hooks too, has hooks of ours."""
    return isinstance(target.form.read(text).get("hooks"), dict) and has_ours(text)


def uninstall(
    host: HostName, scope: Scope = "user", yes: Yes = False, dry_run: Dry = False
) -> None:
    """Remove reasonloom from the configuration of an agent host, after you confirm."""
    target = find_host(host)
    yes = yes and not dry_run
    if host in HOOK_HOSTS:
        uninstall_hooks(HOOK_HOSTS[host].places[scope](), yes=yes, dry_run=dry_run)
    _uninstall_entry(target, scope, yes=yes, dry_run=dry_run)
    if scope in target.skills:
        _uninstall_skill(_skill_path(target, scope), yes=yes, dry_run=dry_run)


def _uninstall_entry(target: Host, scope: str, *, yes: bool, dry_run: bool) -> None:
    path = target.path(scope)
    with errors_for(path):
        found, text = _read(path)
        ours = find_entry(target.form, text, target.table)
        if found is None or ours is None:
            typer.echo(f"{path}: does not contain reasonloom, nothing to do")
            return
    before = read_backup(
        found.path, lambda text: find_entry(target.form, text, target.table) is not None, MAX_SIZE
    )
    with errors_for(path):
        new = remove_entry(target.form, text, target.table, before)
    public = public_texts(ours) if isinstance(ours, dict) else set()
    if not yes:
        show_change(path, text, new or "", lambda text: target.form.hide(text, public))
    if not confirm_change(yes, dry_run=dry_run):
        return
    kept = write_restored(path, found, new, before)
    typer.echo(
        f"{path}: "
        + ("removed, since it contained nothing else" if new is None else "reasonloom removed")
    )
    if kept:
        typer.echo(kept)


def print_config(
    host: HostName,
    as_: As = None,
    toolsets: Sets = None,
    scope: Scope = "user",
    env: Env = None,
    shared: Shared = False,
) -> None:
    """Print the configuration that `install` would write, without secrets."""
    target, entry = _target_and_entry(host, as_, toolsets, env, shared=shared)
    hidden = {name: f"<{name}>" for name, value in entry.get("env", {}).items()
              if is_secret(name, value)}  # fmt: skip
    if hidden:
        entry["env"] = entry["env"] | hidden
        typer.echo(f"Replace: {', '.join(hidden.values())}", err=True)
    typer.echo(f"For {target.path(scope)}:", err=True)
    typer.echo(add_entry(target.form, "", target.table, entry).rstrip())


def _target_and_entry(
    host: str, serve_as: str | None, toolsets: str | None, env: list[str] | None, *, shared: bool
) -> tuple[Host, dict[str, Any]]:
    target = find_host(host)
    return target, target.entry(
        build_entry(serve_as, toolsets, parse_variables(env or []), shared=shared)
    )


def _read(path: Path) -> tuple[FileSnapshot | None, str]:
    """Return a file and its text; None and an empty text if there is no such file."""
    found = read_file(path, MAX_SIZE)
    return found, found.text if found else ""


def _warn(target: Host, path: Path, scope: str, entry: dict[str, Any]) -> None:
    """Warn of secrets in a shared file, and of a host that does not seem to be installed."""
    secret = [name for name, value in entry.get("env", {}).items() if is_secret(name, value)]
    if secret and scope == "project":
        typer.echo(f"A project's file is often shared; it will contain {', '.join(secret)}.")
    if scope == "user" and not path.parent.is_dir():
        typer.echo(
            f"{path.parent} does not exist: is {target.title} installed? It will be created."
        )
