"""`reasonloom doctor`: what is configured, why, whether it works, and how to fix it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom import __version__
from reasonloom.cli.arguments import AsJson
from reasonloom.cli.output import UNLIMITED, print_json
from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS
from reasonloom.errors import PromptMistake, ReasonloomError
from reasonloom.llm.embedding.encoder import EncoderEmbedder
from reasonloom.llm.embedding.from_settings import DEFAULT, choose_embedder
from reasonloom.llm.from_settings import JUDGE_VARIABLE, choose_judge, choose_llm, why
from reasonloom.llm.interfaces import Keyed
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.server.catalogue.selection import built_names, choose
from reasonloom.server.stdio.shared.place import shared_servers
from reasonloom.settings import Settings, found_keys, load_settings
from reasonloom.stores.embedded.server import running_servers
from reasonloom.stores.health import examine
from reasonloom.stores.memory.pinned_embedder import pinned_embedder
from reasonloom.stores.servers.opening import find_accesses, open_database, queue_access
from reasonloom.text.plurals import counted

PARTS = ("reasonloom", "mcp", "langgraph", "sqlalchemy", "psycopg", "pgvector", "litellm")
FORMER_KEYS = {"well": "ok", "said": "message", "cure": "fix"}
MARKS = {True: "ok", False: "broken", None: "note"}
FEW = 10
"""Names of a list that are printed without --verbose."""

STYLES = {True: "green", False: "red", None: "yellow"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One result; `ok` is None for advice about something that works.

    `names` end the message; without --verbose a text has the first few of them.
    """

    part: str
    ok: bool | None
    message: str
    fix: str = ""
    names: Sequence[str] = ()

    def text(self, most: int | None = None) -> str:
        """Return the message with its names, or with the first `most` and the number of others."""
        kept = list(self.names if most is None else self.names[:most])
        if left := len(self.names) - len(kept):
            kept.append(f"and {left} more (--verbose)")
        return self.message + ", ".join(kept)


