"""Selects the served tools: toolsets, single tools, exclusions, read-only, or one reference.

A kind of resource is served with the tools of its toolset, never with a single reference.
"""

import json
from collections.abc import Callable, Collection, Iterable

from reasonloom.contracts.example_calls import SAMPLES
from reasonloom.contracts.toolsets import (
    ALL_TOOLS,
    EXTRA_TOOLS,
    INVENTORY,
    SERVED_AS,
    reference_name,
)
from reasonloom.errors import SettingMistake
from reasonloom.llm.providers.caller import CALLER
from reasonloom.server.catalogue.served import Catalogue, ServedTool, applicable_advice
from reasonloom.server.envelopes.short import shortened
from reasonloom.server.names import known_name
from reasonloom.server.resources.kind import Kind
from reasonloom.server.resources.table import KINDS
from reasonloom.server.toolsets import extras
from reasonloom.server.toolsets.modes import MODE_OF
from reasonloom.server.toolsets.modes import TOOLSET as MODE_TOOLSET
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset
from reasonloom.settings import Settings

MODE_TOOL = MODE_TOOLSET.tools[0].name
NO_CHOICE = ("default",)
"""The toolsets if none is named."""


DEFAULT_TOOLS = (
    "remember", "recall", "search", "update_memory", "forget", "history_search", "memory_ground",
    "reason", "evaluate", "memory_session_resume",
)  # fmt: skip
"""The tools of `--toolsets default`; where the caller is the language model, `reasoning_answer` and
`reasoning_waiting` join them."""

CLASSIC_TOOLS = (
    "remember", "recall", "search", "update_memory", "forget", "think", "analyze", "ponder",
    "breakdown", "evaluate", "assess_confidence", "detect_bias", "reasoning_linear",
    "reasoning_tree", "reasoning_divergent", "reasoning_reflection", "reasoning_auto",
    "reasoning_checkpoint_create", "reasoning_backtrack", "memory_ground",
)  # fmt: skip
"""The tools of `--toolsets classic`: those of memory, and a tool for each mode of reasoning."""


def as_reference(settings: Settings) -> Catalogue:
    """Return the whole catalogue of the reference named in the settings.

    Raises:
        SettingMistake: the name is unknown, or conflicts with another setting.
    """
    if settings.llm == CALLER:
        raise SettingMistake(
            f"--as: a reference's tools answer at once, so REASONLOOM_LLM={CALLER} cannot serve "
            "them; leave it out, or set a provider, such as litellm:openai/gpt-5",
            field="--as",
        )
    if given := _conflicting_choice(settings):
        raise SettingMistake(f"--as serves exactly one reference; leave out {given}", field="--as")
    name = known_name(str(settings.serve_as), SERVED_AS, "REASONLOOM_AS")
    return _reference_catalogue(_reference_toolset(name), lambda line: True)


def reference_catalogues(settings: Settings) -> dict[str, Catalogue]:
    """Return the catalogues of references served alongside the combined one, by name.

    All references, or those whose toolsets are named; `--exclude-tools` and `--read-only` apply
    to them too. Empty with `--as`, or if only single tools are named.
    """
    if settings.serve_as is not None:
        return {}

    def kept(line: ToolLine) -> bool:
        reads = line.effect is Effect.READS or not settings.read_only
        return reads and line.name not in settings.exclude_tools

    made = {
        name: _reference_catalogue(_reference_toolset(name), kept)
        for name in SERVED_AS
        if _is_named(name, settings)
    }
    return {name: catalogue for name, catalogue in made.items() if catalogue.tools}


def _is_named(name: str, settings: Settings) -> bool:
    if settings.toolsets == NO_CHOICE:
        return not settings.tools
    return "all" in settings.toolsets or SERVED_AS[name] in settings.toolsets


def _reference_toolset(name: str) -> Toolset:
    return next(each for each in TOOLSETS if each.name == SERVED_AS[name])


def _reference_catalogue(toolset: Toolset, kept: Callable[[ToolLine], bool]) -> Catalogue:
    lines = [line for line in toolset.tools if kept(line)]
    names = {line.name: reference_name(line.name) for line in lines}
    tools = tuple(
        ServedTool(
            names[line.name], line.under_reference(names[line.name]), toolset.envelope, toolset.name
        )
        for line in lines
    )
    return Catalogue(
        toolset.reference, toolset.version, tools, advice=applicable_advice((toolset,), names)
    )


def _conflicting_choice(settings: Settings) -> str | None:
    """Return the first setting that conflicts with `--as`."""
    choices = {
        "--toolsets": settings.toolsets != NO_CHOICE,
        "--tools": bool(settings.tools),
        "--exclude-tools": bool(settings.exclude_tools),
        "--read-only": settings.read_only,
    }
    return next((name for name, given in choices.items() if given), None)


OWNER_ADVICE = "Leave userId out: the memory belongs to {owner}, and every tool reads it."
SUPERSEDE_ADVICE = "Where remember answers mayReplace, settle it with supersede: [id]."


