"""Chooses what is served: toolsets, single tools, exclusions, read-only, or one reference.

A kind of resource is served beside the tools of its toolset, and never as a reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from reasonloom.contracts.inventory import (
    ALL,
    DEFAULT,
    EXTRAS,
    INVENTORY,
    SERVED_AS,
    reference_name,
)
from reasonloom.errors import SettingMistake
from reasonloom.server.access.scopes import scope_of
from reasonloom.server.advice import advised
from reasonloom.server.forms.form import Form
from reasonloom.server.resources.kind import Kind
from reasonloom.server.resources.table import KINDS
from reasonloom.server.toolsets import (
    extras,
    graph_memory,
    history,
    mental_models,
    model_extras,
    reasoning,
    thought,
)
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

if TYPE_CHECKING:
    from reasonloom.settings import Settings

TOOLSETS: tuple[Toolset, ...] = (
    thought.TOOLSET,
    reasoning.TOOLSET,
    graph_memory.TOOLSET,
    history.TOOLSET,
    mental_models.TOOLSET,
)
BEYOND: tuple[Toolset, ...] = (extras.TOOLSET, extras.REASONING, model_extras.TOOLSET)
"""Toolsets of no reference: served only where they, or their tools, are named."""

CONFORMANCE = "conformance"
"""The hidden toolset of fixtures for the public conformance suite: in no other, in no list."""

GROUPS = ("default", "all", *INVENTORY, extras.TOOLSET.name)
NAMES = (*ALL, *EXTRAS)


@dataclass(frozen=True, slots=True)
class Served:
    """One tool that is served, with its reference's form; `name` is what clients call it."""

    name: str
    line: ToolLine
    form: Form
    toolset: str

    @property
    def needed(self) -> str:
        """The narrowest scope of a token that allows it."""
        return scope_of(self.toolset, reads=self.line.effect is Effect.READS)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What one server offers, in the order it lists it, its name, and what it advises."""

    name: str
    version: str | None
    tools: tuple[Served, ...]
    resources: tuple[Kind, ...] = ()
    advice: tuple[str, ...] = ()
    conformance: bool = False


def choose(settings: Settings) -> Catalogue:
    """Return the tools that the settings ask for, as far as they are built.

    Raises:
        SettingMistake: an unknown name, a choice beside `--as`, or nothing left to serve.
    """
    if settings.serve_as is not None:
        return _as_reference(settings)
    wanted = _wanted(settings)
    tools = [served for served in _built((*TOOLSETS, *BEYOND)) if served.name in wanted]
    if settings.read_only:
        tools = [served for served in tools if served.line.effect is Effect.READS]
    conformance = CONFORMANCE in settings.toolsets
    if not tools and not conformance:
        raise SettingMistake("no tool is left to serve: choose other toolsets or tools")
    names = {served.name: served.name for served in tools}
    return Catalogue(
        "reasonloom",
        None,
        tuple(tools),
        _beside(tools),
        advised((*TOOLSETS, *BEYOND), names),
        conformance,
    )


def built_names() -> list[str]:
    """Return the names of the references' tools that are built."""
    return [served.name for served in _built(TOOLSETS)]


def _built(toolsets: Iterable[Toolset]) -> list[Served]:
    return [
        Served(line.name, line, toolset.form, toolset.name)
        for toolset in toolsets
        for line in toolset.tools
    ]


def _beside(tools: Iterable[Served]) -> tuple[Kind, ...]:
    """Return the kinds of resources of whose toolset something is served."""
    names = {served.name for served in tools}
    return tuple(kind for kind in KINDS if names.intersection(_members(kind.toolset)))


def _as_reference(settings: Settings) -> Catalogue:
    given = _choices_given(settings)
    if given:
        raise SettingMistake(f"--as serves one reference whole; leave out {given}", field="--as")
    chosen = _known(str(settings.serve_as), SERVED_AS, "REASONLOOM_AS")
    toolset = next((each for each in TOOLSETS if each.name == SERVED_AS[chosen]), None)
    if toolset is None:
        raise SettingMistake(f"--as {chosen}: none of its tools is built yet", field="--as")
    tools = tuple(
        Served(reference_name(line.name), _referred(line), toolset.form, toolset.name)
        for line in toolset.tools
    )
    names = {line.name: reference_name(line.name) for line in toolset.tools}
    return Catalogue(toolset.reference, toolset.version, tools, advice=advised((toolset,), names))


def _referred(line: ToolLine) -> ToolLine:
    """Return a tool as its reference alone knows it."""
    request = line.reference_request or line.request
    return replace(line, name=reference_name(line.name), request=request)


def _choices_given(settings: Settings) -> str | None:
    """Return the first choice that cannot stand beside `--as`."""
    choices = {
        "--toolsets": settings.toolsets != ("default",),
        "--tools": bool(settings.tools),
        "--exclude-tools": bool(settings.exclude_tools),
        "--read-only": settings.read_only,
    }
    return next((name for name, given in choices.items() if given), None)


def _wanted(settings: Settings) -> set[str]:
    """Return the chosen names: single tools are added to toolsets that are named."""
    names: set[str] = set()
    only_tools = settings.tools and settings.toolsets == ("default",)
    groups = [group for group in settings.toolsets if group != CONFORMANCE]
    for group in () if only_tools else groups:
        names.update(_members(_known(group, GROUPS, "REASONLOOM_TOOLSETS")))
    names.update(_known(name, NAMES, "REASONLOOM_TOOLS") for name in settings.tools)
    names -= {_known(name, NAMES, "REASONLOOM_EXCLUDE_TOOLS") for name in settings.exclude_tools}
    return names


def _members(group: str) -> Iterable[str]:
    if group == "default":
        return DEFAULT
    if group == extras.TOOLSET.name:
        return EXTRAS
    return ALL if group == "all" else INVENTORY[group]


def _known(name: str, names: Iterable[str], variable: str) -> str:
    known = list(names)
    if name in known:
        return name
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    raise SettingMistake(f"{variable}: there is no {name}; {hint}", field=variable)
