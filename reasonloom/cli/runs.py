"""`reasonloom runs`: list, show, resume and fork runs."""

import asyncio
import json
import sys
from collections import Counter
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.engine import read_rows, with_engine
from reasonloom.cli.output import print_answer, print_json, print_json_line, printable
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.runs import ReasoningAnswer
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.fork import Fork
from reasonloom.graphs.runs.resume import find_run, resume_run
from reasonloom.nodes.runs.answer_diff import answer_statements, difference
from reasonloom.server.questions import needs_answers
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow

STYLES = {"+": "green", "-": "red", "@": "cyan"}


def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the newest runs."""
    found = read_rows(runs.newest, limit)
    if not as_json:
        _print_runs(found)
        return
    for run in found:
        print_json_line(asdict(run))


def show(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Show one run with the calls of the language model that it made, as JSON."""

    async def one(engine: Engine, caller: Caller) -> dict[str, Any]:
        row = await find_run(engine, caller, run)
        async with engine.loom.database.begin(caller) as tx:
            calls = await runs.calls_of(tx, [row.id])
        return {**asdict(row), "llm_calls": calls[row.id]}

    print_json(with_engine(one))


def resume(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Take up an unfinished run where it stopped, and print its answer or what it asks."""

    async def again(engine: Engine, caller: Caller) -> dict[str, Any]:
        return _result(engine, await resume_run(engine, caller, run))

    print_json(with_engine(again))


def answer(
    run: Annotated[str, typer.Argument(help="The id of a run that waits.")],
    replies: Annotated[
        Path | None,
        typer.Option(
            "--replies",
            metavar="FILE",
            help="JSON list, as `reasoning_answer` takes it.",
        ),
    ] = None,
    check: Annotated[str, typer.Option(help="self-judged or independent.")] = "independent",
) -> None:
    """Be the model that a waiting run asks: type the replies, or give them in a file."""
    given = None if replies is None else _read_replies(replies, check)
    if given is None:
        print_json(with_engine(lambda engine, caller: _answer_by_hand(engine, caller, run, check)))
    else:
        print_json(with_engine(lambda engine, caller: _answer_once(engine, caller, run, given)))


def _read_replies(file: Path, check: str) -> ReasoningAnswer:
    try:
        answers = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidArgument(
            '--replies: must name a file with a JSON list, such as [{"id": "r1q1", "reply": {}}]',
            field="replies",
        ) from None
    return parse_request(ReasoningAnswer, {"run_id": "run", "answers": answers, "check": check})


async def _answer_once(
    engine: Engine, caller: Caller, run: str, given: ReasoningAnswer
) -> dict[str, Any]:
    """Return the next questions, or the run's answer."""
    replies = [GivenReply(each.id, each.reply) for each in given.answers]
    return _result(
        engine, (await answer_run(engine, caller, run, Given(replies, given.check))).outcome
    )


def _result(engine: Engine, outcome: Outcome) -> dict[str, Any]:
    """Return a run's answer, or its open questions."""
    if outcome.round is None:
        return outcome.answer
    most = engine.loom.settings.output_tokens
    return needs_answers(outcome.run_id, outcome.round, most).wire()


async def _answer_by_hand(engine: Engine, caller: Caller, run: str, check: str) -> dict[str, Any]:
    """Print each question and read its reply, until the run has an answer."""
    console = Console(soft_wrap=True)
    outcome = (await answer_run(engine, caller, run, Given([]))).outcome
    while outcome.round is not None:
        replies = []
        for each in outcome.round.questions:
            error = outcome.round.misfits.get(each.id)
            console.print(Text(f"{each.id} {each.role}", style="bold"))
            console.print(Text(printable(each.system_text, keep="\n"), style="dim"))
            console.print(Text(printable(each.user_text, keep="\n")))
            if error:
                console.print(Text(printable(error), style="red"))
            console.print(Text("Reply, then an empty line; nothing declines:", style="dim"))
            typed = await asyncio.to_thread(_typed)
            replies.append(GivenReply(each.id, typed or None))
        outcome = (await answer_run(engine, caller, run, Given(replies, check))).outcome
    return outcome.answer


def _typed() -> str:
    """Return the lines typed before an empty line or the end of input."""
    return "\n".join(line.rstrip("\n") for line in takewhile(str.strip, sys.stdin))


def _print_runs(found: list[RunRow]) -> None:
    table = Table("began", Column("run", no_wrap=True, min_width=36), "tool", "status", "ms", "llm")
    for run in found:
        took = f"{run.latency_ms:.1f}" if run.latency_ms is not None else ""
        began = run.created_at.strftime("%m-%d %H:%M:%S")
        table.add_row(began, str(run.id), run.tool, run.status, took, run.llm or "")
    Console().print(table)


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
    prompts = dict(parse_versions(prompt or []))
    found = with_engine(
        lambda engine, caller: _compare_fork(engine, caller, run, at, prompts), llm=llm
    )
    print_answer(found, _print_fork, as_json=as_json)


async def _compare_fork(
    engine: Engine, caller: Caller, run: str, at: str, prompts: dict[str, int]
) -> dict[str, Any]:
    row = await find_run(engine, caller, run)
    outcome = await engine.fork(caller.within(row.space or None), row, Fork(at, prompts))
    origin = await _run_summary(engine, caller, run)
    again = await _run_summary(engine, caller, str(outcome.run_id))
    used = {call["prompt"] for call in again["prompts"]}
    unused = [f"the fork did not ask {name}" for name in prompts if name not in used]
    return {
        "at": at,
        "origin": origin,
        "fork": again,
        "difference": difference(origin["answer"], again["answer"]),
        "notes": [*outcome.notes, *unused],
    }


async def _run_summary(engine: Engine, caller: Caller, run: str) -> dict[str, Any]:
    """Return the model and prompts of a run, and its answer or error."""
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


def _print_fork(found: dict[str, Any]) -> None:
    console = Console(soft_wrap=True)
    for name in ("origin", "fork"):
        run = found[name]
        prompts = ", ".join(_prompt_counts(run["prompts"]))
        head = f"{name}  {run['run_id']}  {run['status']}  {run['llm']}  {prompts}"
        console.print(Text(head, style="bold"))
        answer = "\n".join(answer_statements(run["answer"]))
        text = run["error"]["message"] if run["error"] else answer
        console.print(Text(printable(text, keep="\n")), "")
    console.print(Text("difference", style="bold"))
    for line in found["difference"] or ["none: both say the same"]:
        console.print(Text(printable(line, keep="\n"), style=STYLES.get(line[:1], "")))
    for note in found["notes"]:
        console.print(Text(printable(f"note: {note}", keep="\n"), style="dim"))


def _prompt_counts(calls: list[dict[str, Any]]) -> list[str]:
    """Return each prompt with its version and the number of its calls."""
    counts = Counter(f"{call['prompt']} v{call['version']}" for call in calls)
    return [f"{name} x{count}" if count > 1 else name for name, count in counts.items()]
