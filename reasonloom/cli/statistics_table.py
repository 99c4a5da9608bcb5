"""`reasonloom bench --only statistics`: the statistics of evals against known answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


def told() -> list[dict[str, Any]]:
    """Measure, print each figure as soon as it is known, and return all."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    from reasonloom.evals.comparison.calibration import REPETITIONS, SEED, measure  # noqa: PLC0415

    console, found = Console(soft_wrap=True, highlight=False), []
    console.print(f"statistics: {REPETITIONS:,} repetitions, seed {SEED}", style="bold")
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        for share in measure(
            lambda what, done, total: progress.update(
                task, description=what, completed=done, total=total
            )
        ):
            console.print(
                f"{share.what}: {share.per_cent:.2f} % ± {share.error:.2f}"
                f" (goal {share.least:g} to {share.most:g}: {_said(share.reached)})"
                f"\n  {share.said}",
                style=None if share.reached else "red",
            )
            found.append({**asdict(share), "reached": share.reached})
    return found


def _said(reached: bool) -> str:
    return "reached" if reached else "missed"
