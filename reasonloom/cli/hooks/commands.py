"""`reasonloom hooks`: adds our hooks to a host's settings file after showing the change."""

import math
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.engine import with_engine
from reasonloom.cli.hooks.hosts import CLAUDE_CODE, HOOK_HOSTS, PROJECT_NOTES, USER, find_hook_host
from reasonloom.cli.hooks.settings_file import (
    add_handlers,
    has_ours,
    hook_handlers,
    installed_handlers,
    remove_handlers,
)
from reasonloom.cli.output import print_answer
from reasonloom.cli.user_files.formats import JsonFormat
from reasonloom.cli.user_files.preview import confirm_change, show_change
from reasonloom.cli.user_files.program import (
    cache_hint,
    installed_script,
    missing_settings,
    start_command,
)
from reasonloom.cli.user_files.rewrite import (
    errors_for,
    read_backup,
    read_file,
    write_restored,
    write_with_backup,
)
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistoryHookStatus
from reasonloom.errors import InvalidArgument, ReasonloomError
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.settings import load_settings

SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", help="Settings file. Default: the host's settings of the user."),
]
HostName = Annotated[
    str, typer.Option("--host", metavar="HOST", help="claude-code, codex, gemini, cursor, vscode.")
]
Yes = Annotated[
    bool, typer.Option("--yes", help="Write without asking, and print a summary instead of a diff.")
]
EXTRA_SECONDS = 10
"""Seconds that the host waits beyond the time limit of a hook."""


def install(
    settings: SettingsFile = None,
    yes: Yes = False,
    claude_md: Annotated[
        bool, typer.Option(help="Also keep a block on the history in the project's CLAUDE.md.")
    ] = True,
    host: HostName = CLAUDE_CODE,
) -> None:
    """Add the hooks to a settings file, after you confirm."""
    path = settings or find_hook_host(host).places[USER]()
    install_hooks(host, path, yes=yes, claude_md=claude_md)


def install_hooks(
    host: str, path: Path, *, yes: bool, dry_run: bool = False, claude_md: bool = True
) -> None:
    """Add a host's hooks to a file of its settings, after the user confirms."""
    title = find_hook_host(host).title
    program, why = _program(title)
    seconds = math.ceil(load_settings().hook_seconds) + EXTRA_SECONDS
    with errors_for(path):
        found = read_file(path)
        text = found.text if found else None
        wanted = hook_handlers(program, seconds, host, claude_md=claude_md)
        new = add_handlers(text, wanted, flat=find_hook_host(host).flat)
        first = text is None or not has_ours(text)
    if new == text:
        typer.echo(f"{path}: the hooks are installed, nothing to do")
        return
    if not yes:
        show_change(path, text or "", new, hide_others(wanted.values()))
    typer.echo(f"The hooks call {program}: {why}.")
    for line in (*missing_settings(title), *cache_hint()):
        typer.echo(line)
    if not confirm_change(yes, dry_run=dry_run):
        return
    kept = write_with_backup(path, found, new, first=first)
    typer.echo(f"{path}: hooks added. They capture the conversations of new sessions.")
    if kept:
        typer.echo(kept)


def require_hookable(path: Path) -> None:
    """Refuse a file that hooks cannot be added to, before anything is written.

    Raises:
        InvalidArgument: it is not JSON, has comments, or is not in the form of settings.
    """
    try:
        with errors_for(path):
            found = read_file(path)
            list(installed_handlers(found.text)) if found else None
    except InvalidArgument as error:
        message = f"{error.message}. --no-hooks adds the server without hooks"
        raise InvalidArgument(message, field=error.field) from None


def uninstall(
    settings: SettingsFile = None, yes: Yes = False, host: HostName = CLAUDE_CODE
) -> None:
    """Remove the hooks from a settings file, after you confirm."""
    uninstall_hooks(settings or find_hook_host(host).places[USER](), yes=yes)


def uninstall_hooks(path: Path, *, yes: bool, dry_run: bool = False) -> None:
    """Remove our hooks from a file of a host's settings, after the user confirms."""
    with errors_for(path):
        found = read_file(path)
        text = found.text if found else ""
    if found is None:
        typer.echo(f"{path}: no such file, nothing to do")
        return
    before = read_backup(found.path, lambda text: any(installed_handlers(text)))
    with errors_for(path):
        new = remove_handlers(text, before, made=before is None)
    if new == text:
        typer.echo(f"{path}: contains none of our hooks, nothing to do")
        return
    ours = [each.handler for each in installed_handlers(text)]
    if not yes:
        show_change(path, text, new or "", hide_others(ours))
    if not confirm_change(yes, dry_run=dry_run):
        return
    kept = write_restored(path, found, new, before)
    typer.echo(
        f"{path}: " + ("removed, since it contained nothing else" if new is None else "uninstalled")
    )
    if kept:
        typer.echo(kept)
    if PROJECT_NOTES in text:
        typer.echo("A block in a CLAUDE.md stays until you delete it.")


def status(settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """Show which settings files have the hooks, and when each hook last ran."""
    usual = [place() for host in HOOK_HOSTS.values() for place in host.places.values()]
    usual.append(Path.cwd() / ".claude" / "settings.local.json")
    paths = [settings] if settings else list(dict.fromkeys(usual))
    files = {str(path): _installed(path) for path in paths}
    answer = {"files": files, **with_engine(_report)}
    print_answer(answer, _print_status, as_json=as_json)


def hide_others(handlers: Iterable[Mapping[str, Any]]) -> Callable[[str], str]:
    """Return what hides the strings of a settings file that are not of our handlers."""
    public = {str(value) for handler in handlers for value in handler.values()}
    return lambda text: JsonFormat().hide(text, public)


def _installed(path: Path) -> list[str] | str:
    """Return the hooks in a settings file, or why it has none."""
    try:
        found = read_file(path)
        handlers = list(installed_handlers(found.text)) if found else []
    except ReasonloomError as error:
        return error.message
    listed = [f"{each.event}: {each.handler['command']}" for each in handlers]
    return listed or ("no hooks of reasonloom" if found else "no such file")


def _print_status(answer: dict[str, Any]) -> None:
    for path, found in answer["files"].items():
        typer.echo(f"{path}: {found if isinstance(found, str) else '; '.join(found)}")
    typer.echo("")
    typer.echo("\n".join([str(answer["text"]), *answer["notes"]]))


async def _report(engine: Engine, caller: Caller) -> dict[str, Any]:
    outcome = await call_tool(engine, caller, "history_hook_status", HistoryHookStatus())
    return {**outcome.answer, "notes": outcome.notes}


def _program(title: str) -> tuple[str, str]:
    """Return the command with which the host calls us, and why.

    A name on the PATH survives an update that moves us, and suits a settings file that several
    people share. But the PATH of an activated environment is only that of this terminal.
    """
    script = installed_script()
    on_path = shutil.which("reasonloom")
    if on_path and script and Path(on_path).resolve() == Path(script).resolve():
        activated = sys.prefix != sys.base_prefix and Path(on_path).is_relative_to(sys.prefix)
        if not activated:
            return "reasonloom", f"it is on your PATH, so {title} finds it"
    why = f"an absolute path, since {title} may run with another PATH"
    return shlex.join(start_command()), why
