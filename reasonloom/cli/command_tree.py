"""The tree of commands, read from `commands.tsv`; each is imported when it is invoked.

A line has the words that name a command, its function as `module:name` below this package (empty
for a group of commands), and the first sentence of its help. `--help` therefore imports no command,
and a command's module can import at its top whatever it needs.
"""

import gc
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

TABLE = Path(__file__).with_name("commands.tsv")
PASS_THROUGH = {"ignore_unknown_options": True, "allow_extra_args": True}
CONTEXT_SETTINGS = {"hook": PASS_THROUGH}
"""A different version of a host may pass arguments that we do not know; that is no error."""


class Row(NamedTuple):
    """One line of the table."""

    name: str
    target: str
    help: str


class LazyGroup(TyperGroup):
    """Lists placeholders, and replaces the invoked one by its command."""

    rows: Mapping[str, Row] = {}

    def __init__(self, *, commands: Any = None, **options: Any) -> None:
        lazy = {row.name: TyperCommand(row.name, help=row.help) for row in self.rows.values()}
        super().__init__(commands={**lazy, **(commands or {})}, **options)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the loaded command that the arguments name."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.rows:
            command = self.commands[name] = load(self.rows[name])
        return name, command, rest


def build(**options: Any) -> typer.Typer:
    """Return the application with all commands; `options` are passed to its `typer.Typer`."""
    groups: dict[str, dict[str, Row]] = {"": {}}
    helps: dict[str, str] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        row = Row(*line.split("\t"))
        group, _, name = row.name.rpartition(" ")
        if row.target:
            groups[group][name] = row._replace(name=name)
        else:
            groups[name], helps[name] = {}, row.help
    app = _group(groups.pop(""), **options)
    for name, rows in groups.items():
        app.add_typer(_group(rows, help=helps[name]), name=name)
    return app


def _group(rows: Mapping[str, Row], **options: Any) -> typer.Typer:
    cls = type("Group", (LazyGroup,), {"rows": rows})
    return typer.Typer(cls=cls, no_args_is_help=True, **options)


def load(row: Row) -> Any:
    """Import a command's module and return the command in click's form.

    What modules hold is no garbage; looking through it would take a sixth of the import's time.
    """
    module, _, function = row.target.partition(":")
    gc.disable()
    try:
        found = import_module(f"reasonloom.cli.{module}")
    finally:
        gc.freeze()
        gc.enable()
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    register = alone.command(row.name, context_settings=CONTEXT_SETTINGS.get(row.name))
    register(getattr(found, function))
    return typer.main.get_command(alone)
