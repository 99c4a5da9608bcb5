"""`reasonloom bench`: speed as ratios to floors measured in the same run."""

import asyncio
import json
import os
import platform
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from reasonloom import __version__
from reasonloom.cli.output import require_output_path, write_output
from reasonloom.evals.bench import (
    eval_core,
    graph_memory,
    memory,
    mental_models,
    reasoning,
    thought_graph,
)
from reasonloom.evals.bench.environment import BenchEngine, bench_engine
from reasonloom.evals.bench.history import ingestion, search
from reasonloom.evals.bench.load import SEED as LOAD_SEED
from reasonloom.evals.bench.server import middleware, replicas, startup
from reasonloom.evals.bench.timing import Figure

OnEngine = Callable[[BenchEngine], Awaitable[list[Figure]]]
LEAST, MOST = 10, 1_000_000
PARTS = (
    "start", "linear", "saving", "memory", "graph", "tree", "sessions", "engine", "ingest",
    "basins", "models", "history", "evals", "middleware", "replicas",
)  # fmt: skip


def bench(
    runs: Annotated[
        int, typer.Option(min=5, max=10_000, help="Repetitions of each measurement.")
    ] = 60,
    starts: Annotated[int, typer.Option(min=3, max=100, help="Server starts to measure.")] = 7,
    sizes: Annotated[
        str, typer.Option(help="Memories or nodes of one owner, such as 1000,10000.")
    ] = "1000",
    owners: Annotated[
        int, typer.Option(min=0, max=10_000, help="Owners that share 100,000 memories.")
    ] = 0,
    steps: Annotated[int, typer.Option(min=1, max=1_000, help="Steps in each session.")] = 10,
    megabytes: Annotated[
        int, typer.Option(min=1, max=1_000, help="Megabytes of transcripts to ingest.")
    ] = 15,
    only: Annotated[
        str, typer.Option(help=f"Only these parts, separated by commas: {', '.join(PARTS)}.")
    ] = "",
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Run benchmarks on temporary databases."""
    settings = {
        "runs": runs, "starts": starts, "sizes": _parse_sizes(sizes), "owners": owners,
        "steps": steps, "megabytes": megabytes, "only": _parse_parts(only),
    }  # fmt: skip
    if output:
        require_output_path("output", output)
    load = os.getloadavg()
    figures = asyncio.run(_measure(settings))
    print_figures(chain(*figures.values()))
    if output:
        write_output("output", output, json.dumps(_report(figures, settings, load), indent=2))


def _parse_sizes(written: str) -> list[int]:
    """Return the sizes given in an option."""
    try:
        sizes = [int(part) for part in written.split(",")]
    except ValueError:
        sizes = [0]
    if not all(LEAST <= size <= MOST for size in sizes):
        raise typer.BadParameter(f"must be numbers from {LEAST} to {MOST:,}, such as 1000,10000")
    return sizes


def _parse_parts(written: str) -> list[str]:
    """Return the parts named in an option, all if it names none."""
    parts = [part.strip() for part in written.split(",") if part.strip()] or list(PARTS)
    if not set(parts) <= set(PARTS):
        raise typer.BadParameter(f"must be some of {', '.join(PARTS)}, separated by commas")
    return parts


async def _measure(settings: dict[str, Any]) -> dict[str, list[Figure]]:
    """Return the figures of each part, in the order of measurement."""
    parts, runs, sizes = settings["only"], settings["runs"], settings["sizes"]
    on_one_engine: dict[str, OnEngine] = {
        "linear": lambda bench: reasoning.measure_linear(bench, runs),
        "saving": lambda bench: reasoning.measure_saving(bench, runs),
        "memory": lambda bench: memory.measure(bench, runs, sizes, settings["owners"]),
        "graph": lambda bench: graph_memory.measure(bench, runs, sizes),
        "ingest": lambda bench: ingestion.measure(bench, settings["megabytes"]),
    }
    on_fresh_engines: dict[str, OnEngine] = {
        "basins": lambda bench: mental_models.measure_basins(bench, sizes),
        "models": lambda bench: mental_models.measure_models(bench, runs),
        "history": lambda bench: search.measure(bench, runs, sizes),
    }
    alone: dict[str, Callable[[], Awaitable[list[Figure]]]] = {
        "start": lambda: startup.measure(settings["starts"]),
        "tree": lambda: reasoning.measure_tree(runs),
        "sessions": lambda: reasoning.measure_sessions(settings["steps"]),
        "engine": lambda: thought_graph.measure(runs),
        "evals": lambda: eval_core.measure(runs),
        "middleware": lambda: middleware.measure(runs),
        "replicas": replicas.measure,
    }
    figures: dict[str, list[Figure]] = {}
    if shared := [part for part in on_one_engine if part in parts]:
        async with bench_engine() as engine:
            for part in shared:
                figures[part] = await on_one_engine[part](engine)
    for part in parts:
        if part in on_fresh_engines:
            async with bench_engine() as engine:
                figures[part] = await on_fresh_engines[part](engine)
        elif part in alone:
            figures[part] = await alone[part]()
    return figures


def _report(
    figures: dict[str, list[Figure]], settings: dict[str, Any], load: Sequence[float]
) -> dict[str, Any]:
    return {
        "reasonloom": __version__,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "date": date.today().isoformat(),
        "load": [round(load[0], 1), round(os.getloadavg()[0], 1)],
        "seed": LOAD_SEED,
        "settings": settings,
        "figures": [
            {"part": part, **asdict(figure), "ratio": figure.ratio, "reached": figure.reached}
            for part, each in figures.items()
            for figure in each
        ],
    }


def print_figures(figures: Iterable[Figure]) -> None:
    """Print figures as a table."""
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
