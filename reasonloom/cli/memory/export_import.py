"""`reasonloom memory export` and `import`: all memories as lines of JSON, or as Markdown files."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from reasonloom.cli.arguments import User
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import progress
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import ME, parse_place
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.importers.front_matter import memory_as_markdown
from reasonloom.nodes.memory.portable.export import ExportOptions, export_lines
from reasonloom.nodes.memory.portable.importer import ImportResult, MemoryImport
from reasonloom.nodes.memory.portable.validation import FileCheck, check_file, embedder_in_use
from reasonloom.text.plurals import counted

STANDARD = "-"


class Format(StrEnum):
    """The forms of an export."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


def export(
    file: Annotated[
        str, typer.Argument(help="The file to write; - is standard output. A folder for Markdown.")
    ],
    user: User = None,
    space: Annotated[
        str | None, typer.Option(help="A space you may read, such as team/payments.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="JSON Lines, or a Markdown file for each memory.")
    ] = Format.JSONL,
    with_embeddings: Annotated[
        bool, typer.Option("--with-embeddings", help="Include vectors.")
    ] = False,
    include_hidden: Annotated[
        bool,
        typer.Option("--include-hidden", help="Include forgotten memories that can be restored."),
    ] = False,
) -> None:
    """Export memories and their links to a JSON Lines file.

    With --format markdown they are files in a new folder, which `reasonloom import markdown` reads.
    """
    if form is Format.MARKDOWN and with_embeddings:
        raise InvalidArgument("--with-embeddings: Markdown has no vectors; export JSON Lines")
    if user is not None and space is not None:
        raise InvalidArgument("--space: use either --user or --space, not both", field="--space")
    place = parse_place(space or ME, "--space")

    async def write(engine: Engine, caller: Caller) -> int:
        placed = caller.at(place.owner, place.space, place.name()) if space else caller
        count = -1  # the header is not a memory
        wish = ExportOptions(embeddings=with_embeddings, hidden=include_hidden)
        into = lines_into(file) if form is Format.JSONL else files_into(file)
        with progress("export") as update, into as put:
            async for line in export_lines(engine.loom, placed, wish, update):
                put(line)
                count += 1
        return count

    try:
        count = with_engine(write, user)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    typer.echo(f"exported {counted(count, 'memory')}", err=file == STANDARD)


@contextmanager
def lines_into(file: str) -> Iterator[Callable[[str], object]]:
    """Yield a function that writes a line to a file, replaced atomically, or to standard output."""
    with atomic_output(file) as target:
        yield lambda line: target.write(line.encode())


@contextmanager
def files_into(folder: str) -> Iterator[Callable[[str], object]]:
    """Yield a function that writes a memory's line as a Markdown file; the folder appears whole.

    Raises:
        InvalidArgument: the folder has files in it, or cannot be made.
    """
    path = Path(folder)
    if path.is_dir() and any(path.iterdir()):
        raise InvalidArgument("FOLDER: must be new or empty", field="file")
    if (path.exists() and not path.is_dir()) or not path.absolute().parent.is_dir():
        raise InvalidArgument(
            "FOLDER: must be in an existing folder, such as memories", field="file"
        )
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{path.name[:50]}.", dir=path.absolute().parent))
    except OSError as error:
        raise InvalidArgument(f"FOLDER: cannot be made: {error.strerror}", field="file") from None

    def put(line: str) -> None:
        memory = json.loads(line)
        if "content" in memory:
            text = memory_as_markdown(memory)
            (made / f"{memory['id']}.md").write_text(text, encoding="utf-8", newline="")

    try:
        yield put
        with suppress(FileNotFoundError):
            path.rmdir()
        made.replace(path)
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def atomic_output(file: str) -> Iterator[BinaryIO]:
    """Yield a stream to write to; a regular file is replaced atomically, readable by its owner."""
    path = Path(file)
    if file == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as device:
            yield device
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InvalidArgument(
            "FILE: must be in an existing folder, such as memories.jsonl", field="file"
        )
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.absolute().parent)
    except OSError as error:
        raise InvalidArgument(f"FILE: cannot be written: {error.strerror}", field="file") from None
    try:
        with os.fdopen(handle, "wb") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        Path(name).replace(path)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()


def import_(
    file: Annotated[str, typer.Argument(help="The file to read; - is standard input.")],
    user: User = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file without storing anything.")
    ] = False,
    keep_strength: Annotated[
        bool,
        typer.Option("--keep-strength", help="Keep strength and access counts. Default: as new."),
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Store the valid lines even if others are not.")
    ] = False,
) -> None:
    """Import memories from a JSON Lines file, skipping those already stored.

    A line is what `export` writes, or as little as {"content": "..."}. Nothing is stored where
    a line is invalid, unless you use --skip-bad.
    """

    async def take(engine: Engine, caller: Caller) -> bool:
        ours = embedder_in_use(engine.loom.embedder)
        with _source(file) as source:
            checked = check_file(source, ours)
            _print_checked(checked)
            if checked.bad and not skip_bad:
                return False
            work = MemoryImport(engine.loom, caller, source, ours, keep_strength=keep_strength)
            if dry_run:
                print_imported(await work.foresee(), "would be ")
                return True
            with progress("import") as update:
                done = await work.store(lambda count: update(count, checked.memories))
            print_imported(done, "")
        return True

    if not with_engine(take, user):
        typer.echo("nothing was stored: correct these lines, or use --skip-bad", err=True)
        raise typer.Exit(1)


@contextmanager
def _source(file: str) -> Iterator[BinaryIO]:
    """Yield a file that can be read twice; standard input is copied to a temporary one."""
    if file == STANDARD:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            yield copy
        return
    try:
        source = Path(file).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise InvalidArgument(f"FILE: cannot be read: {error.strerror}", field="file") from None
    with source:
        if not source.seekable():
            raise InvalidArgument("FILE: cannot be a pipe; use - for standard input", field="file")
        yield source


def _print_checked(checked: FileCheck) -> None:
    for bad in checked.faults:
        typer.echo(f"line {bad.number}: {bad.fault}", err=True)
    if checked.bad > len(checked.faults):
        typer.echo(f"and {checked.bad - len(checked.faults)} more bad lines", err=True)
    lines = counted(checked.memories, "good line")
    typer.echo(f"{lines}, {checked.bad:,} bad" if checked.bad else lines)
    notes = (
        (checked.is_cut, "the header counts more memories: the file was cut or edited"),
        (
            checked.removed,
            f"hidden characters (direction controls or tags) removed: {checked.removed:,}",
        ),
        (checked.kinds, f"lines with an unknown source_kind, stored as user: {checked.kinds:,}"),
    )
    for applies, note in notes:
        if applies:
            typer.echo(note)


def print_imported(done: ImportResult, would: str) -> None:
    """Print the counts of an import; `would` is "would be " for one that is foreseen."""
    verb = would or ("was " if done.stored == 1 else "were ")
    typer.echo(f"{counted(done.stored, 'memory')} {verb}stored, {done.there:,} already stored")
    if done.edges:
        typer.echo(f"{counted(done.edges, 'link')} added")
    if done.lost_edges:
        lost = counted(done.lost_edges, "link")
        typer.echo(f"{lost} skipped: to memories that are not in the file")
    if done.unembedded:
        typer.echo(
            f"{counted(done.unembedded, 'memory')} without vectors (no embedder available): "
            "run `reasonloom db reindex` when it is back"
        )
