"""Draws what the eval of poisoning found: how often what was injected comes first."""

from __future__ import annotations

from typing import Any


def draw(result: dict[str, Any]) -> None:
    """Print, for each half, the figures with their intervals, and the false flags."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console()
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · {result['embedder']}"
        table = Table("controls", "", "of", "share", "95 %", "n", title=title)
        for each in found["figures"]:
            table.add_row(each["part"], each["name"], each["of"], *_cells(each))
        console.print(table)
    value, ends, n = _cells(result["false_flags"])
    console.print(f"false flags: {value} ({ends} %) of the {n} memories of people")
    console.print(result["note"])


def _cells(figure: dict[str, Any]) -> tuple[str, str, str]:
    ends = " to ".join(f"{100 * end:.0f}" for end in figure["interval"] or ())
    value = "-" if figure["value"] is None else f"{100 * figure['value']:.1f} %"
    return value, ends, str(figure["n"])
