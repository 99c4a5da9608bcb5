"""`reasonloom owner`: where an owner's data is among several databases, and moves between them."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.output import print_answer
from reasonloom.errors import InvalidArgument, SettingMistake
from reasonloom.settings import load_settings
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.servers.layout import FIELD, Layout, load_layout
from reasonloom.stores.servers.move import Moved, OwnerMove
from reasonloom.stores.servers.survey import Location, locate
from reasonloom.text.plurals import counted

Owner = Annotated[str, typer.Argument(help="The owner's name.")]


def show(owner: Owner, as_json: AsJson = False) -> None:
    """Show which database has an owner's data, and whether a move has not ended."""
    found = asyncio.run(_located(_layout(), owner))
    answer = {"owner": owner, "database": found.place, "unfinished_move": found.unfinished}
    print_answer(answer, lambda _: _print_location(owner, found), as_json=as_json)


def move(
    owner: Owner,
    to: Annotated[str | None, typer.Option(metavar="NAME", help="The database to move to.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted move.")] = False,
    abort: Annotated[bool, typer.Option("--abort", help="Undo an interrupted move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Move an owner to another database while servers run; writes wait for a moment."""
    layout = _layout()
    if [to is not None, resume, abort].count(True) != 1:
        raise InvalidArgument("--to: give exactly one of --to NAME, --resume and --abort")
    found = asyncio.run(_located(layout, owner))
    if to is None and found.unfinished is None:
        raise InvalidArgument(f"owner: no move of {owner!r} was interrupted", field="owner")
    if to is not None and found.unfinished:
        raise InvalidArgument(
            f"owner: a move of {owner!r} to {found.unfinished[1]} has not ended; end it with "
            "--resume or --abort",
            field="owner",
        )
    source, target = found.unfinished or (found.place, layout.require(to or "", "--to"))
    if source == target:
        raise InvalidArgument(f"--to: {owner!r} is in {target} already", field="--to")
    moving = OwnerMove(layout, owner, source, target, epoch=found.epoch, reached=_report)
    if abort:
        moving.abort()
        answer = {"owner": owner, "database": source, "aborted": True}
        print_answer(answer, lambda _: typer.echo(f"{owner} stays in {source}"), as_json=as_json)
        return
    asyncio.run(_upgraded(layout, source, target))
    done = moving.run()
    print_answer({**asdict(done), "database": target}, lambda _: _print(done), as_json=as_json)


def _report(point: str) -> None:
    typer.echo(f"{point} ...", err=True)


def _layout() -> Layout:
    settings = load_settings()
    if settings.databases is None:
        raise SettingMistake(f"{FIELD}: needed, the file that names the databases", field=FIELD)
    return load_layout(settings)


async def _located(layout: Layout, owner: str) -> Location:
    if not owner.strip():
        raise InvalidArgument("owner: must not be blank, such as anna", field="owner")
    return await locate(layout, owner)


async def _upgraded(layout: Layout, *names: str) -> None:
    for name in names:
        await bring_up_to_date(layout.accesses[name])


def _print_location(owner: str, found: Location) -> None:
    typer.echo(f"{owner}: {found.place}")
    if found.unfinished:
        source, target = found.unfinished
        typer.echo(f"a move from {source} to {target} has not ended: --resume or --abort it")


def _print(done: Moved) -> None:
    rows = counted(sum(done.rows.values()), "row")
    typer.echo(
        f"{done.owner}: {done.source} -> {done.target}, {rows} in {done.seconds:.1f} s; "
        f"writes waited {done.paused * 1000:.0f} ms"
    )
