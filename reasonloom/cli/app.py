"""The command line: every command is registered here and lives in a module of its name."""

from __future__ import annotations

import sys

import typer

from reasonloom import __version__
from reasonloom.cli import (
    backup,
    bench,
    call,
    db,
    demo,
    doctor,
    evals,
    fork,
    graph,
    history,
    hook,
    hooks,
    install,
    memory,
    models,
    prompts,
    runs,
    serve,
    session,
    studio,
    tokens,
)
from reasonloom.errors import CallerMistake, ReasonloomError

app = typer.Typer(
    name="reasonloom",
    help="A mind for agents that can be inspected: durable reasoning over one shared memory.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("studio")(studio.studio)
app.command("demo")(demo.demo)
app.command("call")(call.call)
app.command("doctor")(doctor.doctor)
app.command("bench")(bench.bench)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("install")(install.install)
app.command("uninstall")(install.uninstall)
app.command("print-config")(install.print_config)
app.command("hook", context_settings=hook.ANY)(hook.hook)
runs.app.command("fork")(fork.fork)
app.add_typer(db.app, name="db")
app.add_typer(runs.app, name="runs")
app.add_typer(session.app, name="session")
app.add_typer(graph.app, name="graph")
app.add_typer(evals.app, name="eval")
app.add_typer(memory.app, name="memory")
app.add_typer(models.app, name="models")
app.add_typer(prompts.app, name="prompts")
app.add_typer(history.app, name="history")
app.add_typer(hooks.app, name="hooks")
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
    """Run the command line; an error of ours is one line on stderr, exit 2 or 1."""
    try:
        app()
    except ReasonloomError as error:
        typer.echo(f"reasonloom: {error.message}", err=True)
        sys.exit(2 if isinstance(error, CallerMistake) else 1)
