"""`reasonloom graph`: runs a plan of Graph of Thoughts operations, and displays a graph."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.engine import read_rows, with_engine
from reasonloom.cli.output import print_json, print_lines, print_rows, progress
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.thought_graph.plans import GotRun
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome, Step
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.thought_graph.graph import ThoughtGraph, read_graph
from reasonloom.nodes.thought_graph.operations.plans import packaged_plan, plan_names
from reasonloom.nodes.thought_graph.picture import drawing
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import complete_id
from reasonloom.stores.thought_graph.graph_nodes import NodeRow
from reasonloom.text.shortening import shortened

LEGEND = "number  score  check  (dim: pruned or beaten)"
STYLES = {"root": "bold", "terminal": "bold green", "aggregation": "cyan", "refinement": "magenta"}
UNSCORED = " -- "


def graph_tree(graph: ThoughtGraph) -> Tree:
    """Return the graph as a tree.

    A node with several parents is a child of the last of them, and names the others.
    """
    row = graph.row
    title = Text.assemble(
        ("graph ", "bold"), str(row.id), f"  {len(graph.nodes)} nodes, {len(graph.edges)} edges",
        "  finalized" if row.finalized_at else "", "\n", (LEGEND, "dim"),
    )  # fmt: skip
    tree = Tree(title, guide_style="dim")
    places: dict[UUID, Tree] = {}
    for node in graph.nodes:
        parents = sorted(graph.parents[node.id], key=lambda each: graph.by_id[each].number)
        there = [parent for parent in parents if parent in places]
        place = places[there[-1]] if there else tree
        places[node.id] = place.add(_node(graph, node, there[:-1]))
    return tree


def _node(graph: ThoughtGraph, node: NodeRow, others: list[UUID]) -> Text:
    dim = "" if node.is_active else "dim"
    score = UNSCORED if node.score is None else f"{node.score:.2f}"
    text = Text(f"{node.number:>3}  {score}  ", style=dim or "cyan")
    text.append(f"{node.check:<11}  ", style="dim")
    text.append(f"{node.node_type}  ", style=dim or STYLES.get(node.node_type, ""))
    text.append(shortened(node.content), style=dim)
    if others:
        numbers = ", ".join(str(graph.by_id[each].number) for each in others)
        text.append(f"  (also from {numbers})", style="dim")
    return text


def result_summary(answer: dict[str, Any], notes: list[str]) -> Text:
    """Return the result of a run in a few lines."""
    score = "unscored" if answer["score"] is None else f"{answer['score']:.2f}"
    text = Text(f"\n{answer['content']}\n", style="bold")
    text.append(
        f"{score} by {answer['check']}; {answer['reason']}; llm {answer['llm']}\n", style=""
    )
    cost = f"{answer['calls']} calls, {answer['tokens']} tokens, ${answer['usd']:.4f}"
    text.append(f"{cost}; session {answer['session_id']}\n", style="dim")
    for note in (*notes, *([answer["suggestion"]] if "suggestion" in answer else [])):
        text.append(f"! {note}\n", style="yellow")
    return text


PLAN_SUFFIX = ".json"


def run(
    problem: Annotated[str, typer.Argument(help="The problem to solve.")],
    plan: Annotated[str, typer.Option(help="A packaged plan, or a JSON file.")] = "explore",
    session: Annotated[str | None, typer.Option(help="Session to use. Default: a new one.")] = None,
    llm: Annotated[str | None, typer.Option(help="Language model, as in REASONLOOM_LLM.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a plan on a problem, then store and draw the graph."""
    given = _load_plan(plan)

    async def work(engine: Engine, caller: Caller) -> tuple[Outcome, ThoughtGraph]:
        outcome = await _run_plan(engine, caller, {"problem": problem, "plan": given}, session)
        async with engine.loom.database.begin(caller) as tx:
            return outcome, await read_graph(tx, outcome.answer["graph_id"])

    outcome, graph = with_engine(work, llm=llm)
    if as_json:
        print_json({**outcome.answer, "notes": outcome.notes})
        return
    print_lines(graph_tree(graph))
    print_lines(result_summary(outcome.answer, outcome.notes))


def show(
    graph: Annotated[str, typer.Argument(help="The graph's id, or a prefix of it.")],
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid diagram.")] = False,
    as_json: AsJson = False,
) -> None:
    """Draw a graph: its nodes, their scores and origins, and what was pruned."""
    found = read_rows(_whole_graph, graph)
    if as_json:
        rows = {"nodes": map(asdict, found.nodes), "edges": map(asdict, found.edges)}
        lists = {name: list(each) for name, each in rows.items()}
        print_json({**asdict(found.row), **lists})
    elif mermaid:
        typer.echo(drawing(found))
    else:
        print_lines(graph_tree(found))


async def _whole_graph(tx: Transaction, given: str) -> ThoughtGraph:
    return await read_graph(tx, await complete_id(tx, "thought_graphs", given, field="graph"))


def plans(
    name: Annotated[str | None, typer.Argument(help="The plan to print.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the packaged plans, or print one as a starting point for yours."""
    if name is None:
        names = [{"plan": each} for each in plan_names()]
        print_rows(names, lambda: typer.echo("\n".join(plan_names())), as_json=as_json)
        return
    print_json(packaged_plan(name).model_dump(exclude_none=True, exclude_defaults=True))


def _load_plan(given: str) -> str | dict[str, Any]:
    """Return the name of a packaged plan, or the contents of a file.

    Raises:
        InvalidArgument: the file cannot be read, or does not contain a JSON object.
    """
    if not given.endswith(PLAN_SUFFIX):
        return given
    try:
        plan = json.loads(Path(given).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidArgument("plan: the file cannot be read as JSON", field="plan") from None
    if not isinstance(plan, dict):
        raise InvalidArgument("plan: the file must hold a JSON object", field="plan")
    return plan


async def _run_plan(
    engine: Engine, caller: Caller, request: dict[str, Any], session: str | None
) -> Outcome:
    if session is not None:
        request = {**request, "session_id": session}
    arguments = parse_request(GotRun, request).model_dump(mode="json", exclude_unset=True)
    with progress("graph") as update:

        async def report(step: Step) -> None:
            update(step.ended, step.total)

        graph = load_graph("got_run")
        return await engine.call(Call("reasoning_got_run", graph, arguments, caller, report=report))
