"""`reasonloom doctor`: what is configured, why, whether it works, and how to fix it."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS
from reasonloom.errors import PromptMistake, ReasonloomError
from reasonloom.llm.embedding.encoder import EncoderEmbedder
from reasonloom.llm.embedding.from_settings import DEFAULT, choose_embedder
from reasonloom.llm.from_settings import JUDGE_VARIABLE, choose_judge, choose_llm, why
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.server.catalogue.selection import built_names, choose
from reasonloom.settings import Settings, found_keys, load_settings
from reasonloom.stores.access import find_access
from reasonloom.stores.database import Database
from reasonloom.stores.health import examine
from reasonloom.stores.memory.pinned_embedder import pinned_embedder

PARTS = ("reasonloom", "mcp", "langgraph", "sqlalchemy", "psycopg", "pgvector", "litellm")
MARKS = {True: "ok", False: "broken", None: "note"}
STYLES = {True: "green", False: "red", None: "yellow"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One result; `well` is None for advice about something that works."""

    part: str
    well: bool | None
    said: str
    cure: str = ""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Look at every part; exit 1 where one is broken."""
    findings = asyncio.run(_examine(load_settings()))
    if as_json:
        _print_json(findings)
    else:
        _print_table(findings)
    raise typer.Exit(1 if any(finding.well is False for finding in findings) else 0)


async def _examine(settings: Settings) -> list[Finding]:
    findings = [_versions()]
    for look in (_llm, _embedder, _database, _catalogue, _prompts):
        try:
            findings += [finding async for finding in look(settings)]
        except ReasonloomError as error:
            name = look.__name__.strip("_")
            findings.append(Finding(name, False, error.message, "mend the setting it names"))
    return findings


def _versions() -> Finding:
    numbers = ", ".join(f"{part} {version(part)}" for part in PARTS)
    return Finding("versions", True, f"{numbers}, Python {sys.version.split()[0]}")


async def _llm(settings: Settings) -> AsyncIterator[Finding]:
    llm = choose_llm(settings)
    await llm.close()
    cure = "set REASONLOOM_LLM, for example litellm:openai/gpt-5" if llm.offline else ""
    yield Finding("llm", None if llm.offline else True, why(settings), cure)
    if judge := choose_judge(settings):
        await judge.close()
        yield Finding("judge", True, f"{judge.name}, because {JUDGE_VARIABLE} says so.")
    keys = found_keys()
    if keys and llm.offline:
        said = f"{', '.join(keys)} found, not used unasked"
        yield Finding("llm", None, said, "set REASONLOOM_LLM=litellm:PROVIDER/MODEL to use it")


async def _embedder(settings: Settings) -> AsyncIterator[Finding]:
    pinned = None if settings.embedder else await _pinned(settings)
    embedder = choose_embedder(settings, pinned)
    try:
        await embedder.embed(["a word"])
    except ReasonloomError as error:
        cure = "all but dense search works; set REASONLOOM_EMBEDDER"
        yield Finding("embedder", False, error.message, cure)
        return
    yield Finding("embedder", True, f"{embedder.model}, {embedder.dimension} dimensions")
    if pinned:
        said = f"the database keeps {pinned}, the default of earlier versions"
        cure = f"run `reasonloom db reindex` to change to {DEFAULT}, which finds more"
        yield Finding("embedder", None, said, cure)
    elif embedder.model == EncoderEmbedder.model:
        said = "it knows English; memories in other languages are found by words, tags and dates"
        cure = "for others set REASONLOOM_EMBEDDER=litellm:MODEL or fastembed:MODEL"
        yield Finding("embedder", None, said, cure)


async def _pinned(settings: Settings) -> str | None:
    """Return the embedder that the database is pinned to; None if it cannot be read."""
    try:
        database = Database(await find_access(settings))
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
    cure = "check DATABASE_URL" if settings.database_url else "check REASONLOOM_HOME"
    try:
        access = await find_access(settings)
        for said, well, mend in await examine(access):
            yield Finding("database", well, f"{kind}: {said}", mend)
        said = f"memories belong to {settings.user!r} where no token names an owner"
        yield Finding("owner", True, f"{said}; tools need no userId")
    except ReasonloomError as error:
        said, _, _ = error.message.partition("; see `reasonloom doctor`")
        said = said.replace("; try again, and if it persists run `reasonloom doctor`.", "")
        yield Finding("database", False, f"{kind}: {said}", cure)


async def _catalogue(settings: Settings) -> AsyncIterator[Finding]:
    catalogue = choose(settings)
    names = ", ".join(served.name for served in catalogue.tools)
    yield Finding("tools", True, f"{len(catalogue.tools)} served: {names}")
    yield Finding(
        "tools", None, f"{len(built_names())} of {len(ALL_TOOLS)} are built in this version"
    )
    beyond = f"beyond the references, with --toolsets default,extras: {', '.join(EXTRA_TOOLS)}"
    yield Finding("tools", None, beyond)


async def _prompts(settings: Settings) -> AsyncIterator[Finding]:
    try:
        registry = PromptRegistry(settings.prompts)
    except PromptMistake as error:
        cure = "mend that file of REASONLOOM_PROMPTS, or unset it"
        yield Finding("prompts", False, error.message, cure)
        return
    said = ", ".join(f"{name} v{max(registry.versions(name))}" for name in registry.names())
    yield Finding("prompts", True, said)


def _print_json(findings: list[Finding]) -> None:
    typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))


def _print_table(findings: list[Finding]) -> None:
    table = Table("part", "", "found", "to do")
    for finding in findings:
        mark = Text(MARKS[finding.well], style=STYLES[finding.well])
        table.add_row(finding.part, mark, Text(finding.said), Text(finding.cure))
    Console().print(table)
