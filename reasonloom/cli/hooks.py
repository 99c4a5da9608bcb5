"""`reasonloom hooks`: puts our hooks into a settings file of Claude Code, after showing how."""

from __future__ import annotations

import difflib
import math
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ParamSpec, TypeVar

import typer

from reasonloom.cli.with_engine import call_tool, with_engine
from reasonloom.errors import InvalidArgument, ReasonloomError

if TYPE_CHECKING:
    from reasonloom.cli.replace_file import Found
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.engine import Engine

P = ParamSpec("P")
T = TypeVar("T")
app = typer.Typer(help="Claude Code's hooks: install, uninstall, look.", no_args_is_help=True)
SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings", help="The settings file: the user's own if absent, or .claude/settings.json."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]
BACKUP = ".before-reasonloom"
SPARE = 10
"""Seconds that the host waits longer than a hook takes at most."""

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@app.command()
def install(
    settings: SettingsFile = None,
    yes: Yes = False,
    claude_md: Annotated[
        bool, typer.Option(help="Keep a block on the history in a project's CLAUDE.md, too.")
    ] = True,
) -> None:
    """Write the hooks into a settings file; shows the change and asks first."""
    from reasonloom.cli.host_settings import handlers, installed  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    path = settings or load_settings().claude_folder / "settings.json"
    program, why = _program()
    seconds = math.ceil(load_settings().hook_seconds) + SPARE
    found = _look(path)
    text = found.text if found else None
    new = _of(path, installed, text, handlers(program, seconds, claude_md=claude_md))
    if new == text:
        typer.echo(f"{path}: the hooks are installed, nothing to do")
        return
    _show(path, text or "", new)
    typer.echo(f"\nThe command is {program}: {why}.")
    for line in _needed():
        typer.echo(line)
    _ask(yes)
    _write(path, found, new)
    typer.echo(f"{path}: installed; sessions that begin from now on use the hooks")


@app.command()
def uninstall(settings: SettingsFile = None, yes: Yes = False) -> None:
    """Take the hooks out of a settings file; shows the change and asks first."""
    from reasonloom.cli.host_settings import removed  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    path = settings or load_settings().claude_folder / "settings.json"
    found = _look(path)
    if found is None:
        typer.echo(f"{path}: there is no such file, nothing to do")
        return
    text = found.text
    backup = _look(_backup(found.path))
    before = backup.text if backup else None
    new = _of(path, removed, text, before, made=backup is None)
    if new == text:
        typer.echo(f"{path}: none of our hooks is in it, nothing to do")
        return
    _show(path, text, new or "")
    _ask(yes)
    _write(path, found, new)
    typer.echo(f"{path}: " + ("removed, it held nothing else" if new is None else "uninstalled"))
    typer.echo("A block in a CLAUDE.md stays until you delete it.")


@app.command()
def status(settings: SettingsFile = None) -> None:
    """Tell which settings files have the hooks, and when each hook ran last."""
    from reasonloom.cli.host_settings import ours  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    here = Path.cwd() / ".claude"
    usual = [load_settings().claude_folder / "settings.json", here / "settings.json",
             here / "settings.local.json"]  # fmt: skip
    for path in [settings] if settings else list(dict.fromkeys(usual)):
        try:
            found = _look(path)
            listed = (
                [f"{each.event}: {each.handler['command']}" for each in ours(found.text)]
                if (found)
                else []
            )
            said = "; ".join(listed) or ("no hooks of ours" if found else "no such file")
        except ReasonloomError as error:
            said = error.message
        typer.echo(f"{path}: {said}")
    typer.echo("")
    typer.echo(with_engine(_report))


async def _report(engine: Engine, caller: Caller) -> str:
    from reasonloom.contracts.history import HistoryHookStatus  # noqa: PLC0415

    outcome = await call_tool(engine, caller, "history_hook_status", HistoryHookStatus())
    return "\n".join([str(outcome.answer["text"]), *outcome.notes])


def _program() -> tuple[str, str]:
    """Return how the host is to call us, and why so.

    A name on the PATH goes on working after an update that moves us, and suits a settings file that
    several people share. But the PATH of an activated environment is this terminal's alone.
    """
    running = _running()
    on_path = shutil.which("reasonloom")
    if on_path and running and Path(on_path).resolve() == Path(running).resolve():
        activated = sys.prefix != sys.base_prefix and Path(on_path).is_relative_to(sys.prefix)
        if not activated:
            return "reasonloom", "it is on your PATH, where Claude Code will find it too"
    why = "by its whole path, since the PATH that Claude Code runs with may lack it or name another"
    if running:
        return shlex.quote(running), why
    return f"{shlex.quote(sys.executable)} -m reasonloom", why


def _running() -> str | None:
    """Return the program that belongs to this very installation."""
    for name in ("reasonloom", "reasonloom.exe"):
        beside = Path(sys.executable).absolute().parent / name
        if beside.is_file():
            return str(beside)
    return None


def _needed() -> list[str]:
    """Return what to tell of settings that are known in this terminal, and perhaps nowhere else."""
    from reasonloom.settings import Settings, environment, variables_of  # noqa: PLC0415

    known = environment()
    names = [v for field in Settings.model_fields for v in variables_of(field) if known.get(v)]
    if not names:
        return []
    return [f"Set here, and needed where Claude Code runs: {', '.join(sorted(names))}."]


def _look(path: Path) -> Found | None:
    from reasonloom.cli.replace_file import look  # noqa: PLC0415

    return look(path)


def _of(path: Path, change: Callable[P, T], *given: P.args, **more: P.kwargs) -> T:
    """Return what `change` gives; its errors name the file."""
    try:
        return change(*given, **more)
    except InvalidArgument as error:
        raise InvalidArgument(
            f"{path}: {error.message}; nothing was written", field="settings"
        ) from None


def _show(path: Path, old: str, new: str) -> None:
    """Print the change as a diff."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), str(path), f"{path} (changed)", lineterm=""
    )
    for line in lines:
        typer.echo(UNSEEN.sub("\ufffd", line))


def _ask(yes: bool) -> None:
    """Go on only if a person agrees.

    Raises:
        Exit: with 1, where nobody did.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        typer.echo("Nobody can be asked here, nothing was written; give --yes to write.", err=True)
        raise typer.Exit(1)
    if not typer.confirm("Write this?"):
        typer.echo("nothing was written")
        raise typer.Exit(1)


def _write(path: Path, found: Found | None, new: str | None) -> None:
    """Write the settings file, and beside it what it was before."""
    import stat  # noqa: PLC0415

    from reasonloom.cli.replace_file import replace, write  # noqa: PLC0415

    if found is None:
        assert new is not None  # noqa: S101 - nothing is taken out of no file
        real = path.resolve()
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _backup(real).unlink(missing_ok=True)
        write(real, new.encode())
        return
    write(_backup(found.path), found.data, mode=stat.S_IMODE(found.stat.st_mode))
    if new is None:
        found.path.unlink()
    else:
        replace(found, new.encode())


def _backup(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)
