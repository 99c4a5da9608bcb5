"""`reasonloom memory consolidate`, `decay` and `health`: merges, weakens and counts memories."""

import asyncio
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasonloom.cli.arguments import User
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import print_answer, progress, right_aligned
from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.extras import ConsolidateMemories, MemoryHealth
from reasonloom.contracts.validation import parse_request
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.maintenance import decay_job as job
from reasonloom.settings import load_settings
from reasonloom.stores.memory.decay import Weakened
from reasonloom.text.plurals import counted

MAX_GROUPS = 20
"""Groups per run; each run has its own budget for the language model."""


def consolidate(
    user: User = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the groups, and change nothing.")
    ] = False,
    older_than_days: Annotated[
        int, typer.Option(min=1, max=36_500, help="Only episodes older than this.")
    ] = 30,
    min_cluster: Annotated[
        int, typer.Option(min=2, max=20, help="Fewest episodes that make a group.")
    ] = 3,
    min_similarity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Least cosine of any two in a group.")
    ] = 0.6,
) -> None:
    """Write one memory for each group of alike old episodes; the episodes stay, weakened."""
    wanted = {
        "olderThanDays": older_than_days,
        "minCluster": min_cluster,
        "minSimilarity": min_similarity,
        "maxClusters": MAX_GROUPS,
        "dryRun": dry_run,
    }

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], list[str]]:
        total: dict[str, Any] = {"clusters": [], "examined": 0, "skipped": 0}
        notes: dict[str, None] = {}
        cursor: str | None = None
        with progress("consolidate") as tell:
            while True:
                more = {"cursor": cursor} if cursor else {}
                given = {"userId": user or caller.owner, **wanted, **more}
                request = ConsolidateMemories.model_validate(given)
                outcome = await call_tool(engine, caller, "consolidate_memories", request)
                for name in total:
                    total[name] += outcome.answer[name]
                notes.update(dict.fromkeys(outcome.notes))
                tell(len(total["clusters"]), None)
                cursor = outcome.answer.get("nextCursor")
                if cursor is None:
                    return total, list(notes)

    done, notes = with_engine(work, user)
    _print_consolidation(done, notes, dry_run=dry_run)


def _print_consolidation(done: dict[str, Any], notes: list[str], *, dry_run: bool) -> None:
    clusters = done["clusters"]
    if clusters:
        _print_groups(clusters)
    originals = sum(len(each["originals"]) for each in clusters)
    verb = "would become" if dry_run else "became"
    if clusters:
        summaries = counted(len(clusters), "summary")
        typer.echo(f"{counted(originals, 'episode')} {verb} {summaries}")
    else:
        typer.echo(f"no group of old episodes is alike enough ({done['examined']:,} looked at)")
    if done["skipped"]:
        typer.echo(f"{counted(done['skipped'], 'group')} changed meanwhile and stay as they are")
    for note in notes:
        typer.echo(note)


def _print_groups(clusters: list[dict[str, Any]]) -> None:
    table = Table(*right_aligned("episodes"), "from", "to", "summary", "stored as")
    for each in clusters:
        summary = each.get("summary") or f"such as: {each['excerpt']}"
        days = (each["first"][:10], each["last"][:10])
        table.add_row(str(len(each["originals"])), *days, Text(summary), each.get("summaryId", ""))
    Console().print(table)


def decay(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be, and change nothing.")
    ] = False,
    user: Annotated[
        str | None, typer.Option(help="Only this user's memories; else those of all owners.")
    ] = None,
) -> None:
    """Weaken memories by the time since they were read; none is deleted."""
    weakened = asyncio.run(_decay(dry_run=dry_run, user=user))
    what = "memories that would be weakened" if dry_run else "memories weakened"
    typer.echo(f"{what}: {weakened.memories}")
    if weakened.memories:
        before, after = (total / weakened.memories for total in (weakened.before, weakened.after))
        typer.echo(f"mean strength {before:.4f} before, {after:.4f} after")


async def _decay(*, dry_run: bool, user: str | None) -> Weakened:
    settings = load_settings()
    async with open_engine(settings, recover=False) as engine:
        database, at = engine.loom.database, engine.loom.clock()
        if user is None:
            if dry_run:
                return await job.preview_all(database, at)
            return await job.weaken_all(database, at=at, due=at)
        caller = Caller(settings.user).within(user)
        if dry_run:
            return await job.preview_space(database, caller, at)
        return await job.weaken_space(database, caller, at)


KILO = 1024


def health(
    user: User = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Show counts, sizes and what to do about them."""

    async def ask(engine: Engine, caller: Caller) -> dict[str, Any]:
        request = parse_request(MemoryHealth, {"userId": user or caller.owner})
        return (await call_tool(engine, caller, "memory_health", request)).answer

    figures = with_engine(ask, user)
    print_answer(figures, _print_health, as_json=as_json)


def _print_health(figures: dict[str, Any]) -> None:
    console = Console()
    table = Table("", *right_aligned("memories"), title="memory health")
    for name in ("bySector", "byKind", "byAge"):
        for group, count in figures[name].items():
            if count:
                table.add_row(group, f"{count:,}")
        table.add_section()
    for label, count in _states(figures).items():
        table.add_row(label, f"{count:,}")
    table.add_section()
    table.add_row("all", f"{figures['total']:,}", style="bold")
    console.print(table)
    links = ", ".join(f"{count:,} {kind}" for kind, count in figures["links"].items()) or "none"
    console.print(f"size: {_format_size(figures['bytes'])}   sessions: {figures['sessions']:,}")
    console.print(f"links: {links}")
    if figures["largest"]:
        console.print("largest:")
    for large in figures["largest"]:
        console.print(
            Text(f"  {large['id']}, about {large['tokens']:,} tokens: {large['excerpt']}")
        )
    for hint in figures["hints"]:
        console.print(
            Text(f"- {hint['finding']}: {hint['command']}", style="yellow"), soft_wrap=True
        )


def _states(figures: dict[str, Any]) -> dict[str, int]:
    return {
        "hidden (not counted above)": figures["hidden"],
        "weak (strength below 0.1)": figures["weak"],
        "never read": figures["neverRead"],
        "stored more than once": figures["duplicates"]["surplus"],
        "without vectors": figures["withoutVectors"],
        **{f"vectors of {model}": count for model, count in figures["otherModels"].items()},
    }


def _format_size(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < KILO:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= KILO
    return f"{size:.1f} GiB"
