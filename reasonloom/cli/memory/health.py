"""`reasonloom memory health`: how many memories there are, and what needs care."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import with_engine
from reasonloom.graphs.runs.call_tool import call_tool

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

KILO = 1024


def health(
    user: Annotated[str | None, typer.Option(help="Whose memories, if not the owner's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Show counts, sizes and what to do about them."""

    async def ask(engine: Engine, caller: Caller) -> dict[str, Any]:
        from reasonloom.contracts.memory.extras import MemoryHealth  # noqa: PLC0415
        from reasonloom.contracts.validation import read  # noqa: PLC0415

        request = read(MemoryHealth, {"userId": user or caller.owner})
        return (await call_tool(engine, caller, "memory_health", request)).answer

    figures = with_engine(ask, user)
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        _draw(figures)


def _draw(figures: dict[str, Any]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console()
    table = Table("", Column("memories", justify="right"), title="memory health")
    for name in ("bySector", "byKind", "byAge"):
        for group, count in figures[name].items():
            if count:
                table.add_row(group, f"{count:,}")
        table.add_section()
    for label, count in _states(figures).items():
        table.add_row(label, f"{count:,}")
    table.add_section()
    table.add_row("all", f"{figures['total']:,}", style="bold")
    console.print(table)
    links = ", ".join(f"{count:,} {kind}" for kind, count in figures["links"].items()) or "none"
    console.print(f"size: {_sized(figures['bytes'])}   sessions: {figures['sessions']:,}")
    console.print(f"links: {links}")
    if figures["largest"]:
        console.print("largest:")
    for large in figures["largest"]:
        console.print(
            Text(f"  {large['id']}, about {large['tokens']:,} tokens: {large['excerpt']}")
        )
    for hint in figures["hints"]:
        console.print(
            Text(f"- {hint['finding']}: {hint['command']}", style="yellow"), soft_wrap=True
        )


def _states(figures: dict[str, Any]) -> dict[str, int]:
    return {
        "hidden (not counted above)": figures["hidden"],
        "weak (strength below 0.1)": figures["weak"],
        "never read": figures["neverRead"],
        "stored more than once": figures["duplicates"]["surplus"],
        "without vectors": figures["withoutVectors"],
        **{f"vectors of {model}": count for model, count in figures["otherModels"].items()},
    }


def _sized(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < KILO:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= KILO
    return f"{size:.1f} GiB"
