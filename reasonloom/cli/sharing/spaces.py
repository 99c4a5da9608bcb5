"""`reasonloom space`: spaces, who may use them, and who did."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson, Limit
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import print_answer, print_rows, print_table
from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.places import is_person, parse_grantee, parse_place
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import SpaceAccess, administering
from reasonloom.nodes.sharing.erasure import Erased, erase_person
from reasonloom.stores.sharing import audit
from reasonloom.stores.sharing.audit import AuditEntry, AuditFilter
from reasonloom.text.plurals import counted

Space = Annotated[str, typer.Argument(help="Such as me/notes or team/payments.")]


def list_(as_json: AsJson = False) -> None:
    """List the spaces you may use, your rights, and for those you administer the grants."""
    found = with_engine(lambda engine, caller: administration.list_spaces(engine.loom, caller))
    print_rows([asdict(each) for each in found], lambda: _print_spaces(found), as_json=as_json)


def _print_spaces(found: list[SpaceAccess]) -> None:
    table = Table("space", "your rights", "granted to")
    for each in found:
        granted = [f"{one.grantee} ({', '.join(one.rights)})" for one in each.grants or ()]
        table.add_row(Text(each.name), ", ".join(each.rights), Text("; ".join(granted)))
    print_table(table)


def create(
    name: Annotated[str, typer.Argument(help="Such as notes or team/payments/notes.")],
) -> None:
    """Create a space, of your own or of a team that you administer."""
    made = with_engine(
        lambda engine, caller: administration.create_space(engine.loom, caller, name)
    )
    typer.echo(f"created {made}")


def grant(
    space: Space,
    to: Annotated[str, typer.Argument(help="A person, team/NAME or group/NAME.")],
    right: Annotated[
        list[str] | None,
        typer.Option(help="read, write, promote or admin; repeatable. Default: read."),
    ] = None,
) -> None:
    """Grant rights on a space; they replace those granted before."""
    place, rights = parse_place(space, "space"), right or ["read"]

    async def work(engine: Engine, caller: Caller) -> str:
        async with administering(engine.loom, caller, place, "space grant") as opened:
            return await opened.grant(to, rights)

    typer.echo(f"{with_engine(work)} has {', '.join(rights)} on {place.name()}")


def revoke(
    space: Space,
    whom: Annotated[str, typer.Argument(metavar="FROM", help="As in `space grant`.")],
) -> None:
    """Revoke all that somebody was granted on a space, at once."""
    place = parse_place(space, "space")

    async def work(engine: Engine, caller: Caller) -> str:
        async with administering(engine.loom, caller, place, "space revoke") as opened:
            return await opened.revoke(whom)

    typer.echo(f"{with_engine(work)} has no rights on {place.name()} any more")


def audit_(
    owner: Annotated[str, typer.Argument(help="me, or a team such as team/payments.")] = "me",
    since: Annotated[str | None, typer.Option(help="Start, such as 2026-01-31T10:30:00Z.")] = None,
    by: Annotated[str | None, typer.Option(help="Only what this person did.")] = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """List who read, changed and shared your spaces or those of a team; --json exports lines."""
    place = parse_place(owner, "owner")
    try:
        start = parse_moment(since) if since else None
    except ValueError:
        form = "--since: must be a date and time such as 2026-01-31T10:30:00Z"
        raise InvalidArgument(form, field="since") from None

    async def work(engine: Engine, caller: Caller) -> list[AuditEntry]:
        placed = caller.at(place.owner, "", place.name())
        async with administration.reading_log(engine.loom, placed) as tx:
            return [*await audit.page(tx, AuditFilter(start, by), limit=limit)]

    found = with_engine(work)
    print_rows([asdict(each) for each in found], lambda: _print_log(found), as_json=as_json)


def _print_log(found: list[AuditEntry]) -> None:
    table = Table("at", "who", "did", "space", "memories", "whom", "rights")
    for each in found:
        ids = " ".join(f"mem-{number}" for number in each.memories)
        table.add_row(
            f"{each.at:%Y-%m-%d %H:%M:%S}", Text(each.principal), each.action, Text(each.space),
            ids, Text(each.subject or ""), ", ".join(each.rights),
        )  # fmt: skip
    print_table(table)


def erase(
    person: Annotated[str, typer.Argument(help="Who wrote it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase what a person wrote in spaces of others; the log keeps a pseudonym."""
    name = parse_grantee(person, "person")
    if not is_person(name):
        raise InvalidArgument("person: must be a person such as anna", field="person")
    if not yes:
        typer.confirm(f"Erase permanently what {name} wrote in spaces of others?", abort=True)
    done = with_engine(lambda engine, _: erase_person(engine.loom, name))
    print_answer(done, _print_erased, as_json=as_json)


def _print_erased(done: Erased) -> None:
    typer.echo(
        f"erased {counted(done.memories, 'memory')}, {counted(done.grants, 'grant')} and "
        f"{counted(done.memberships, 'membership')}; the log says {done.pseudonym}"
    )
