"""`reasonloom team`: teams and the members of teams and groups."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import print_rows, print_table
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sharing import administration
from reasonloom.nodes.sharing.administration import SpaceAccess, opened_team
from reasonloom.stores.sharing.memberships import Membership

Team = Annotated[str, typer.Argument(help="Such as payments, or group/NAME for a tokens' group.")]
Member = Annotated[str, typer.Argument(help="A person, such as anna.")]


def list_(as_json: AsJson = False) -> None:
    """List the teams you may use, with your rights on their own spaces."""
    found = with_engine(lambda engine, caller: administration.list_teams(engine.loom, caller))
    rows = [{"name": each.name, "rights": each.rights} for each in found]
    print_rows(rows, lambda: _print_teams(found), as_json=as_json)


def _print_teams(found: list[SpaceAccess]) -> None:
    table = Table("team", "your rights")
    for each in found:
        table.add_row(Text(each.name), ", ".join(each.rights))
    print_table(table)


def create(name: Annotated[str, typer.Argument(help="Such as payments.")]) -> None:
    """Create a team with you as its member and admin."""
    made = with_engine(lambda engine, caller: administration.create_team(engine.loom, caller, name))
    typer.echo(f"created {made}")


def add(team: Team, member: Member) -> None:
    """Add a member, who may then use what is granted to the team."""

    async def work(engine: Engine, caller: Caller) -> None:
        async with opened_team(engine.loom, caller, team, "team add") as opened:
            await opened.add(member)

    with_engine(work)
    typer.echo(f"added {member}")


def remove(team: Team, member: Member) -> None:
    """Remove a member, who loses access at once."""

    async def work(engine: Engine, caller: Caller) -> None:
        async with opened_team(engine.loom, caller, team, "team remove") as opened:
            await opened.remove(member)

    with_engine(work)
    typer.echo(f"removed {member}")


def leave(team: Team) -> None:
    """Leave a team; you lose access at once."""
    with_engine(
        lambda engine, caller: administration.leave(engine.loom, caller, team, "team leave")
    )
    typer.echo(f"left {team}")


def members(team: Team, as_json: AsJson = False) -> None:
    """List the members of a team that you administer, or of a group."""

    async def work(engine: Engine, caller: Caller) -> list[Membership]:
        async with opened_team(engine.loom, caller, team, "team members") as opened:
            return await opened.members()

    found = with_engine(work)
    print_rows([asdict(each) for each in found], lambda: _print_members(found), as_json=as_json)


def _print_members(found: list[Membership]) -> None:
    table = Table("member", "added by", "since")
    for each in found:
        table.add_row(Text(each.member), Text(each.added_by), f"{each.added_at:%Y-%m-%d %H:%M}")
    print_table(table)
