"""Draws what the eval of history found: chains by kind, moments, in both forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 120
INTERVALS = "Intervals are of 95 % (Wilson). Every label was given once, by one writer."
SHOWN = ("problem", "solution", "share", "pure", "strayed", "pieces", "chain", "tokens")
COUNTS = {"strayed", "pieces"}
ASKED = {
    "other": "in wholly other words than the sessions",
    "plain": "as who half remembers it, with a word or two of the project",
}


def draw(result: dict[str, Any]) -> None:
    """Print a table of chains for each form, and what was foretold of the moments."""
    from rich.console import Console  # noqa: PLC0415

    console = Console()
    if not console.is_terminal and console.width < WIDTH:
        console = Console(width=WIDTH)
    for form, found in result["forms"].items():
        title = f"{result['eval']}, {result['half']}, {form} · {result['embedder']}"
        console.print(_chains(title, found))
        moments, took = found["moments"], found["latency_ms"]
        console.print(
            f"moments: {moments['n']}, foretold {_percent(moments.get('foretold'))}; "
            f"a call takes {took.get('p50')} ms (median), {took.get('p95')} ms (p95)"
        )
    console.print(f"asked: {result['asked']}, {ASKED[result['asked']]}; moments have one wording")
    console.print(INTERVALS)
    console.print(result["note"])


def _chains(title: str, found: dict[str, Any]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table("kind", "n", "right", "95 %", *SHOWN, title=title)
    for name, each in (*found["kinds"].items(), ("all", found["all"])):
        ends = " to ".join(f"{100 * end:.0f}" for end in each.get("interval", ()))
        table.add_row(
            name, str(each["n"]), _percent(each.get("right")), ends,
            *(_told(column, each.get(column)) for column in SHOWN),
        )  # fmt: skip
    return table


def _told(column: str, value: float | None) -> str:
    if value is None:
        return ""
    if column == "tokens":
        return f"{value:.0f}"
    return f"{value:.1f}" if column in COUNTS else _percent(value)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"
