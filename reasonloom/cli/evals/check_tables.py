"""Draws what an eval of the checks found: goals first, then every figure, half beside half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 132
NOTE = (
    "Intervals are of 95 % (Wilson). guess: by lot; majority: the set's most frequent label, always"
    " told; both on the same items. Every label was given once, by one writer."
)
Half = dict[str, Any]


def draw(result: dict[str, Any]) -> None:
    """Print the goals and whether they are met, all figures, and the frameworks' confusion."""
    from rich.console import Console  # noqa: PLC0415

    console = Console()
    if not console.is_terminal and console.width < WIDTH:
        console = Console(width=WIDTH)
    halves: dict[str, Half] = result["halves"]
    console.print(_goals(result, halves))
    console.print(_figures(halves))
    for half, found in halves.items():
        if found["confusion"]["frameworks"]:
            console.print(_confusion(half, found["confusion"]["frameworks"]))
    console.print(NOTE)
    console.print(result["note"])


def _goals(result: dict[str, Any], halves: dict[str, Half]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    columns = (name for half in halves for name in (half, "95 %", "n", ""))
    title = f"{result['eval']} · llm {result['llm']} · {result['embedder']}"
    table = Table("", "goal", *columns, "guess", "majority", title=title)
    for each in _beside(halves):
        first = each[0]
        if "goal" in first:
            cells = (cell for one in each for cell in (*_cells(one), _met(one)))
            table.add_row(_named(first), first["goal"], *cells, *_guesses(first))
    return table


def _figures(halves: dict[str, Half]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    columns = (name for half in halves for name in (half, "95 %", "n"))
    table = Table("", "of", *columns, "guess", "majority", title="all figures")
    part = ""
    for each in _beside(halves):
        first = each[0]
        if part and part != first["part"]:
            table.add_section()
        part = first["part"]
        cells = (cell for one in each for cell in _cells(one))
        table.add_row(f"{part}: {first['name']}", first["of"], *cells, *_guesses(first))
    return table


def _confusion(half: str, counts: dict[str, dict[str, int]]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table("label", "told", title=f"frameworks, {half}: what each was taken for")
    for label, told in counts.items():
        most_first = sorted(told.items(), key=lambda each: -each[1])
        table.add_row(label, ", ".join(f"{name} {count}" for name, count in most_first))
    return table


def _beside(halves: dict[str, Half]) -> Iterator[Sequence[dict[str, Any]]]:
    """Yield each figure as it is in every half; all halves have the same classes."""
    by_half = [
        {(each["part"], each["name"], each["of"]): each for each in found["figures"]}
        for found in halves.values()
    ]
    for place in by_half[0]:
        if all(place in found for found in by_half):
            yield [found[place] for found in by_half]


def _cells(figure: dict[str, Any]) -> tuple[str, str, str]:
    interval = figure["interval"]
    ends = " to ".join(f"{100 * end:.0f}" for end in interval) if interval else ""
    return _value(figure["value"], figure["unit"]), ends, str(figure["n"])


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:.2f} ms" if unit == "ms" else f"{value:.2f}"


def _guesses(figure: dict[str, Any]) -> tuple[str, ...]:
    return tuple(
        _value(figure[name], figure["unit"]) if figure[name] is not None else ""
        for name in ("guess", "majority")
    )


def _met(figure: dict[str, Any]) -> str:
    return "met" if figure["met"] else "missed"


def _named(figure: dict[str, Any]) -> str:
    of = "" if figure["of"] == "all" else f", {figure['of']}"
    return f"{figure['part']}: {figure['name']}{of}"
