"""`reasonloom runs resume` and `fork`, and `reasonloom answer`: continue and repeat runs."""

import asyncio
import json
import sys
from collections import Counter
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from reasonloom.cli.arguments import RUN_ID, AsJson, parse_versions
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import print_answer, print_json, printable
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.runs import ReasoningAnswer
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import Conflict, InvalidArgument
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.fork import Fork
from reasonloom.graphs.runs.resume import find_run, resume_run
from reasonloom.nodes.runs.answer_diff import answer_statements, difference
from reasonloom.server.questions import needs_answers
from reasonloom.stores.identifiers import complete_id
from reasonloom.stores.runs import runs

DECLINE = "/decline"
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def resume(run: Annotated[str, typer.Argument(help=RUN_ID)]) -> None:
    """Resume an unfinished run, and print its answer or its open questions as JSON."""

    async def again(engine: Engine, caller: Caller) -> dict[str, Any]:
        wanted = await _complete(engine, caller, run)
        return _result(engine, await resume_run(engine, caller, wanted))

    print_json(with_engine(again))


async def _complete(engine: Engine, caller: Caller, run: str) -> str:
    """Return the id that `run` is, or begins."""
    async with engine.loom.database.begin(caller) as tx:
        return await complete_id(tx, "runs", run, field="run")


def answer(
    run: Annotated[str, typer.Argument(help="The id of a waiting run, or a prefix of it.")],
    replies: Annotated[
        Path | None,
        typer.Option(
            "--replies", metavar="FILE", help="JSON list of replies, as for `reasoning_answer`."
        ),
    ] = None,
    check: Annotated[
        str, typer.Option(help="Who checked the replies: self-judged or independent.")
    ] = "independent",
) -> None:
    """Answer the questions of a waiting run, typed or from a file."""
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
    run = await _complete(engine, caller, run)
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
    run = await _complete(engine, caller, run)
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
            console.print(
                Text(f"Type the reply, then an empty line; {DECLINE} declines:", style="dim")
            )
            typed = await asyncio.to_thread(_typed)
            if not typed:
                raise Conflict(f"{each.id} has no reply; the run waits: reasonloom answer {run}")
            replies.append(GivenReply(each.id, None if typed == DECLINE else typed))
        outcome = (await answer_run(engine, caller, run, Given(replies, check))).outcome
    return outcome.answer


def _typed() -> str:
    """Return the lines typed before an empty line or the end of input; "" if there are none."""
    return "\n".join(line.rstrip("\n") for line in takewhile(str.strip, sys.stdin))


def fork(
    run: Annotated[str, typer.Argument(help=RUN_ID)],
    at: Annotated[str, typer.Option("--at", help="The step to start from.")],
    prompt: Annotated[
        list[str] | None,
        typer.Option("--prompt", metavar="NAME=VERSION", help="Prompt version to use; repeatable."),
    ] = None,
    llm: Annotated[
        str | None, typer.Option("--llm", help="Language model, as in REASONLOOM_LLM.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rerun a run from one of its steps, and compare both answers."""
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
    unused = [f"the fork did not use {name}" for name in prompts if name not in used]
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
    for line in found["difference"] or ["none: both answers are the same"]:
        console.print(Text(printable(line, keep="\n"), style=STYLES.get(line[:1], "")))
    for note in found["notes"]:
        console.print(Text(printable(f"note: {note}", keep="\n"), style="dim"))


def _prompt_counts(calls: list[dict[str, Any]]) -> list[str]:
    """Return each prompt with its version and the number of its calls."""
    counts = Counter(f"{call['prompt']} v{call['version']}" for call in calls)
    return [f"{name} x{count}" if count > 1 else name for name, count in counts.items()]
