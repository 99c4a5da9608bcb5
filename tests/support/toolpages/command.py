"""The pages of docs/tools: made of what a server lists and of calls that are carried out.

Run as a module it writes them anew.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence

from mcp import Client
from mcp_types import Tool

from reasonloom.contracts.toolsets import INVENTORY, SERVED_AS
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.envelopes.envelope import Envelope
from reasonloom.server.resources.table import KINDS
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.server.toolsets.toolset import Toolset
from reasonloom.settings import Settings, variables_of
from tests import ROOT
from tests.support.databases.postgres import TestPostgres, running_server
from tests.support.llms.scripted_replies import ReadyLlm
from tests.support.memory.graph import query
from tests.support.toolpages import errors, schema
from tests.support.toolpages.calls import SCRIPTS, Script
from tests.support.toolpages.normalisation import Stillness
from tests.support.toolpages.player import greenwich, playing
from tests.support.toolpages.section import EFFECTS, LETTERS, LINES, ToolDescription, section
from tests.support.toolpages.texts import FORMS, PAGES, READING

FOLDER = ROOT / "docs" / "tools"
SERVED = ("all", "extras")
ASKED = "SELECT prompt, count(*) FROM reasonloom.llm_calls GROUP BY prompt"


def toolsets_of(name: str) -> list[Toolset]:
    """Return the toolsets of one page."""
    return [each for each in (*TOOLSETS, *EXTRA_TOOLSETS) if each.name == name]


async def page(name: str, postgres: TestPostgres, embedder: Embedder) -> str:
    """Return the page of a toolset, its examples carried out."""
    script = SCRIPTS[name]
    with greenwich(), postgres.clone() as database:
        shown = await _play_script(name, script, postgres, database, embedder)
    if any(each.line.open_world for each in shown):
        with postgres.clone() as database:
            asked = await _prompt_counts(script, postgres, database, embedder)
        for each in shown:
            each.asked = asked[each.line.name]
    still = Stillness()
    parts = [_top(name, shown), *(section(name, each, still) for each in shown)]
    return "\n\n".join([*parts, _errors(shown), _resources(name)]).rstrip() + "\n"


async def _play_script(
    name: str, script: Script, postgres: TestPostgres, database: str, embedder: Embedder
) -> list[ToolDescription]:
    access = postgres.access(database)
    found: dict[str, ToolDescription] = {}
    kept = {line.name: (line, each.envelope) for each in toolsets_of(name) for line in each.tools}
    async with playing(access, embedder, SERVED, script.prepare) as player:
        tools = {tool.name: tool for tool in await _tools(player.client)}
        for step in script.steps:
            played = await player.play(step)
            if played.failed:
                raise AssertionError(f"{step.tool}: {played.text}")
            if step.shown:
                tool = tools[step.tool]
                wrong = await errors.provoked(player, step, tool.input_schema)
                found[step.tool] = ToolDescription(*kept[step.tool], tool, played, wrong)
    return [found[each] for each in kept]


async def _tools(client: Client) -> Sequence[Tool]:
    return (await client.list_tools()).tools


async def _prompt_counts(
    script: Script, postgres: TestPostgres, database: str, embedder: Embedder
) -> dict[str, dict[str, int]]:
    """Return for each tool which prompts its example asks, and how often."""
    found: dict[str, dict[str, int]] = {}
    access = postgres.access(database)
    llm = ReadyLlm()
    async with playing(access, embedder, SERVED, script.prepare, llm=llm) as player:
        before = dict(query(access, ASKED))
        for step in script.steps:
            await player.play(step)
            now = dict(query(access, ASKED))
            if step.shown:
                found[step.tool] = {
                    prompt: count - before.get(prompt, 0)
                    for prompt, count in sorted(now.items())
                    if count > before.get(prompt, 0)
                }
            before = now
    return found


def _top(name: str, shown: Sequence[ToolDescription]) -> str:
    words = PAGES[name]
    deeper = ", ".join(f"[{each}](../{each}.md)" for each in words.deeper)
    rows = [
        (f"[`{each.line.name}`](#{each.line.name})", _first(each.tool), EFFECTS[each.line.effect],
         "yes" if each.line.open_world else "no")
        for each in shown
    ]  # fmt: skip
    return "\n\n".join(
        [
            f"# {words.title}",
            "<!-- Made by `python -m tests.support.toolpages`; changes by hand are lost. -->",
            f"{words.overview} More: {deeper}.",
            _served(name),
            schema.table(("tool", "what it does", "effect", "asks a model"), rows),
            "\n\n".join(_form(each, shown) for each in FORMS if _of(each[0], shown)),
            READING.format(items=LINES, letters=LETTERS),
        ]
    )


def _served(name: str) -> str:
    """Return how a toolset is served: by its own name, and as its reference."""
    reference = next((each for each, toolset in SERVED_AS.items() if toolset == name), None)
    if reference is None:
        return f"`reasonloom serve --toolsets {name}` serves these tools alone."
    return (
        f"`reasonloom serve --toolsets {name}` serves these tools alone; `--as {reference}` serves "
        "them as their reference does, without what goes beyond it."
    )


def _of(form: Envelope, shown: Sequence[ToolDescription]) -> list[ToolDescription]:
    return [each for each in shown if each.form is form]


def _form(form: tuple[Envelope, str, str], shown: Sequence[ToolDescription]) -> str:
    """Return how the answers of a form read; whose they are, where a page has several."""
    members = _of(form[0], shown)
    if len(members) == len(shown):
        return form[2]
    return f"{', '.join(f'`{each.line.name}`' for each in members)}: {form[2]}"


def _first(tool: Tool) -> str:
    return (tool.description or "").split(". ")[0].rstrip(".")


def _errors(shown: Sequence[ToolDescription]) -> str:
    """Return what any tool of the page can answer besides, form by form."""
    forms = [each for each in FORMS if _of(each[0], shown)]
    parts = ["## Errors of every tool"]
    for form, _, _ in forms:
        members = _of(form, shown)
        if len(forms) > 1:
            parts.append(", ".join(f"`{each.line.name}`" for each in members) + ":")
        of_llm = any(each.line.open_world for each in members)
        parts.append(errors.common(form, of_llm=of_llm))
    return "\n\n".join(parts)


def _resources(name: str) -> str:
    if name not in INVENTORY:
        return "## Resources\n\nNone of its own."
    rows = [
        (f"`{kind.uri('') if kind.single else kind.template}`", kind.description)
        for kind in KINDS
        if kind.toolset in (name, "all")
    ]
    return "## Resources\n\n" + schema.table(("address", "what"), rows)


def main(names: Sequence[str]) -> None:
    """Write some pages anew, all where none is named, whatever the machine's settings are."""
    for variable in [name for each in Settings.model_fields for name in variables_of(each)]:
        os.environ.pop(variable, None)
    embedder = choose_embedder(Settings())
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, running_server() as postgres:
        os.environ.update(REASONLOOM_LLM="offline", REASONLOOM_HOME=home)
        for name in names or SCRIPTS:
            told = asyncio.run(page(name, postgres, embedder))
            (FOLDER / f"{name}.md").write_text(told, encoding="utf-8")