def _owner_advice(settings: Settings, names: Collection[str]) -> tuple[str, ...]:
    """Return advice on the memory's owner, and on facts that change."""
    by_token = settings.tokens or settings.oauth_issuer
    owner = "the owner that the token names" if by_token else repr(settings.user)
    advice = {"recall": OWNER_ADVICE.format(owner=owner), "remember": SUPERSEDE_ADVICE}
    return tuple(sentence for name, sentence in advice.items() if name in names)


FOR_CALLER = ("reasoning_answer", "reasoning_waiting")
"""Tools that are served where the caller is the language model."""

PROFILES = {"default": DEFAULT_TOOLS, "classic": CLASSIC_TOOLS}
GROUPS = (*PROFILES, "all", *INVENTORY, extras.TOOLSET.name)
NAMES = (*ALL_TOOLS, *EXTRA_TOOLS)


def choose(settings: Settings) -> Catalogue:
    """Return the configured catalogue.

    Raises:
        SettingMistake: a name is unknown, a setting conflicts with `--as`, or no tool is left.
    """
    if settings.serve_as is not None:
        return as_reference(settings)
    wanted = _selected_names(settings)
    short = settings.answers == "short"
    built = _built((*TOOLSETS, *EXTRA_TOOLSETS), short=short)
    tools = [served for served in built if served.name in wanted]
    if settings.read_only:
        tools = [served for served in tools if served.line.effect is Effect.READS]
    if not tools:
        raise SettingMistake("no tool is left to serve: choose other toolsets or tools")
    names = {served.name: served.name for served in tools}
    return Catalogue(
        "reasonloom",
        None,
        tuple(tools),
        _served_resources(tools),
        (*_owner_advice(settings, names), *applicable_advice((*TOOLSETS, *EXTRA_TOOLSETS), names)),
        asks_caller(settings),
    )


def asks_caller(settings: Settings) -> bool:
    """Return whether the model that calls a tool is the tool's language model."""
    return settings.llm == CALLER and not settings.read_only


def why_not_served(name: str, settings: Settings) -> str | None:
    """Return what serves a tool that the combined server lacks; None for an unknown name."""
    if name in FOR_CALLER:
        return "it answers the questions of runs where REASONLOOM_LLM=caller"
    if name not in NAMES:
        return None
    if name in settings.exclude_tools:
        return "--exclude-tools leaves it out"
    if settings.read_only and LINES[name].effect is not Effect.READS:
        return "--read-only leaves it out"
    groups = ("default", "classic", *INVENTORY, extras.TOOLSET.name)
    group = next(each for each in groups if name in _members(each))
    flag = f"start the server with --toolsets {','.join(dict.fromkeys((*NO_CHOICE, group)))}"
    mode = MODE_OF.get(name)
    if mode and MODE_TOOL in _selected_names(settings):
        call = json.dumps({"text": SAMPLES["text"], "mode": mode})
        return f"call {MODE_TOOL} {call} instead, or {flag}"
    return flag


def built_names() -> list[str]:
    """Return the names of the references' built tools."""
    return [served.name for served in _built(TOOLSETS)]


LINES = {line.name: line for each in (*TOOLSETS, *EXTRA_TOOLSETS) for line in each.tools}
ANSWERS = {name: line.answer for name, line in LINES.items()}
"""Answer models by tool name."""


def _built(toolsets: Iterable[Toolset], *, short: bool = False) -> list[ServedTool]:
    return [
        ServedTool(
            line.name,
            line,
            shortened(toolset.envelope, line.answer, ANSWERS) if short else toolset.envelope,
            toolset.name,
            short,
        )
        for toolset in toolsets
        for line in toolset.tools
    ]


def _served_resources(tools: Iterable[ServedTool]) -> tuple[Kind, ...]:
    """Return the kinds of resources whose toolset is served at least partly."""
    names = {name for served in tools for name in (served.name, *served.line.runs)}
    return tuple(kind for kind in KINDS if names.intersection(_members(kind.toolset)))


def _selected_names(settings: Settings) -> set[str]:
    """Return the selected names; single tools are added to named toolsets."""
    names: set[str] = set()
    only_tools = settings.tools and settings.toolsets == ("default",)
    for group in () if only_tools else settings.toolsets:
        names.update(_members(known_name(group, GROUPS, "REASONLOOM_TOOLSETS")))
    names.update(known_name(name, NAMES, "REASONLOOM_TOOLS") for name in settings.tools)
    names -= {
        known_name(name, NAMES, "REASONLOOM_EXCLUDE_TOOLS") for name in settings.exclude_tools
    }
    return names


def _members(group: str) -> Iterable[str]:
    if group in PROFILES:
        return PROFILES[group]
    if group == extras.TOOLSET.name:
        return EXTRA_TOOLS
    return ALL_TOOLS if group == "all" else INVENTORY[group]
