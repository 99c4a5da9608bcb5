"""`reasonloom capacity`: estimates what serves a number of owners, and checks the arithmetic."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.output import print_answer, print_table, right_aligned
from reasonloom.evals.scale.check import Check, check_replicas, check_workers, processors
from reasonloom.evals.scale.costs import Costs, read_costs
from reasonloom.evals.scale.simulation import Demand, Estimate, Prices, estimate

PROFILES = {
    "one person": Demand(1, 5_000, 20),
    "a team": Demand(200, 5_000, 20),
    "a company": Demand(20_000, 2_000, 10, active=0.5),
    "a service": Demand(1_000_000, 500, 20, active=0.05),
}
GOAL = 0.25
"""By what share a prediction may be off."""

ASSUMED = (
    "estimated from measured costs, assumed times in Postgres and assumed prices; memories and "
    "calls per owner are drawn from a lognormal distribution, the peak is three times the average "
    "hour"
)


def capacity(
    owners: Annotated[
        int | None, typer.Option(min=1, max=10_000_000, help="Owners. Default: four profiles.")
    ] = None,
    memories: Annotated[
        float, typer.Option(min=1, max=1_000_000, help="Average memories of an owner.")
    ] = 500,
    calls_per_hour: Annotated[
        float, typer.Option(min=0.001, max=3_600, help="Average calls of an active owner.")
    ] = 20,
    active: Annotated[
        float, typer.Option(min=0.0001, max=1, help="Share of the owners active in an hour.")
    ] = 1.0,
    core_price: Annotated[
        float, typer.Option(min=0, help="US dollars a month per processor.")
    ] = 25,
    disk_price: Annotated[float, typer.Option(min=0, help="US dollars a month per GB.")] = 0.12,
    costs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON with costs measured elsewhere.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare predictions with servers started here.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Estimate machines, Postgres size and cost for a number of owners."""
    known = read_costs(costs) if costs else Costs()
    if check:
        done = asyncio.run(_checked())
        print_answer(done, lambda _: _print_checks(done), as_json=as_json)
        raise typer.Exit(0 if all(abs(each.off) <= GOAL for each in done) else 1)
    demands = dict(PROFILES)
    if owners is not None:
        demands = {"yours": Demand(owners, memories, calls_per_hour, active)}
    prices = Prices(core_price, disk_price)
    found = {name: estimate(each, known, prices) for name, each in demands.items()}
    answer = {
        "estimates": [
            {"profile": name, **asdict(demands[name]), **_estimated(each)}
            for name, each in found.items()
        ],
        "note": ASSUMED,
    }
    print_answer(answer, lambda _: _print_estimates(demands, found), as_json=as_json)


async def _checked() -> list[Check]:
    return [*await check_replicas(), *await check_workers()]


def _estimated(found: Estimate) -> dict[str, Any]:
    values = asdict(found)
    return {**values, "calls_per_second": values.pop("calls")}


def _print_estimates(demands: dict[str, Demand], found: dict[str, Estimate]) -> None:
    names = ("owners", "calls/s", "replicas", "Postgres", "its cores", "GB", "indexed", "$/month")
    table = Table("profile", *right_aligned(*names))
    for name, each in found.items():
        table.add_row(
            Text(name), f"{demands[name].owners:,}", f"{each.calls:,.1f}", f"{each.replicas:,}",
            f"{each.databases:,}", f"{each.postgres_cores:,.1f}", f"{each.gigabytes:,.1f}",
            f"{each.indexed:,}", f"{each.usd:,.0f}",
        )  # fmt: skip
    print_table(table)
    typer.echo(ASSUMED)


def _print_checks(done: list[Check]) -> None:
    names = ("processes", "available", "ms own", "ms Postgres", "predicted/s", "measured/s", "off")
    table = Table("what", *right_aligned(*names))
    for each in done:
        sample = each.sample
        table.add_row(
            Text(each.what), f"{sample.count}", f"{sample.available:.2f}",
            f"{sample.own * 1000:.1f}", f"{sample.postgres * 1000:.1f}",
            f"{each.predicted:.1f}", f"{sample.rate:.1f}", f"{each.off:+.0%}",
        )  # fmt: skip
    print_table(table)
    typer.echo(f"{processors()} processors; the first of each kind is what the others follow from")
