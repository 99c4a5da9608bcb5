"""`reasonloom runs list` and `show`: which calls were made, and what one did.

Only the database is imported, so that they start fast.
"""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import RUN_ID, AsJson, Limit
from reasonloom.cli.engine import read_rows
from reasonloom.cli.output import (
    display_id,
    on_terminal,
    print_json,
    print_rows,
    print_table,
    printable,
    right_aligned,
)
from reasonloom.errors import RunNotFound
from reasonloom.nodes.runs.answer_diff import answer_statements
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import complete_id, parse_uuid
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow
from reasonloom.text.plurals import counted
from reasonloom.text.shortening import shortened

STATUS = {"done": "green", "failed": "red", "waiting": "yellow"}
LONGEST_VALUE = 400
"""Characters of an argument that are shown."""

Calls = list[dict[str, Any]]


def list_(limit: Limit = 20, as_json: AsJson = False) -> None:
    """List the newest runs."""
    found = read_rows(runs.newest, limit)
    print_rows(map(asdict, found), lambda: _print_runs(found), as_json=as_json)


def _print_runs(found: list[RunRow]) -> None:
    if not found:
        typer.echo("no runs yet")
        return
    table = Table(
        Column("run", no_wrap=True), "tool", Column("status", no_wrap=True), "started",
        Column("ms", justify="right"), "llm",
    )  # fmt: skip
    for run in found:
        status = Text(run.status, style=STATUS.get(run.status, ""))
        started = run.created_at.astimezone().strftime("%m-%d %H:%M:%S")
        row = (display_id(run.id), run.tool, status, started, _milliseconds(run), run.llm or "")
        table.add_row(*row)
    print_table(table)


def _milliseconds(run: RunRow) -> str:
    return f"{run.latency_ms:.1f}" if run.latency_ms is not None else ""


def show(run: Annotated[str, typer.Argument(help=RUN_ID)], as_json: AsJson = False) -> None:
    """Show a run: its input, its answer or error, and its calls of language models."""
    row, calls = read_rows(_run_with_calls, run)
    if as_json:
        print_json({**asdict(row), "llm_calls": calls})
    else:
        _print_run(row, calls)


async def _run_with_calls(tx: Transaction, given: str) -> tuple[RunRow, Calls]:
    run_id = parse_uuid(await complete_id(tx, "runs", given, field="run"))
    row = await runs.find(tx, run_id) if run_id else None
    if row is None:
        raise RunNotFound(given, field="run")
    return row, (await runs.calls_of(tx, [row.id]))[row.id]


def _print_run(run: RunRow, calls: Calls) -> None:
    console = Console(highlight=False, soft_wrap=not on_terminal())
    status = Text(run.status, style=STATUS.get(run.status, ""))
    console.print(Text.assemble(("run ", "bold"), str(run.id), f"  {run.tool}  ", status))
    facts = {
        "started": run.created_at.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        "took": f"{_milliseconds(run)} ms" if run.latency_ms is not None else "",
        "llm": run.llm,
        "client": run.client,
        "space": run.space,
        "session": run.session_id,
        "fork of": f"{run.fork['origin']} at {run.fork['at']}" if run.fork else "",
    }
    for name, value in facts.items():
        if value:
            console.print(Text.assemble((f"{name:<8}", "dim"), printable(str(value))))
    _print_section(console, "input", _argument_lines(run.input))
    if run.error:
        _print_section(console, "error", [str(run.error.get("message", run.error))], "red")
    elif run.output:
        answer = run.output.get("answer") or {}
        _print_section(console, "answer", answer_statements(answer) or _argument_lines(answer))
    if calls:
        console.print(Text(f"\n{counted(len(calls), 'language-model call')}", style="bold"))
        _print_calls(calls)


def _print_section(console: Console, title: str, lines: list[str], style: str = "") -> None:
    console.print(Text(f"\n{title}", style="bold"))
    for line in lines:
        console.print(Text(printable(line, keep="\n", replacement=" "), style=style))


def _argument_lines(values: dict[str, Any]) -> list[str]:
    return [f"{name}: {shortened(str(value), LONGEST_VALUE)}" for name, value in values.items()]


def _print_calls(calls: Calls) -> None:
    numbers = right_aligned("tokens in", "out", "USD", "ms")
    table = Table("prompt", "version", "model", *numbers)
    for call in calls:
        cost = f"{call['cost_usd']:.4f}" if call["cost_usd"] is not None else "unknown"
        table.add_row(
            str(call["prompt"]), f"v{call['prompt_version']}", str(call["model"]),
            f"{call['tokens_in']:,}", f"{call['tokens_out']:,}", cost, f"{call['latency_ms']:.0f}",
        )  # fmt: skip
    print_table(table)
