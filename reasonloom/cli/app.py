"""The command line; `commands.tsv` lists the commands."""

import io
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer._completion_classes import completion_init

from reasonloom import __version__
from reasonloom.cli.arguments import require_text
from reasonloom.cli.command_tree import build
from reasonloom.errors import CallerMistake, ReasonloomError

MAX_NAME_LENGTH = 60
"""Maximum characters of a file's name in an error line."""

INTERRUPTED = 130
PROGRAM = "reasonloom"
POSSIBLE = re.compile(r" \(Possible options: (.*)\)")

app = build(
    name=PROGRAM,
    help="Memory and reasoning tools for AI agents, with every step recorded.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", "-V", help="Print the version and exit."),
) -> None:
    """Take the options that precede a command."""
    if version:
        typer.echo(f"reasonloom {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; an expected error is one line on stderr.

    The exit code is 2 for a mistake of the caller, 1 for other failures, 130 for Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding may lack our characters.
        if isinstance(stream, io.TextIOWrapper) and "utf" not in stream.encoding.lower():
            stream.reconfigure(errors="replace")
    completion_init()  # for the shells whose script `reasonloom completion` prints
    try:
        require_text(sys.argv[1:])
        code = app(prog_name=PROGRAM, standalone_mode=False)
    except typer.Abort:
        _exit("cancelled", 1)
    except typer.TyperException as mistake:
        _exit_with_usage(mistake)
    except (ReasonloomError, OSError, BaseExceptionGroup) as raised:
        error = _unwrap_group(raised)
        if (message := _message_of(error)) is None:
            raise
        _exit(message, 2 if isinstance(error, CallerMistake | OSError) else 1)
    if code == INTERRUPTED:  # from typer, which has caught it
        raise KeyboardInterrupt
    sys.exit(code if isinstance(code, int) else 0)


def _exit(message: str, code: int) -> NoReturn:
    """End with one line on stderr."""
    typer.echo(f"reasonloom: {message}", err=True)
    sys.exit(code)


def _exit_with_usage(mistake: Any) -> NoReturn:
    """End with what is wrong with the command line and where its help is, on one line.

    A command that does nothing without arguments prints its help instead.
    """
    context = getattr(mistake, "ctx", None)
    if type(mistake).__name__ == "NoArgsIsHelpError":
        mistake.show()
        sys.exit(mistake.exit_code)
    message = POSSIBLE.sub(r". Did you mean \1?", " ".join(mistake.format_message().split()))
    message = message.replace("Value error, ", "")
    stop = "" if message.endswith((".", "?")) else "."
    see = f" See `{context.command_path} --help`." if context else ""
    _exit(f"{message}{stop}{see}", mistake.exit_code)


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
