"""Draws what the eval of outcomes found: how much words decide, how much of that is right."""

from __future__ import annotations

from typing import Any


def draw(result: dict[str, Any]) -> None:
    """Print, for each half, the figures, and which observations were judged wrongly."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console()
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · {result['embedder']}, cosine >= {result['cosine']:.2f}"
        table = Table("by", "", "of", "share", "95 %", "n", title=title)
        for each in found["figures"]:
            ends = " to ".join(f"{100 * end:.0f}" for end in each["interval"] or ())
            value = "-" if each["value"] is None else f"{100 * each['value']:.1f} %"
            table.add_row(each["part"], each["name"], each["of"], value, ends, str(each["n"]))
        console.print(table)
        for each in found["wrong"]:
            console.print(f"wrong: {each['observation']} ({each['kind']}, {each['language']})")
    console.print(result["note"])
