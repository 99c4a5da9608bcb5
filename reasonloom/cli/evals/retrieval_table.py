"""Draws what an eval of recall found."""

from __future__ import annotations

from typing import Any


def draw(result: dict[str, Any]) -> None:
    """Print the means overall, without each signal, and by group, and the latency."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    names = [name for name in result["overall"] if name != "n"]
    table = Table("", "n", *names, title=f"{result['eval']} · {result['embedder']}")
    without = {f"without {name}": means for name, means in result.get("without", {}).items()}
    for group, means in {"overall": result["overall"], **without, **result["groups"]}.items():
        cells = (f"{means[name]:.3f}" if name in means else "" for name in names)
        table.add_row(group, str(means["n"]), *cells)
    console = Console()
    console.print(table)
    if "nothing" in result["groups"]:
        nothing = result["groups"]["nothing"]
        console.print(
            f"nothing to be found: {nothing['nothing_found']:.0%} of {nothing['n']} questions found"
            f" nothing; mean best score {nothing['best_score']:.2f}"
        )
    latency = result["latency_ms"]
    if latency:
        console.print(f"recall: p50 {latency['p50']} ms, p95 {latency['p95']} ms")
