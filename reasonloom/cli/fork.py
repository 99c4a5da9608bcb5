"""`reasonloom runs fork`: a saved run once more from one of its steps, with something changed."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import with_engine
from reasonloom.cli.prompt_names import versions_given
from reasonloom.nodes.runs.answer_diff import difference, said

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

STYLES = {"+": "green", "-": "red", "@": "cyan"}


def fork(
    run: Annotated[str, typer.Argument(help="The run's id.")],
    at: Annotated[str, typer.Option("--at", help="The node from which on it is run again.")],
    prompt: Annotated[
        list[str] | None,
        typer.Option("--prompt", metavar="NAME=VERSION", help="Version of a prompt; repeatable."),
    ] = None,
    llm: Annotated[str | None, typer.Option("--llm", help="Model, as REASONLOOM_LLM.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Run a saved run again from before a node; the origin stays, and both are compared."""
    prompts = dict(versions_given(prompt or []))

    async def work(engine: Engine, caller: Caller) -> dict[str, Any]:
        return await _compared(engine, caller, run, at, prompts)

    found = with_engine(work, llm=llm)
    if as_json:
        typer.echo(json.dumps(found, default=str, ensure_ascii=False, indent=2))
        return
    _draw(found)


async def _compared(
    engine: Engine, caller: Caller, run: str, at: str, prompts: dict[str, int]
) -> dict[str, Any]:
    from reasonloom.graphs.runs.fork import Fork  # noqa: PLC0415
    from reasonloom.graphs.runs.recovery import find_run  # noqa: PLC0415

    row = await find_run(engine, caller, run)
    outcome = await engine.fork(caller.within(row.space or None), row, Fork(at, prompts))
    origin = await _told(engine, caller, run)
    again = await _told(engine, caller, str(outcome.run_id))
    asked = {call["prompt"] for call in again["prompts"]}
    unused = [f"the fork did not ask {name}" for name in prompts if name not in asked]
    return {
        "at": at,
        "origin": origin,
        "fork": again,
        "difference": difference(origin["answer"], again["answer"]),
        "notes": [*outcome.notes, *unused],
    }


async def _told(engine: Engine, caller: Caller, run: str) -> dict[str, Any]:
    """Return what a run used and answered."""
    from reasonloom.graphs.runs.recovery import find_run  # noqa: PLC0415
    from reasonloom.stores.runs import runs  # noqa: PLC0415

    row = await find_run(engine, caller, run)
    async with engine.loom.database.begin(caller) as tx:
        calls = (await runs.calls_of(tx, [row.id]))[row.id]
    return {
        "run_id": str(row.id),
        "tool": row.tool,
        "status": row.status,
        "llm": row.llm,
        "prompts": [
            {"prompt": call["prompt"], "version": call["prompt_version"], "model": call["model"]}
            for call in calls
        ],
        "answer": (row.output or {}).get("answer"),
        "error": row.error,
    }


def _draw(found: dict[str, Any]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(soft_wrap=True)
    for name in ("origin", "fork"):
        told = found[name]
        prompts = ", ".join(_counted(told["prompts"]))
        head = f"{name}  {told['run_id']}  {told['status']}  {told['llm']}  {prompts}"
        console.print(Text(head, style="bold"))
        text = told["error"]["message"] if told["error"] else "\n".join(said(told["answer"]))
        console.print(Text(_plain(text)), "")
    console.print(Text("difference", style="bold"))
    for line in found["difference"] or ["none: both say the same"]:
        console.print(Text(_plain(line), style=STYLES.get(line[:1], "")))
    for note in found["notes"]:
        console.print(Text(f"note: {_plain(note)}", style="dim"))


def _counted(calls: list[dict[str, Any]]) -> list[str]:
    """Return each prompt with its version, and how often it was asked."""
    counts = Counter(f"{call['prompt']} v{call['version']}" for call in calls)
    return [f"{name} x{count}" if count > 1 else name for name, count in counts.items()]


def _plain(text: str) -> str:
    """Return a text without what would steer a terminal."""
    return "".join(each for each in text if each.isprintable() or each == "\n")
