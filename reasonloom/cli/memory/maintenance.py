"""`reasonloom memory consolidate`, `decay` and `health`: merges, weakens and counts memories."""

import asyncio
from functools import partial
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson, DryRun, User
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import print_answer, print_json, print_table, progress, right_aligned
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
    dry_run: DryRun = False,
    older_than_days: Annotated[
        int, typer.Option(min=1, max=36_500, help="Only episodes older than this.")
    ] = 30,
    min_cluster: Annotated[
        int, typer.Option(min=2, max=20, help="Minimum number of episodes in a group.")
    ] = 3,
    min_similarity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Minimum cosine similarity in a group.")
    ] = 0.6,
    as_json: AsJson = False,
) -> None:
    """Summarize groups of similar old episodes; the episodes stay, with less strength."""
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
        with progress("consolidate") as update:
            while True:
                more = {"cursor": cursor} if cursor else {}
                given = {"userId": user or caller.owner, **wanted, **more}
                request = ConsolidateMemories.model_validate(given)
                outcome = await call_tool(engine, caller, "consolidate_memories", request)
                for name in total:
                    total[name] += outcome.answer[name]
                notes.update(dict.fromkeys(outcome.notes))
                update(len(total["clusters"]), None)
                cursor = outcome.answer.get("nextCursor")
                if cursor is None:
                    return total, list(notes)

    done, notes = with_engine(work, user)
    if as_json:
        print_json({**done, "notes": notes})
    else:
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
        typer.echo(f"no groups of similar old episodes ({done['examined']:,} examined)")
    if done["skipped"]:
        typer.echo(f"{counted(done['skipped'], 'group')} skipped, since they changed meanwhile")
    for note in notes:
        typer.echo(note)


def _print_groups(clusters: list[dict[str, Any]]) -> None:
    table = Table(*right_aligned("episodes"), "from", "to", "summary", "stored as")
    for each in clusters:
        summary = each.get("summary") or f"such as: {each['excerpt']}"
        days = (each["first"][:10], each["last"][:10])
        table.add_row(str(len(each["originals"])), *days, Text(summary), each.get("summaryId", ""))
    print_table(table)


def decay(
    dry_run: DryRun = False,
    user: Annotated[
        str | None, typer.Option(help="Only this user's memories. Default: those of all owners.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lower the strength of memories that were not read lately; none is deleted."""
    weakened = asyncio.run(_decay(dry_run=dry_run, user=user))
    many = weakened.memories or 1
    before, after = weakened.before / many, weakened.after / many
    answer = {"memories": weakened.memories, "mean_before": before, "mean_after": after}
    print_answer(answer, partial(_print_decay, dry_run=dry_run), as_json=as_json)


def _print_decay(answer: dict[str, Any], *, dry_run: bool) -> None:
    what = "memories that would lose strength" if dry_run else "memories that lost strength"
    typer.echo(f"{what}: {answer['memories']}")
    if answer["memories"]:
        before, after = answer["mean_before"], answer["mean_after"]
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


def health(user: User = None, as_json: AsJson = False) -> None:
    """Show how many memories there are, their size, and recommended actions."""

    async def ask(engine: Engine, caller: Caller) -> dict[str, Any]:
        request = parse_request(MemoryHealth, {"userId": user or caller.owner})
        return (await call_tool(engine, caller, "memory_health", request)).answer

    figures = with_engine(ask, user)
    print_answer(figures, _print_health, as_json=as_json)


def _print_health(figures: dict[str, Any]) -> None:
    console = Console(highlight=False)
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
    print_table(table)
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
