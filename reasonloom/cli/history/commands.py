"""`reasonloom history`: ingests and displays past conversations."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from reasonloom.cli.arguments import AsJson, DryRun
from reasonloom.cli.engine import with_engine
from reasonloom.cli.history.tables import (
    byte_progress,
    draw_chunks,
    draw_ingested,
    draw_projects,
    draw_sessions,
    ingested_counts,
)
from reasonloom.cli.output import print_answer, print_json, print_rows, print_table
from reasonloom.contracts import history
from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import (
    HistoryListProjects,
    HistoryListSessions,
    HistoryReconstruct,
)
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.erasure import Erased, erase_due, list_undoable, restore_forgotten
from reasonloom.nodes.history.ingestion.discovery import FoundFiles, find_files
from reasonloom.nodes.history.ingestion.formats import format_of
from reasonloom.nodes.history.ingestion.pipeline import ingest as read
from reasonloom.nodes.history.ingestion.reports import FileReport, IngestOptions
from reasonloom.nodes.history.projects import require_project
from reasonloom.settings import load_settings
from reasonloom.stores.history import chunk_links
from reasonloom.stores.history.soft_deletes import Forgotten
from reasonloom.text.plurals import counted


def undo(
    number: Annotated[
        int | None, typer.Argument(help="The number to restore. Default: list them.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List forgotten conversations that can be restored, or restore one."""

    async def work(engine: Engine, caller: Caller) -> Sequence[Forgotten] | int:
        if number is None:
            return await list_undoable(engine.loom, caller)
        return await restore_forgotten(engine.loom, caller, number)

    done = with_engine(work)
    if isinstance(done, int):
        text = f"restored {counted(done, 'chunk')}"
        print_answer({"restored": done}, lambda _: typer.echo(text), as_json=as_json)
    else:
        print_rows(map(_forgotten_row, done), lambda: _print_forgotten(done), as_json=as_json)


def _forgotten_row(each: Forgotten) -> dict[str, Any]:
    return {"number": each.number, "project": each.project, "chunks": each.chunks,
            "request": each.asked, "forgotten_at": each.forgotten_at}  # fmt: skip