def doctor(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print lists in full, as --json does.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the configuration, database and models; exit code 1 if one is broken."""
    findings = asyncio.run(_examine(load_settings()))
    if as_json:
        print_json([_with_former_keys(finding) for finding in findings])
    else:
        _print_findings(findings, None if verbose else FEW)
    raise typer.Exit(1 if any(finding.ok is False for finding in findings) else 0)


async def _examine(settings: Settings) -> list[Finding]:
    findings = [_versions()]
    for look in (_llm, _embedder, _database, _jobs, _catalogue, _prompts):
        try:
            findings += [finding async for finding in look(settings)]
        except ReasonloomError as error:
            name = look.__name__.strip("_")
            findings.append(
                Finding(name, False, error.message, "correct the setting that it names")
            )
    return findings


def _versions() -> Finding:
    numbers = ", ".join(f"{part} {version(part)}" for part in PARTS)
    return Finding("versions", True, f"{numbers}, Python {sys.version.split()[0]}")


async def _llm(settings: Settings) -> AsyncIterator[Finding]:
    llm = choose_llm(settings)
    if isinstance(llm, Keyed):
        await llm.check_key()
    await llm.close()
    fix = "set REASONLOOM_LLM, for example litellm:openai/gpt-5" if llm.offline else ""
    yield Finding("llm", None if llm.offline else True, why(settings), fix)
    if judge := choose_judge(settings):
        await judge.close()
        yield Finding("judge", True, f"{judge.name}, set by {JUDGE_VARIABLE}")
    keys = found_keys()
    if keys and llm.offline:
        message = f"{', '.join(keys)} is set, but only used if you choose the provider"
        yield Finding("llm", None, message, "set REASONLOOM_LLM=litellm:PROVIDER/MODEL to use it")


async def _embedder(settings: Settings) -> AsyncIterator[Finding]:
    pinned = None if settings.embedder else await _pinned(settings)
    embedder = choose_embedder(settings, pinned)
    try:
        await embedder.embed(["a word"])
    except ReasonloomError as error:
        fix = "set REASONLOOM_EMBEDDER; until then, search by meaning is off; the rest works"
        yield Finding("embedder", False, error.message, fix)
        return
    yield Finding("embedder", True, f"{embedder.model}, {embedder.dimension} dimensions")
    if pinned:
        message = f"the database uses {pinned}, the default of earlier versions"
        fix = f"run `reasonloom db reindex` to change to {DEFAULT}, which finds more"
        yield Finding("embedder", None, message, fix)
    elif embedder.model == EncoderEmbedder.model:
        message = "it is for English; other languages are found by words, tags and dates only"
        fix = "for other languages set REASONLOOM_EMBEDDER=litellm:MODEL or fastembed:MODEL"
        yield Finding("embedder", None, message, fix)


async def _pinned(settings: Settings) -> str | None:
    """Return the embedder that the database is pinned to; None if it cannot be read."""
    try:
        database = await open_database(settings)
    except ReasonloomError:
        return None
    try:
        return await pinned_embedder(database)
    except ReasonloomError:
        return None
    finally:
        await database.close()


async def _database(settings: Settings) -> AsyncIterator[Finding]:
    kind = "DATABASE_URL" if settings.database_url else "embedded"
    fix = "check DATABASE_URL" if settings.database_url else "check REASONLOOM_HOME"
    try:
        accesses = await find_accesses(settings)
    except ReasonloomError as error:
        fix = "check REASONLOOM_DATABASES" if settings.databases else fix
        yield Finding("database", False, f"{kind}: {_plain(error)}", fix)
        accesses = {}
    complete = bool(accesses)
    for name, access in accesses.items():
        fix = f"check {name} in REASONLOOM_DATABASES" if name else fix
        try:
            for message, ok, advice in await examine(access):
                yield Finding("database", ok, f"{name or kind}: {message}", advice)
        except ReasonloomError as error:
            complete = False
            yield Finding("database", False, f"{name or kind}: {_plain(error)}", fix)
    if complete:
        message = f"memories belong to {settings.user!r} unless a token names another owner"
        yield Finding("owner", True, message)
    if complete and settings.databases:
        async for finding in _owners(settings):
            yield finding
    if folders := [str(server.folder) for server in running_servers()]:
        running = f"{counted(len(folders), 'embedded database')} running"
        running += " (`reasonloom db stop --all` stops them): "
        yield Finding("processes", True, running, names=folders)
    if shared := [f"{each.home} (process {each.pid})" for each in shared_servers()]:
        running = f"{counted(len(shared), 'shared server')} running"
        running += " (`reasonloom db stop --all` stops them): "
        yield Finding("processes", True, running, names=shared)


async def _jobs(settings: Settings) -> AsyncIterator[Finding]:
    """Report on the queue of jobs, where the extra is installed and a worker has made it."""
    if find_spec("procrastinate") is None:
        return
    from reasonloom.stores.queue.jobs import open_queue  # noqa: PLC0415 - an extra
    from reasonloom.stores.queue.tables import has_queue  # noqa: PLC0415

    try:
        access = await queue_access(settings)
        if not await has_queue(access):
            return
        async with open_queue(access) as queue:
            counts = await queue.counts()
            workers = await queue.workers(2 * settings.lease_seconds)
    except ReasonloomError:
        return  # `_database` has reported it
    waiting = sum(each.get("todo", 0) for each in counts.values())
    jobs = f"{counted(workers, 'worker')} running, {counted(waiting, 'job')} waiting"
    fix = "start `reasonloom worker`" if waiting and not workers else ""
    yield Finding("jobs", None if fix else True, jobs, fix)
    if failed := sum(each.get("failed", 0) for each in counts.values()):
        text = f"{counted(failed, 'job')} failed in all attempts"
        fix = "`reasonloom jobs list --failed` names them; `reasonloom jobs retry JOB` runs one"
        yield Finding("jobs", None, text, fix)
    for queue_name in sorted(counts):
        if counts[queue_name].get("todo") and not queue_name.endswith(f"@{__version__}"):
            text = f"jobs wait in {queue_name}, for workers of that version"
            yield Finding("jobs", None, text, "start one of that version, or enqueue them again")


def _plain(error: ReasonloomError) -> str:
    """Return an error's message without the advice to run this command."""
    message, _, _ = error.message.partition("; see `reasonloom doctor`")
    return message.replace("; try again, and if it persists run `reasonloom doctor`.", "")


async def _owners(settings: Settings) -> AsyncIterator[Finding]:
    """Find moves that were interrupted, and owners who have rows where nobody looks for them."""
    from reasonloom.stores.servers.layout import load_layout  # noqa: PLC0415 - of several databases
    from reasonloom.stores.servers.survey import survey  # noqa: PLC0415

    found = await survey(load_layout(settings))
    yield Finding("owners", True, ", ".join(f"{name}: {n}" for name, n in found.counts.items()))
    for owner, name in found.unfinished:
        message = f"{owner!r} is being moved to {name}, or that was interrupted"
        yield Finding("owners", None, message, "run `reasonloom owner move --resume` or `--abort`")
    for owner, name, home in found.stranded:
        message = f"{owner!r} has data in {name}, but is looked for in {home}"
        fix = "correct `owners` or `spread` in REASONLOOM_DATABASES: a home may not change"
        yield Finding("owners", False, message, fix)


async def _catalogue(settings: Settings) -> AsyncIterator[Finding]:
    catalogue = choose(settings)
    names = [served.name for served in catalogue.tools]
    yield Finding("tools", True, f"{len(names)} served: ", names=names)
    yield Finding(
        "tools", None, f"{len(built_names())} of {len(ALL_TOOLS)} are available in this version"
    )
    more = "also available, with --toolsets default,extras: "
    yield Finding("tools", None, more, names=list(EXTRA_TOOLS))


async def _prompts(settings: Settings) -> AsyncIterator[Finding]:
    try:
        registry = PromptRegistry(settings.prompts)
    except PromptMistake as error:
        fix = "correct that file in REASONLOOM_PROMPTS, or unset the variable"
        yield Finding("prompts", False, error.message, fix)
        return
    versions = [f"{name} v{max(registry.versions(name))}" for name in registry.names()]
    yield Finding("prompts", True, "", names=versions)


def _with_former_keys(finding: Finding) -> dict[str, Any]:
    """Return a finding with the keys of version 0.1 too, until the next version."""
    given = {**asdict(finding), "message": finding.text()}
    del given["names"]
    return {**given, **{former: given[key] for former, key in FORMER_KEYS.items()}}


def _print_findings(findings: list[Finding], most: int | None) -> None:
    """Print the findings with at most `most` names of each; only a terminal wraps the texts."""
    console = Console(highlight=False)
    table = Table.grid(Column(no_wrap=True), Column(no_wrap=True), Column(), padding=(0, 2, 0, 0))
    if not console.is_terminal:
        console = Console(highlight=False, width=UNLIMITED)
    for finding in findings:
        mark = Text(MARKS[finding.ok], style=STYLES[finding.ok])
        table.add_row(mark, finding.part, Text(finding.text(most)))
        if finding.fix:
            table.add_row("", "", Text(f"fix: {finding.fix}"))
    with console.capture() as captured:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))
