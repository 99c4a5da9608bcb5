"""Draws what the eval of grounding found: goals, figures beside counting words, what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 120
INTERVALS = "Intervals are of 95 % (Wilson). Every label was given once, by one writer."
Half = dict[str, Any]


def draw(result: dict[str, Any]) -> None:
    """Print, for each half, the goals, all figures, and the claims that were judged wrongly."""
    from rich.console import Console  # noqa: PLC0415

    console = Console()
    if not console.is_terminal and console.width < WIDTH:
        console = Console(width=WIDTH)
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · llm {result['llm']} · {result['embedder']}"
        console.print(_figures(title, found))
        console.print(_goals(half, found))
        console.print(_wrong(half, found))
    console.print(INTERVALS)
    console.print(result["note"])


def _goals(half: str, found: Half) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table("goal", "", "value", title=f"{half}: goals {'met' if found['met'] else 'missed'}")
    for name, each in found["goals"].items():
        value = each["value"]
        table.add_row(
            name, each["goal"], f"{value:.1%}" if isinstance(value, float) else str(value)
        )
    return table


def _figures(title: str, found: Half) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table("", "of", "share", "95 %", "n", "overlap", title=title)
    for each in found["figures"]:
        ends = " to ".join(f"{100 * end:.0f}" for end in each["interval"] or ())
        table.add_row(
            each["name"], each["of"], _told(each["value"]), ends, str(each["n"]),
            _told(each["overlap"]),
        )  # fmt: skip
    table.add_row("median call", "", f"{found['median_ms']} ms", "", "", "")
    return table


def _wrong(half: str, found: Half) -> Table:
    from rich.table import Table  # noqa: PLC0415

    counted: dict[tuple[str, str], int] = {}
    for each in found["wrong"]:
        key = (each["kind"], each["said"])
        counted[key] = counted.get(key, 0) + 1
    table = Table("kind", "said", "claims", title=f"{half}: judged wrongly")
    for (kind, said), count in sorted(counted.items(), key=lambda each: -each[1]):
        table.add_row(kind, said, str(count))
    return table


def _told(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