def purge(
    now: Annotated[
        bool, typer.Option("--now", help="Also those that can still be restored.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --now.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase forgotten conversations that can no longer be restored."""
    if now and not yes:
        typer.confirm("Erase everything that was forgotten, permanently?", abort=True)

    async def work(engine: Engine, caller: Caller) -> Erased:
        kept = timedelta(days=0 if now else engine.loom.settings.undo_days)
        return await erase_due(engine.loom.database, caller, engine.loom.clock() - kept)

    erased = with_engine(work)
    text = f"erased permanently: {counted(erased.chunks, 'chunk')}"
    print_answer({"erased": erased.chunks}, lambda _: typer.echo(text), as_json=as_json)


def _print_forgotten(found: Sequence[Forgotten]) -> None:
    if not found:
        typer.echo("nothing forgotten can be restored")
        return
    days = load_settings().undo_days
    table = Table("number", "project", "chunks", "what", "forgotten", "until")
    for each in found:
        what = ", ".join(f"{name} {value}" for name, value in each.asked.items()) or "all of it"
        table.add_row(
            str(each.number), escape(each.project), f"{each.chunks:,}", escape(what),
            _minute(each.forgotten_at), _minute(each.forgotten_at + timedelta(days=days)),
        )  # fmt: skip
    print_table(table)


def _minute(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


class Format(StrEnum):
    """The supported formats."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    CURSOR = "cursor"
    VSCODE = "vscode"
    JSONL = "jsonl"
    TEXT = "text"


def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files or folders.")],
    form: Annotated[
        Format | None, typer.Option("--format", help="Format. Default: detected.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="The project's folder.")] = None,
    thinking: Annotated[
        bool, typer.Option("--thinking", help="Include the model's thoughts.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Read everything again.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Ingest transcripts; only what is new is read.

    Folders are read with all that is below: files `*.jsonl`, or with `--format text` texts. The
    exit code is 1 if anything could not be read.
    """
    began = time.perf_counter()
    wish = IngestOptions(format_of(form) if form else None, project, thinking, again, dry_run)
    found = find_files(paths, wish.form)
    reports = with_engine(lambda engine, caller: _ingest_with_progress(engine, caller, found, wish))
    reports = [*found.refused, *reports]
    seconds = time.perf_counter() - began
    if as_json:
        print_json({**ingested_counts(reports, found), "seconds": round(seconds, 3)})
    else:
        draw_ingested(reports, found, seconds, dry_run=dry_run)
    if any(each.refused for each in reports):
        raise typer.Exit(1)


async def _ingest_with_progress(
    engine: Engine, caller: Caller, found: FoundFiles, wish: Any
) -> list[FileReport]:
    """Ingest the files while displaying a progress bar of bytes."""
    with byte_progress(found.bytes) as update:
        return await read(engine.loom, caller, found.files, wish, update)


def projects(as_json: AsJson = False) -> None:
    """List the projects of past conversations."""
    answer = _call("history_list_projects", HistoryListProjects, {})
    print_answer(answer, draw_projects, as_json=as_json)


def sessions(
    project: Annotated[str, typer.Argument(help="The project's name, as in `history projects`.")],
    as_json: AsJson = False,
) -> None:
    """List the sessions of a project, newest first."""
    answer = _call("history_list_sessions", HistoryListSessions, {"project": project})
    print_answer(answer, draw_sessions, as_json=as_json)


def show(
    project: Annotated[str, typer.Argument(help="The project's name, as in `history projects`.")],
    session: Annotated[str | None, typer.Option(help="A session's id, or a prefix of it.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help="Start time, ISO 8601.")] = None,
    to: Annotated[str | None, typer.Option(help="End time, ISO 8601.")] = None,
    last: Annotated[bool, typer.Option("--last", help="Only the project's last session.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the conversations of a project in chronological order."""
    if last:
        listed = _call("history_list_sessions", HistoryListSessions, {"project": project})
        session = listed["sessions"][0]["session_id"] if listed["sessions"] else None
    given = {"project": project, "session_id": session, "from": from_, "to": to}
    answer = _call("history_reconstruct", HistoryReconstruct, given)
    print_answer(answer, draw_chunks, as_json=as_json)


def search(
    query: Annotated[str, typer.Argument(help="A question, or words to find.")],
    project: Annotated[str | None, typer.Option(help="Only this project.")] = None,
    recall: Annotated[bool, typer.Option("--recall", help="Show what led to it.")] = False,
    predict: Annotated[bool, typer.Option("--predict", help="Show what came next.")] = False,
    as_json: AsJson = False,
) -> None:
    """Search past conversations; follow causes with --recall, effects with --predict."""
    if recall and predict:
        raise typer.BadParameter("give --recall or --predict, not both")
    if predict:
        given = {"context": query, "project": project}
        answer = _call("history_predict", history.HistoryPredict, given)
    else:
        given = {"query": query, "project": project}
        request = history.HistoryRecall if recall else history.HistorySearch
        answer = _call("history_recall" if recall else "history_search", request, given)
    print_answer(answer, draw_chunks, as_json=as_json)


def _call(tool: str, model: type[Request], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's answer; a chain has the `reasons` that link each chunk to the next.

    Raises:
        ReasonloomError: the tool answered with an error, or there is no such project.
    """
    request = parse_request(model, given)

    async def ask(engine: Engine, caller: Caller) -> dict[str, Any]:
        if project := given.get("project"):
            async with engine.loom.database.begin(caller) as tx:
                await require_project(tx, project)
        outcome = await call_tool(engine, caller, tool, request)
        answer = dict(outcome.answer)
        if mistake := answer.get("error"):
            raise InvalidArgument(mistake)
        if answer.get("chain"):
            ids = [int(chunk["id"].removeprefix("mem-")) for chunk in answer["chunks"]]
            pairs = list(pairwise(ids))
            async with engine.loom.database.begin(caller) as tx:
                answer["reasons"] = await chunk_links.reasons_between(tx, pairs)
        return answer

    return with_engine(ask)
