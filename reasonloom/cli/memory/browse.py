"""`reasonloom memory list`, `show`, `search` and `edit`: reads and changes single memories.

`list` and `show` import only the database, so that they start fast.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson, Limit, User
from reasonloom.cli.engine import read_rows, with_engine
from reasonloom.cli.output import (
    on_terminal,
    print_answer,
    print_json,
    print_rows,
    print_table,
    printable,
    right_aligned,
)
from reasonloom.errors import InvalidArgument, MemoryNotFound, MissingArgument
from reasonloom.settings import environment
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import memory_lists
from reasonloom.stores.memory.memory_lists import ListedMemory, Membership, MemoryFilter, OneMemory
from reasonloom.text.shortening import one_line

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

MEMORY_ID = re.compile(r"(?:mem-)?([1-9][0-9]{0,17})")
SECTORS = ("episodic", "semantic", "procedural", "emotional", "reflective")
DEFAULT_EDITOR = "vi"
MemoryId = Annotated[str, typer.Argument(help="The memory's id, such as mem-42.")]


def list_(
    limit: Limit = 20,
    sector: Annotated[
        str | None, typer.Option(help=f"Only this sector: {', '.join(SECTORS)}.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Only this project.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    hidden: Annotated[bool, typer.Option("--hidden", help="Only forgotten memories.")] = False,
    user: User = None,
    as_json: AsJson = False,
) -> None:
    """List the newest memories."""
    if sector is not None and sector not in SECTORS:
        raise InvalidArgument(
            f"--sector: must be one of {', '.join(SECTORS)}, such as semantic", field="sector"
        )
    wanted = MemoryFilter(
        sector=sector, project=project, tag=tag, hidden="only" if hidden else "no"
    )
    found = read_rows(memory_lists.page, wanted, limit, 0, user=user)
    rows = ({**each._asdict(), "id": f"mem-{each.id}"} for each in found)
    print_rows(rows, lambda: _print_memories(found), as_json=as_json)


def _print_memories(found: list[ListedMemory]) -> None:
    if not found:
        typer.echo("no memories")
        return
    table = Table(
        Column("memory", no_wrap=True), "content", Column("sector", no_wrap=True),
        Column("created", no_wrap=True), *right_aligned("strength"), "project",
    )  # fmt: skip
    for each in found:
        style = "dim" if each.hidden or each.superseded_by else ""
        created = each.created_at.astimezone().strftime("%Y-%m-%d")
        table.add_row(
            f"mem-{each.id}", Text(one_line(each.content), style=style), each.sector, created,
            f"{each.strength:.2f}", Text(each.project or ""),
        )  # fmt: skip
    print_table(table)


def show(memory: MemoryId, user: User = None, as_json: AsJson = False) -> None:
    """Show a memory: its content, origin, scores and clusters."""
    found, clusters = read_rows(_memory_with_clusters, _number(memory), user=user)
    if as_json:
        listed = [each._asdict() for each in clusters]
        print_json({**asdict(found), "id": f"mem-{found.id}", "clusters": listed})
    else:
        _print_memory(found, clusters)


async def _memory_with_clusters(tx: Transaction, number: int) -> tuple[OneMemory, list[Membership]]:
    found = await memory_lists.require(tx, number)
    return found, await memory_lists.basins_of(tx, number)


def _number(memory: str) -> int:
    match = MEMORY_ID.fullmatch(memory.strip())
    if not match:
        raise MemoryNotFound(f"{memory} (an id looks like mem-42)", field="memory")
    return int(match[1])


def _print_memory(found: OneMemory, clusters: list[Membership]) -> None:
    console = Console(highlight=False, soft_wrap=not on_terminal())
    console.print(Text(f"mem-{found.id}", style="bold"))
    console.print(Text(printable(found.content, keep="\n")), "")
    deleted, newer = found.deleted_at, found.superseded_by
    facts = {
        "sector": found.sector,
        "created": _moment(found.created_at),
        "stated": _moment(found.valid_from) if found.valid_from < found.created_at else "",
        "forgotten": f"{_moment(deleted)}; `reasonloom memory restore mem-{found.id}` undoes it"
        if deleted else "",
        "replaced": f"by mem-{newer}" if newer else "",
        "strength": f"{found.strength:.2f}, salience {found.salience:.2f}, read "
        f"{found.access_count} times",
        "tags": ", ".join(found.tags),
        "keywords": ", ".join(found.keywords),
        "category": found.category,
        "context": found.context,
        "project": found.project,
        "session": found.session_name or found.session_id,
        "stored by": f"{found.principal}, tool {found.tool}, {found.source_kind}, "
        f"trust {found.trust:.2f}",
        "clusters": ", ".join(each.name for each in clusters),
    }  # fmt: skip
    for name, value in facts.items():
        if value:
            console.print(Text.assemble((f"{name:<10}", "dim"), printable(str(value))))


def _moment(at: Any) -> str:
    return str(at.astimezone().strftime("%Y-%m-%d %H:%M"))


def search(
    query: Annotated[str, typer.Argument(help="A question, or words to find.")],
    exact: Annotated[
        bool, typer.Option("--exact", help='Match words: AND, OR, NOT, "a phrase".')
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of rows.")] = 10,
    user: User = None,
    as_json: AsJson = False,
) -> None:
    """Find memories by meaning, or by exact words with --exact; most relevant first."""
    tool = "search" if exact else "recall"

    async def find(engine: "Engine", caller: "Caller") -> dict[str, Any]:
        from reasonloom.contracts.memory.recall import Recall, Search
        from reasonloom.contracts.validation import parse_request
        from reasonloom.graphs.runs.call_tool import call_tool

        given = {"userId": user or caller.owner, "text": query, "limit": limit}
        request = parse_request(Search if exact else Recall, given)
        return (await call_tool(engine, caller, tool, request)).answer

    print_answer(with_engine(find, user), _print_found, as_json=as_json)


def _print_found(answer: dict[str, Any]) -> None:
    if not answer["memories"]:
        typer.echo("nothing found")
        return
    table = Table(Column("memory", no_wrap=True), "content", Column("created", no_wrap=True))
    for each in answer["memories"]:
        table.add_row(each["id"], Text(one_line(each["content"])), each["createdAt"][:10])
    print_table(table)


def edit(
    memory: MemoryId,
    content: Annotated[
        str | None, typer.Option(help="New content; - reads standard input.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(help="New tags; repeatable.")] = None,
    category: Annotated[str | None, typer.Option(help="New category.")] = None,
    strength: Annotated[float | None, typer.Option(min=0, max=1, help="New strength.")] = None,
    user: User = None,
    as_json: AsJson = False,
) -> None:
    """Change a memory; without options its content opens in your editor ($VISUAL, $EDITOR)."""
    number = _number(memory)
    if content == "-":
        content = sys.stdin.read().strip()
    metadata = {"tags": tag or None, "category": category}
    metadata = {name: value for name, value in metadata.items() if value is not None}
    changes = {"content": content, "strength": strength, "metadata": metadata or None}
    changes = {name: value for name, value in changes.items() if value is not None}
    if not changes:
        found, _ = read_rows(_memory_with_clusters, number, user=user)
        edited = _edited(found.content)
        if edited == found.content.strip():
            typer.echo("nothing changed")
            return
        changes = {"content": edited}

    async def change(engine: "Engine", caller: "Caller") -> dict[str, Any]:
        from reasonloom.contracts.memory.tools import UpdateMemory
        from reasonloom.contracts.validation import parse_request
        from reasonloom.graphs.runs.call_tool import call_tool

        given = {"userId": user or caller.owner, "memoryId": f"mem-{number}", **changes}
        request = parse_request(UpdateMemory, given)
        return (await call_tool(engine, caller, "update_memory", request)).answer

    done = with_engine(change, user)
    print_answer(done, lambda _: typer.echo(f"changed mem-{number}"), as_json=as_json)


def _edited(content: str) -> str:
    """Return the content after its user has changed it in an editor.

    Raises:
        MissingArgument: there is no terminal for an editor.
        InvalidArgument: the editor cannot be run, or fails.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise MissingArgument(
            "give --content, --tag, --category or --strength; an editor needs a terminal",
            field="content",
        )
    variables = environment()
    editor = variables.get("VISUAL") or variables.get("EDITOR") or DEFAULT_EDITOR
    with tempfile.TemporaryDirectory(prefix="reasonloom-") as folder:
        file = Path(folder) / "memory.md"
        file.write_text(f"{content}\n", "utf-8")
        try:
            subprocess.run([*shlex.split(editor), file], check=True)  # noqa: S603 - the user's own
        except (OSError, ValueError, subprocess.CalledProcessError):
            raise InvalidArgument(
                f"EDITOR: {editor} did not run; set it to an editor, such as nano", field="EDITOR"
            ) from None
        return file.read_text("utf-8", "replace").strip()
