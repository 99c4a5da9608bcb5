"""The command line; `commands.tsv` lists the commands."""

import os
import sys
from pathlib import Path

import typer

from reasonloom import __version__
from reasonloom.cli.arguments import require_text
from reasonloom.cli.command_tree import build
from reasonloom.errors import CallerMistake, ReasonloomError

MAX_NAME_LENGTH = 60
"""Maximum characters of a file's name in an error line."""

app = build(
    name="reasonloom",
    help="A mind for agents that can be inspected: durable reasoning over one shared memory.",
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and end."),
) -> None:
    """Take the options that precede a command."""
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
        if (message := _message_of(error)) is None:
            raise
        typer.echo(f"reasonloom: {message}", err=True)
        sys.exit(2 if isinstance(error, CallerMistake | OSError) else 1)


def _unwrap_group(raised: BaseException) -> BaseException:
    """Return the exception in a task group's exception group, if it is the only one."""
    while isinstance(raised, BaseExceptionGroup) and len(raised.exceptions) == 1:
        raised = raised.exceptions[0]
    return raised


def _message_of(error: BaseException) -> str | None:
    """Return the line to print for one of our errors or an unusable file, None for others."""
    if isinstance(error, ReasonloomError):
        return error.message
    if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
        return f"{Path(os.fsdecode(error.filename)).name[:MAX_NAME_LENGTH]}: {error.strerror}"
    return None
