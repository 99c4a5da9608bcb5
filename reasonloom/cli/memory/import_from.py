"""`reasonloom import`: memories of other programs, and of a folder exported as Markdown."""

from collections.abc import Callable
from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from reasonloom.cli.arguments import DryRun, User
from reasonloom.cli.engine import with_engine
from reasonloom.cli.memory.export_import import print_imported
from reasonloom.cli.output import printable, progress
from reasonloom.cli.user_files.preview import confirm_change
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.export_format import PortableEmbedder
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.importers import langgraph_store, markdown, mcp_memory, mem0, originals
from reasonloom.importers.conversion import Conversion, converted
from reasonloom.importers.records import Entries, Skipped
from reasonloom.nodes.memory.maintenance.health import excerpt_of
from reasonloom.nodes.memory.portable.importer import MemoryImport
from reasonloom.nodes.memory.portable.validation import (
    FileCheck,
    check_file,
    embedder_in_use,
    good_lines,
)
from reasonloom.text.plurals import counted

MOST_LISTED = 20
"""Skipped records that are listed; all are counted."""

EXAMPLES, EXCERPT = 3, 100
"""Memories printed as examples, and their characters."""


class Source(StrEnum):
    """The programs whose memories are read."""

    MEM0 = "mem0"
    LANGGRAPH_STORE = "langgraph-store"
    MCP_MEMORY = "mcp-memory"
    CLAUDE_MD = "claude-md"
    MARKDOWN = "markdown"
    THOUGHTMCP = "thoughtmcp"
    CAUSANTIC = "causantic"
    LANGBASE_REASONING = "langbase-reasoning"


READERS: dict[Source, Callable[[str], Entries]] = {
    Source.MEM0: mem0.read,
    Source.LANGGRAPH_STORE: langgraph_store.read,
    Source.MCP_MEMORY: mcp_memory.read,
    Source.CLAUDE_MD: markdown.read_claude_md,
    Source.MARKDOWN: markdown.read_notes,
    Source.THOUGHTMCP: originals.read_thoughtmcp,
    Source.CAUSANTIC: originals.read_causantic,
    Source.LANGBASE_REASONING: originals.read_langbase,
}


def import_(
    source: Annotated[
        Source, typer.Argument(metavar="SOURCE", help="The program: " + ", ".join(Source) + ".")
    ],
    location: Annotated[
        str, typer.Argument(metavar="FILE|FOLDER|URL", help="Where its memories are.")
    ],
    user: User = None,
    from_user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only those of this user of the program.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="mem0's table in Postgres. Default: mem0.")
    ] = None,
    keep_strength: Annotated[
        bool,
        typer.Option("--keep-strength", help="Keep strength and access counts. Default: as new."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Store without asking.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Import memories from mem0, LangGraph, Markdown and others, after you confirm."""
    if table is not None and source != Source.MEM0:
        raise InvalidArgument("--table: only mem0 has a table to choose", field="table")
    entries = mem0.read(location, table) if table else READERS[source](location)

    with converted(source, entries, user=from_user) as made:
        _print_users(made, from_user)

        async def take(engine: Engine, caller: Caller) -> None:
            ours = embedder_in_use(engine.loom.embedder)
            checked = check_file(made.lines, ours)
            _print_skipped(made, checked)
            _print_examples(made, ours)

            def new_import() -> MemoryImport:
                return MemoryImport(
                    engine.loom, caller, made.lines, ours,
                    keep_strength=keep_strength, details={"source": source.value},
                )  # fmt: skip

            foreseen = await new_import().foresee()
            print_imported(foreseen, "would be ")
            if not foreseen.stored and not checked.edges:
                return
            if confirm_change(yes, dry_run=dry_run):
                with progress("import") as report:
                    done = await new_import().store(lambda count: report(count, checked.memories))
                print_imported(done, "")

        with_engine(take, user)


def _print_users(made: Conversion, chosen: str | None) -> None:
    if chosen is not None and chosen not in made.users:
        known = ", ".join(name for name, _ in made.users.most_common(MOST_LISTED))
        raise InvalidArgument(
            f"--from-user: the source has no user {chosen}; it has {known or 'none'}",
            field="from_user",
        )
    if chosen is not None:
        typer.echo(f"{counted(made.others, 'record')} of other users skipped")
    elif len(made.users) > 1:
        users = ", ".join(f"{name} {count:,}" for name, count in made.users.most_common(10))
        total = counted(len(made.users), "user")
        typer.echo(printable(f"memories of {total}: {users}; choose one with --from-user"))


def _print_skipped(made: Conversion, checked: FileCheck) -> None:
    bad = [Skipped(made.places[line.number - 1], line.fault) for line in checked.faults]
    skipped = [*made.skipped, *bad]
    for each in skipped[:MOST_LISTED]:
        typer.echo(printable(f"skipped {each.where}: {each.reason}"), err=True)
    total = len(made.skipped) + checked.bad
    if total > MOST_LISTED:
        typer.echo(f"and {total - MOST_LISTED:,} more skipped", err=True)
    read = len(made.places) - checked.bad
    typer.echo(f"{counted(read, 'memory')} read, {total:,} skipped")
    if checked.removed:
        typer.echo(f"hidden characters (direction controls or tags) removed: {checked.removed:,}")


def _print_examples(made: Conversion, ours: PortableEmbedder) -> None:
    for line in islice(good_lines(made.lines, ours, FileCheck()), EXAMPLES):
        day = (line.memory.created_at or "no date")[:10]
        typer.echo(f"  {day}  {printable(excerpt_of(line.memory.content, EXCERPT))}")
