"""Prints ingested transcripts, and search results of past conversations."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.output import print_table, right_aligned
from reasonloom.nodes.history.ingestion.discovery import FoundFiles
from reasonloom.nodes.history.ingestion.reports import FileReport
from reasonloom.text import tokens
from reasonloom.text.plurals import counted

MAX_REFUSED = 20
"""Refused files listed by name; the rest are counted."""

MAX_LINES = 12
"""Printed lines of a chunk."""

SKIP_REASONS = {
    "malformed": "no JSON, or not what its type needs",
    "oversized": "longer than 16 MB",
    "unknown": "of an unknown type",
    "recoded": "no UTF-8, read as Windows-1252",
}


@contextmanager
def byte_progress(total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances a progress bar of bytes on stderr, if that is a terminal."""
    console = Console(stderr=True)
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=total)
        yield lambda more: bar.update(task, advance=more)


def draw_ingested(
    reports: list[FileReport], found: FoundFiles, seconds: float, *, dry_run: bool
) -> None:
    """Print a summary of all files; unreadable ones are listed on stderr."""
    refused = [each for each in reports if each.refused]
    for each in refused[:MAX_REFUSED]:
        typer.echo(f"{each.name}: {each.refused}", err=True)
    if len(refused) > MAX_REFUSED:
        typer.echo(f"and {counted(len(refused) - MAX_REFUSED, 'more file')}", err=True)
    title = "read again" if any(e.rewritten for e in reports) else "ingested"
    if dry_run:
        title = "would be ingested (nothing is stored)"
    table = Table("", *right_aligned("count"), title=title)
    for name, value in _figures(reports, found, seconds):
        table.add_row(name, value)
    print_table(table)
    for note in _notes(reports):
        typer.echo(note)


LABELS = {
    "files_read": "files read",
    "unchanged": "unchanged",
    "refused": "refused",
    "turns": "turns",
    "chunks_new": "chunks new",
    "chunks_changed": "chunks changed",
    "chunks_kept": "chunks already stored",
    "chunks_removed": "chunks removed",
    "chunks_forgotten": "chunks that stay forgotten",
    "files_rewritten": "files rewritten",
    "files_of_other_kinds": "files of other kinds",
    "folders_linked_twice": "folders linked twice",
    "special_files": "pipes, sockets, devices",
    **{f"lines_{key}": f"lines {reason}" for key, reason in SKIP_REASONS.items()},
}
ALWAYS = 6
"""Counts that are shown even if they are 0, from the first."""


def ingested_counts(reports: list[FileReport], found: FoundFiles) -> dict[str, int]:
    """Return the counts of an ingestion, by the keys of `LABELS`."""
    unchanged = sum(each.unchanged for each in reports)
    refused = sum(each.refused is not None for each in reports)
    skipped: Counter[str] = Counter()
    for each in reports:
        skipped.update(each.skipped)
    return {
        "files_read": len(reports) - unchanged - refused,
        "unchanged": unchanged,
        "refused": refused,
        "turns": sum(each.turns for each in reports),
        "chunks_new": sum(each.new for each in reports),
        "chunks_changed": sum(each.changed for each in reports),
        "chunks_kept": sum(each.there for each in reports),
        "chunks_removed": sum(each.removed for each in reports),
        "chunks_forgotten": sum(each.forgotten for each in reports),
        "files_rewritten": sum(each.rewritten for each in reports),
        "files_of_other_kinds": found.others,
        "folders_linked_twice": found.loops,
        "special_files": found.special,
        **{f"lines_{key}": skipped[key] for key in SKIP_REASONS},
    }


def _figures(
    reports: list[FileReport], found: FoundFiles, seconds: float
) -> Iterator[tuple[str, str]]:
    """Yield the rows of the summary; the additional counts are omitted if zero."""
    size = sum(each.bytes for each in reports)
    for place, (key, value) in enumerate(ingested_counts(reports, found).items()):
        if value or place < ALWAYS:
            yield LABELS[key], f"{value:,}"
    yield "seconds", f"{seconds:,.1f} ({size / max(seconds, 0.001) / 1e6:,.1f} MB/s)"


def _notes(reports: list[FileReport]) -> Iterator[str]:
    """Yield notes on missing vectors and estimated tokens."""
    unembedded = sum(each.unembedded for each in reports)
    if unembedded:
        yield (
            f"{counted(unembedded, 'chunk')} without vectors, since the embedder is unavailable; "
            "run `reasonloom db reindex` when it is back"
        )
    if any(each.turns for each in reports) and not tokens.counts_exactly():
        yield "tokens are estimated by length, since the vocabulary is not available"


def draw_projects(answer: dict[str, Any]) -> None:
    """Print projects."""
    numbers = right_aligned("sessions", "chunks")
    table = Table("project", *numbers, "first", "last", Column("folder", overflow="fold"))
    for each in answer["projects"]:
        table.add_row(
            Text(each["project"]),
            f"{each['sessions']:,}",
            f"{each['chunks']:,}",
            _minute(each["first"]),
            _minute(each["last"]),
            Text(each["path"] or ""),
        )
    print_table(table) if answer["projects"] else typer.echo(answer["text"])


def draw_sessions(answer: dict[str, Any]) -> None:
    """Print sessions."""
    table = Table(Column("session", overflow="fold"), "began", "ended",
                  *right_aligned("chunks", "tokens"), title=answer["project"])  # fmt: skip
    for each in answer["sessions"]:
        table.add_row(
            each["session_id"],
            _minute(each["started_at"]),
            _minute(each["ended_at"]),
            f"{each['chunks']:,}",
            f"{each['tokens']:,}",
        )
    print_table(table) if answer["sessions"] else typer.echo(answer["text"])


def draw_chunks(answer: dict[str, Any]) -> None:
    """Print the chunks in order, the problem first, with the reason that links each to the last."""
    console, reasons = Console(), answer.get("reasons")
    chunks = answer["chunks"]
    for place, chunk in enumerate(chunks):
        if place and reasons is not None:
            console.print(f"   [dim]↓ {escape(reasons[place - 1] or 'then')}")
        title = f"{_minute(chunk['time']) or 'no time'} · {chunk['project']}/{chunk['session_id']}"
        agent = f" · {chunk['agent']}" if chunk["agent"] else ""
        score = f" · {chunk['score']:.2f}" if chunk["score"] is not None else ""
        console.print(
            Panel(
                Text(_excerpt(chunk["content"])),
                title=escape(_chain_end(answer, place, len(chunks)) + title + agent),
                subtitle=escape(f"{chunk['id']}{score}"),
                title_align="left",
                subtitle_align="right",
            )
        )
    if not chunks or not answer.get("chain"):
        typer.echo(answer["text"] if not chunks else f"{counted(len(chunks), 'chunk')}")


def _chain_end(answer: dict[str, Any], place: int, length: int) -> str:
    """Return the label of either end of a chain."""
    if not answer.get("chain"):
        return ""
    return "problem · " if place == 0 else "solution · " if place == length - 1 else ""


def _excerpt(content: str) -> str:
    """Return the first lines of a chunk."""
    lines = content.splitlines()
    more = len(lines) - MAX_LINES
    return "\n".join(lines[:MAX_LINES] + ([f"… {counted(more, 'more line')}"] if more > 0 else []))


def _minute(time: str | None) -> str:
    """Return a time to the minute."""
    return time[:16].replace("T", " ") if time else ""
