"""The command line: every command is registered here.

Each lives in the module of its name, but for `restore` (in `backup`), `uninstall` and
`print-config` (in `install`), and `eval` (in `evals`). A group's module registers its commands.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from reasonloom import __version__
from reasonloom.cli import bench, database, doctor, mental_models, runs, sessions, thought_graph
from reasonloom.cli.arguments import require_text
from reasonloom.cli.evals import commands
from reasonloom.cli.history import commands as history_commands
from reasonloom.cli.hooks import commands as hooks_commands
from reasonloom.cli.hooks import hook
from reasonloom.cli.install import commands as install_commands
from reasonloom.cli.memory import commands as memory_commands
from reasonloom.cli.prompts import commands as prompts_commands
from reasonloom.cli.server import call, demo, serve, tokens
from reasonloom.errors import CallerMistake, ReasonloomError

MAX_NAME_LENGTH = 60
"""Characters of a file's name that a line shows."""

app = typer.Typer(
    name="reasonloom",
    help="A mind for agents that can be inspected: durable reasoning over one shared memory.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("studio")(serve.studio)
app.command("demo")(demo.demo)
app.command("call")(call.call)
app.command("doctor")(doctor.doctor)
app.command("bench")(bench.bench)
app.command("backup")(database.backup)
app.command("restore")(database.restore)
app.command("install")(install_commands.install)
app.command("uninstall")(install_commands.uninstall)
app.command("print-config")(install_commands.print_config)
app.command("hook", context_settings=hook.CONTEXT_SETTINGS)(hook.hook)
runs.app.command("fork")(runs.fork)
app.add_typer(database.app, name="db")
app.add_typer(runs.app, name="runs")
app.add_typer(sessions.app, name="session")
app.add_typer(thought_graph.app, name="graph")
app.add_typer(commands.app, name="eval")
app.add_typer(memory_commands.app, name="memory")
app.add_typer(mental_models.app, name="models")
app.add_typer(prompts_commands.app, name="prompts")
app.add_typer(history_commands.app, name="history")
app.add_typer(hooks_commands.app, name="hooks")
app.add_typer(tokens.app, name="tokens")


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and end."),
) -> None:
    """Take the options that stand before a command."""
    if version:
        typer.echo(f"reasonloom {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; a known error is one line on stderr, exit 2 or 1."""
    try:
        require_text(sys.argv[1:])
        app()
    except (ReasonloomError, OSError, BaseExceptionGroup) as raised:
        error = _unwrap_group(raised)
        if (said := _message_of(error)) is None:
            raise
        typer.echo(f"reasonloom: {said}", err=True)
        sys.exit(2 if isinstance(error, CallerMistake | OSError) else 1)


def _unwrap_group(raised: BaseException) -> BaseException:
    """Return what a group of tasks raised, where that is one error alone."""
    while isinstance(raised, BaseExceptionGroup) and len(raised.exceptions) == 1:
        raised = raised.exceptions[0]
    return raised


def _message_of(error: BaseException) -> str | None:
    """Return the line to say: of an error of ours, or of a file that cannot be used."""
    if isinstance(error, ReasonloomError):
        return error.message
    if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
        return f"{Path(os.fsdecode(error.filename)).name[:MAX_NAME_LENGTH]}: {error.strerror}"
    return None
