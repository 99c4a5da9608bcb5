"""`reasonloom hooks`: adds our hooks to a Claude Code settings file after showing the change."""

import math
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.engine import with_engine
from reasonloom.cli.hooks.settings_file import (
    add_handlers,
    hook_handlers,
    installed_handlers,
    remove_handlers,
)
from reasonloom.cli.install.entry import installed_script, missing_settings, start_command
from reasonloom.cli.user_files.preview import confirm_change, show_change
from reasonloom.cli.user_files.rewrite import (
    errors_for,
    read_backup,
    read_file,
    write_restored,
    write_with_backup,
)
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistoryHookStatus
from reasonloom.errors import ReasonloomError
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.settings import load_settings

SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings", help="The settings file: the user's own if absent, or .claude/settings.json."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]
EXTRA_SECONDS = 10
"""Seconds that the host waits beyond the time limit of a hook."""


def install(
    settings: SettingsFile = None,
    yes: Yes = False,
    claude_md: Annotated[
        bool, typer.Option(help="Keep a block on the history in a project's CLAUDE.md, too.")
    ] = True,
) -> None:
    """Write the hooks into a settings file; shows the change and asks first."""
    path = settings or load_settings().claude_folder / "settings.json"
    program, why = _program()
    seconds = math.ceil(load_settings().hook_seconds) + EXTRA_SECONDS
    with errors_for(path):
        found = read_file(path)
        text = found.text if found else None
        new = add_handlers(text, hook_handlers(program, seconds, claude_md=claude_md))
        first = text is None or not any(installed_handlers(text))
    if new == text:
        typer.echo(f"{path}: the hooks are installed, nothing to do")
        return
    show_change(path, text or "", new)
    typer.echo(f"\nThe command is {program}: {why}.")
    for line in missing_settings("Claude Code"):
        typer.echo(line)
    confirm_change(yes)
    kept = write_with_backup(path, found, new, first=first)
    typer.echo(f"{path}: installed; sessions that begin from now on use the hooks")
    if kept:
        typer.echo(kept)


def uninstall(settings: SettingsFile = None, yes: Yes = False) -> None:
    """Take the hooks out of a settings file; shows the change and asks first."""
    path = settings or load_settings().claude_folder / "settings.json"
    with errors_for(path):
        found = read_file(path)
        text = found.text if found else ""
    if found is None:
        typer.echo(f"{path}: there is no such file, nothing to do")
        return
    before = read_backup(found.path, lambda text: any(installed_handlers(text)))
    with errors_for(path):
        new = remove_handlers(text, before, made=before is None)
    if new == text:
        typer.echo(f"{path}: none of our hooks is in it, nothing to do")
        return
    show_change(path, text, new or "")
    confirm_change(yes)
    kept = write_restored(path, found, new, before)
    typer.echo(f"{path}: " + ("removed, it held nothing else" if new is None else "uninstalled"))
    if kept:
        typer.echo(kept)
    typer.echo("A block in a CLAUDE.md stays until you delete it.")


def status(settings: SettingsFile = None) -> None:
    """Tell which settings files have the hooks, and when each hook ran last."""
    here = Path.cwd() / ".claude"
    usual = [load_settings().claude_folder / "settings.json", here / "settings.json",
             here / "settings.local.json"]  # fmt: skip
    for path in [settings] if settings else list(dict.fromkeys(usual)):
        try:
            found = read_file(path)
            listed = (
                [
                    f"{each.event}: {each.handler['command']}"
                    for each in installed_handlers(found.text)
                ]
                if (found)
                else []
            )
            line = "; ".join(listed) or ("no hooks of ours" if found else "no such file")
        except ReasonloomError as error:
            line = error.message
        typer.echo(f"{path}: {line}")
    typer.echo("")
    typer.echo(with_engine(_report))


async def _report(engine: Engine, caller: Caller) -> str:
    outcome = await call_tool(engine, caller, "history_hook_status", HistoryHookStatus())
    return "\n".join([str(outcome.answer["text"]), *outcome.notes])


def _program() -> tuple[str, str]:
    """Return the command with which the host calls us, and why.

    A name on the PATH survives an update that moves us, and suits a settings file that several
    people share. But the PATH of an activated environment is only that of this terminal.
    """
    script = installed_script()
    on_path = shutil.which("reasonloom")
    if on_path and script and Path(on_path).resolve() == Path(script).resolve():
        activated = sys.prefix != sys.base_prefix and Path(on_path).is_relative_to(sys.prefix)
        if not activated:
            return "reasonloom", "it is on your PATH, where Claude Code will find it too"
    why = "by its whole path, since the PATH that Claude Code runs with may lack it or name another"
    return shlex.join(start_command()), why
