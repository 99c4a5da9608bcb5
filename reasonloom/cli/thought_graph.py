"""`reasonloom graph`: run a plan of Graph of Thoughts operations, and look at a graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import progress, with_engine
from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.graphs.runs.graphs_call import Outcome
    from reasonloom.nodes.thought_graph.graph import WholeGraph

app = typer.Typer(help="Run and look at Graphs of Thoughts.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, to be read by programs.")]
SUFFIX = ".json"


@app.command()
def run(
    problem: Annotated[str, typer.Argument(help="What is to be solved.")],
    plan: Annotated[str, typer.Option(help="A packaged plan, or a JSON file.")] = "explore",
    session: Annotated[str | None, typer.Option(help="Session to think in (default new).")] = None,
    llm: Annotated[str | None, typer.Option(help="Language model for this run.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a plan on a problem, keep the graph, and draw it."""
    given = _plan(plan)

    async def work(engine: Engine, caller: Caller) -> tuple[Outcome, WholeGraph]:
        from reasonloom.nodes.thought_graph.graph import read  # noqa: PLC0415

        outcome = await _run(engine, caller, {"problem": problem, "plan": given}, session)
        async with engine.loom.database.begin(caller) as tx:
            return outcome, await read(tx, outcome.answer["graph_id"])

    outcome, graph = with_engine(work, llm=llm)
    if as_json:
        told = {**outcome.answer, "notes": outcome.notes}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    from rich.console import Console  # noqa: PLC0415

    from reasonloom.cli.graph_tree import drawn, summed  # noqa: PLC0415

    console = Console()
    console.print(drawn(graph))
    console.print(summed(outcome.answer, outcome.notes))


@app.command()
def show(
    graph: Annotated[str, typer.Argument(help="The graph's id.")],
    mermaid: Annotated[bool, typer.Option("--mermaid", help="As a Mermaid drawing.")] = False,
) -> None:
    """Draw one graph: its nodes with scores, what they came from, and what was pruned."""

    async def work(engine: Engine, caller: Caller) -> WholeGraph:
        from reasonloom.nodes.thought_graph.graph import read  # noqa: PLC0415

        async with engine.loom.database.begin(caller) as tx:
            return await read(tx, graph)

    found = with_engine(work)
    if mermaid:
        from reasonloom.nodes.thought_graph.picture import drawing  # noqa: PLC0415

        typer.echo(drawing(found))
        return
    from rich.console import Console  # noqa: PLC0415

    from reasonloom.cli.graph_tree import drawn  # noqa: PLC0415

    Console().print(drawn(found))


@app.command()
def plans(
    name: Annotated[str | None, typer.Argument(help="Print this one.")] = None,
) -> None:
    """List the packaged plans, or print one, to begin one's own from."""
    from reasonloom.nodes.thought_graph.operations.plans import names, packaged  # noqa: PLC0415

    if name is None:
        typer.echo("\n".join(names()))
        return
    told = packaged(name).model_dump(exclude_none=True, exclude_defaults=True)
    typer.echo(json.dumps(told, ensure_ascii=False, indent=2))


def _plan(given: str) -> str | dict[str, Any]:
    """Return a packaged plan's name as it is, and what a file holds.

    Raises:
        InvalidArgument: the file cannot be read, or holds no JSON object.
    """
    if not given.endswith(SUFFIX):
        return given
    try:
        plan = json.loads(Path(given).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidArgument("plan: the file cannot be read as JSON", field="plan") from None
    if not isinstance(plan, dict):
        raise InvalidArgument("plan: the file must hold a JSON object", field="plan")
    return plan


async def _run(
    engine: Engine, caller: Caller, request: dict[str, Any], session: str | None
) -> Outcome:
    from reasonloom.contracts.thought_graph.got_run import GotRun  # noqa: PLC0415
    from reasonloom.contracts.validation import read  # noqa: PLC0415
    from reasonloom.graphs.graph import load_graph  # noqa: PLC0415
    from reasonloom.graphs.runs.call import Step  # noqa: PLC0415
    from reasonloom.graphs.runs.graphs_call import Call  # noqa: PLC0415

    if session is not None:
        request = {**request, "session_id": session}
    asked = read(GotRun, request).model_dump(mode="json", exclude_unset=True)
    with progress("run") as tell:

        async def report(step: Step) -> None:
            tell(step.ended, step.total)

        graph = load_graph("got_run")
        return await engine.call(Call("reasoning_got_run", graph, asked, caller, report=report))
