"""`reasonloom memory export` and `import`: all memories as lines of JSON."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from reasonloom.cli.arguments import User
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import progress
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.portable.export import ExportOptions, export_lines
from reasonloom.nodes.memory.portable.importer import ImportResult, MemoryImport
from reasonloom.nodes.memory.portable.validation import FileCheck, check_file, embedder_in_use
from reasonloom.text.plurals import counted

STANDARD = "-"


def export(
    file: Annotated[str, typer.Argument(help="Where to; - is standard output.")],
    user: User = None,
    with_embeddings: Annotated[
        bool, typer.Option("--with-embeddings", help="Take the vectors along, too.")
    ] = False,
    include_hidden: Annotated[
        bool, typer.Option("--include-hidden", help="Take along what was forgotten softly.")
    ] = False,
) -> None:
    """Write all memories with their links to a file, one a line, for `import` to read."""

    async def write(engine: Engine, caller: Caller) -> int:
        count = -1  # the header is not a memory
        wish = ExportOptions(embeddings=with_embeddings, hidden=include_hidden)
        with progress("export") as tell, atomic_output(file) as target:
            async for line in export_lines(engine.loom, caller, wish, tell):
                target.write(line.encode())
                count += 1
        return count

    try:
        count = with_engine(write, user)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    typer.echo(f"exported {counted(count, 'memory')}", err=file == STANDARD)


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
        raise InvalidArgument("FILE: must name a file in a folder that is there", field="file")
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
    file: Annotated[str, typer.Argument(help="Where from; - is standard input.")],
    user: User = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and store nothing.")
    ] = False,
    keep_strength: Annotated[
        bool, typer.Option("--keep-strength", help="Keep strength and accesses; else as new.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Store the good lines where some are bad.")
    ] = False,
) -> None:
    """Store the memories of a file; what is there already is not stored again.

    A line is what `export` writes, or as little as {"content": "..."}. Nothing is stored where
    a line is bad, unless --skip-bad is given.
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
                _print_imported(await work.foresee(), "would be ")
                return True
            with progress("import") as tell:
                done = await work.store(lambda count: tell(count, checked.memories))
            _print_imported(done, "")
        return True

    if not with_engine(take, user):
        typer.echo("nothing was stored: mend these lines, or give --skip-bad", err=True)
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
            raise InvalidArgument("FILE: a pipe is read as -", field="file")
        yield source


def _print_checked(checked: FileCheck) -> None:
    for bad in checked.faults:
        typer.echo(f"line {bad.number}: {bad.fault}", err=True)
    if checked.bad > len(checked.faults):
        typer.echo(f"and {checked.bad - len(checked.faults)} more bad lines", err=True)
    lines = counted(checked.memories, "good line")
    typer.echo(f"{lines}, {checked.bad:,} bad" if checked.bad else lines)
    notes = (
        (checked.is_cut, "the header speaks of more memories: the file was cut or edited"),
        (
            checked.removed,
            f"hidden characters (direction controls or tags) left out: {checked.removed:,}",
        ),
        (checked.kinds, f"lines with an unknown source_kind, taken as user: {checked.kinds:,}"),
    )
    for applies, note in notes:
        if applies:
            typer.echo(note)


def _print_imported(done: ImportResult, would: str) -> None:
    verb = would or ("was " if done.stored == 1 else "were ")
    typer.echo(f"{counted(done.stored, 'memory')} {verb}stored, {done.there:,} there already")
    if done.edges:
        typer.echo(f"{counted(done.edges, 'link')} made")
    if done.lost_edges:
        lost = counted(done.lost_edges, "link")
        typer.echo(f"{lost} left out: to memories that are not in the file")
    if done.unembedded:
        typer.echo(
            f"{counted(done.unembedded, 'memory')} without vectors, for the embedder is away: "
            "run `reasonloom db reindex` when it is back"
        )
