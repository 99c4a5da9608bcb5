"""Draws what the eval of triggers found: F1 beside its baselines, and figures by kind."""

from __future__ import annotations

from typing import Any


def draw(result: dict[str, Any]) -> None:
    """Print, for each half, the figures, and which messages were judged wrongly."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console()
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · {result['embedder']}"
        table = Table("", "of", "share", "95 %", "n", title=title)
        table.add_row("F1", "all", _told(found["f1"]), "", "")
        table.add_row("F1", "words alone", _told(found["f1_words"]), "", "")
        table.add_row("F1", f"cosine >= {result['cosine']:.2f}", _told(found["f1_cosine"]), "", "")
        table.add_row("precision", "all", _told(found["precision"]), "", "")
        table.add_row("recall", "all", _told(found["recall"]), "", "")
        for each in found["figures"]:
            ends = " to ".join(f"{100 * end:.0f}" for end in each["interval"] or ())
            table.add_row(each["name"], each["of"], _told(each["value"]), ends, str(each["n"]))
        console.print(table)
        console.print(f"F1 of at least 80 %: {'met' if found['met'] else 'missed'}")
        for each in found["wrong"]:
            console.print(f"wrong: {each['message']} ({each['kind']}), fired {each['fired']}")
    console.print(result["note"])


def _told(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
