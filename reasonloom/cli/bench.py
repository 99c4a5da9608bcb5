"""`reasonloom bench`: speed as ratios to floors measured in the same run."""

from __future__ import annotations

import asyncio
import json
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.evals.output import require_place, write
from reasonloom.cli.statistics_table import told

if TYPE_CHECKING:
    from reasonloom.evals.bench.timing import Figure

LEAST, MOST = 10, 1_000_000
PARTS = (
    "start", "linear", "saving", "memory", "graph", "tree", "sessions", "engine", "ingest",
    "basins", "models", "history", "evals", "middleware", "replicas",
)  # fmt: skip
STATISTICS = "statistics"
"""A part that is measured only where it is named: it takes minutes, and is of no speed."""

STUDIO = "studio"
"""Another such part: it needs a browser, which no installation brings along."""


def bench(
    runs: Annotated[int, typer.Option(min=5, max=10_000, help="Times each work is timed.")] = 60,
    starts: Annotated[int, typer.Option(min=3, max=100, help="Servers that are started.")] = 7,
    sizes: Annotated[
        str, typer.Option(help="Memories, or nodes, of one owner, such as 1000,10000.")
    ] = "1000",
    owners: Annotated[
        int, typer.Option(min=0, max=10_000, help="Owners of 100,000 memories in mixed sizes.")
    ] = 0,
    steps: Annotated[int, typer.Option(min=1, max=1_000, help="Steps of each session.")] = 10,
    megabytes: Annotated[int, typer.Option(min=1, max=1_000, help="Transcripts ingested.")] = 15,
    only: Annotated[
        str, typer.Option(help=f"Parts, joined by commas: {', '.join(PARTS)}; studio, statistics.")
    ] = "",
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure start, tools, saved steps, work at once; on databases thrown away after."""
    settings = {
        "runs": runs, "starts": starts, "sizes": _numbers(sizes), "owners": owners, "steps": steps,
        "megabytes": megabytes, "only": _parts(only),
    }  # fmt: skip
    parts = _parts(only)
    if output:
        require_place("output", output)
    figures = asyncio.run(_measure(settings))
    if figures:
        _draw(figures)
    statistics = told() if STATISTICS in parts else []
    if output:
        report = {**_report(figures, settings), STATISTICS: statistics}
        write("output", output, json.dumps(report, indent=2))


def _numbers(written: str) -> list[int]:
    """Return the sizes that an option names."""
    try:
        sizes = [int(part) for part in written.split(",")]
    except ValueError:
        sizes = [0]
    if not all(LEAST <= size <= MOST for size in sizes):
        raise typer.BadParameter(f"numbers from {LEAST} to {MOST:,}, joined by commas")
    return sizes


def _parts(written: str) -> list[str]:
    """Return the parts that an option names, all where it names none."""
    parts = [part.strip() for part in written.split(",") if part.strip()] or list(PARTS)
    if not set(parts) <= {*PARTS, STUDIO, STATISTICS}:
        known = ", ".join((*PARTS, STUDIO, STATISTICS))
        raise typer.BadParameter(f"some of {known}, joined by commas")
    return parts


async def _measure(settings: dict[str, Any]) -> list[Figure]:
    from reasonloom.evals.bench import (  # noqa: PLC0415
        eval_core,
        reasoning,
        thought_graph,
        tree,
    )
    from reasonloom.evals.bench.server import middleware, replicas, startup  # noqa: PLC0415

    parts, runs = settings["only"], settings["runs"]
    figures: list[Figure] = []
    if "start" in parts:
        figures += await startup.measure(settings["starts"])
    if {"linear", "saving", "memory", "graph", "ingest"}.intersection(parts):
        figures += await _on_one_ground(settings)
    if "tree" in parts:
        figures += await tree.measure(runs)
    if "sessions" in parts:
        figures += await reasoning.measure(settings["steps"])
    if "engine" in parts:
        figures += await thought_graph.measure(runs)
    if "basins" in parts:
        figures += await _of_basins(settings)
    if "models" in parts:
        figures += await _of_models(runs)
    if "history" in parts:
        figures += await _of_history(settings)
    if "evals" in parts:
        figures += await eval_core.measure(runs)
    if "middleware" in parts:
        figures += await middleware.measure(runs)
    if "replicas" in parts:
        figures += await replicas.measure()
    if STUDIO in parts:
        figures += await _of_the_studio()
    return figures


async def _of_the_studio() -> list[Figure]:
    from reasonloom.evals.bench import studio  # noqa: PLC0415 - needs a browser

    return await studio.measure()


async def _of_models(runs: int) -> list[Figure]:
    from reasonloom.evals.bench import mental_models  # noqa: PLC0415
    from reasonloom.evals.bench.environment import ground  # noqa: PLC0415

    async with ground() as prepared:
        return await mental_models.measure(prepared, runs)


async def _of_history(settings: dict[str, Any]) -> list[Figure]:
    from reasonloom.evals.bench.environment import ground  # noqa: PLC0415
    from reasonloom.evals.bench.history import history  # noqa: PLC0415

    async with ground() as prepared:
        return await history.measure(prepared, settings["runs"], settings["sizes"])


async def _of_basins(settings: dict[str, Any]) -> list[Figure]:
    from reasonloom.evals.bench import basins  # noqa: PLC0415
    from reasonloom.evals.bench.environment import ground  # noqa: PLC0415

    async with ground() as prepared:
        return await basins.measure(prepared, settings["sizes"])


async def _on_one_ground(settings: dict[str, Any]) -> list[Figure]:
    from reasonloom.evals.bench import checkpoints, graph_memory, linear, memory  # noqa: PLC0415
    from reasonloom.evals.bench.environment import ground  # noqa: PLC0415
    from reasonloom.evals.bench.history import ingestion  # noqa: PLC0415

    parts, runs = settings["only"], settings["runs"]
    figures: list[Figure] = []
    async with ground() as prepared:
        if "linear" in parts:
            figures += await linear.measure(prepared, runs)
        if "saving" in parts:
            figures += await checkpoints.measure(prepared, runs)
        if "memory" in parts:
            figures += await memory.measure(prepared, runs, settings["sizes"], settings["owners"])
        if "graph" in parts:
            figures += await graph_memory.measure(prepared, runs, settings["sizes"])
        if "ingest" in parts:
            figures += await ingestion.measure(prepared, settings["megabytes"])
    return figures


def _report(figures: list[Figure], settings: dict[str, Any]) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415

    from reasonloom import __version__  # noqa: PLC0415
    from reasonloom.evals.bench.sentences import SEED  # noqa: PLC0415

    return {
        "reasonloom": __version__,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "seed": SEED,
        "settings": settings,
        "figures": [
            {**asdict(figure), "ratio": figure.ratio, "reached": figure.reached}
            for figure in figures
        ],
    }


def _draw(figures: list[Figure]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table("what", "p50 ms", "p95 ms", "floor ms", "ratio", "goal", "", title="speed")
    for figure in figures:
        table.add_row(
            f"{figure.name}\n[dim]{figure.said}",
            f"{figure.p50:.2f}",
            f"{figure.p95:.2f}",
            f"{figure.floor:.2f}" if figure.floor else "",
            f"{figure.ratio:.2f}" if figure.ratio else "",
            f"{figure.goal:g}" if figure.goal else "",
            {True: "[green]reached", False: "[red]missed", None: ""}[figure.reached],
        )
    Console().print(table)
