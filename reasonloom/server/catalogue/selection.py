"""Chooses what is served: toolsets, single tools, exclusions, read-only, or one reference.

A kind of resource is served beside the tools of its toolset, and never as a reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reasonloom.contracts.tool_names import ALL, DEFAULT, EXTRAS, INVENTORY
from reasonloom.errors import SettingMistake
from reasonloom.server.catalogue.advice import advised
from reasonloom.server.catalogue.references import as_reference
from reasonloom.server.catalogue.served import Catalogue, Served
from reasonloom.server.names import known_name
from reasonloom.server.resources.kind import Kind
from reasonloom.server.resources.table import KINDS
from reasonloom.server.toolsets import extras
from reasonloom.server.toolsets.table import BEYOND, TOOLSETS
from reasonloom.server.toolsets.toolset import Effect, Toolset

if TYPE_CHECKING:
    from reasonloom.settings import Settings

CONFORMANCE = "conformance"
"""The hidden toolset of fixtures for the public conformance suite: in no other, in no list."""

GROUPS = ("default", "all", *INVENTORY, extras.TOOLSET.name)
NAMES = (*ALL, *EXTRAS)


def choose(settings: Settings) -> Catalogue:
    """Return the tools that the settings ask for, as far as they are built.

    Raises:
        SettingMistake: an unknown name, a choice beside `--as`, or nothing left to serve.
    """
    if settings.serve_as is not None:
        return as_reference(settings)
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


def _wanted(settings: Settings) -> set[str]:
    """Return the chosen names: single tools are added to toolsets that are named."""
    names: set[str] = set()
    only_tools = settings.tools and settings.toolsets == ("default",)
    groups = [group for group in settings.toolsets if group != CONFORMANCE]
    for group in () if only_tools else groups:
        names.update(_members(known_name(group, GROUPS, "REASONLOOM_TOOLSETS")))
    names.update(known_name(name, NAMES, "REASONLOOM_TOOLS") for name in settings.tools)
    names -= {
        known_name(name, NAMES, "REASONLOOM_EXCLUDE_TOOLS") for name in settings.exclude_tools
    }
    return names


def _members(group: str) -> Iterable[str]:
    if group == "default":
        return DEFAULT
    if group == extras.TOOLSET.name:
        return EXTRAS
    return ALL if group == "all" else INVENTORY[group]
