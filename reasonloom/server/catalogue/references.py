"""Serves one toolset whole under exactly its reference's names, in place of the original."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from reasonloom.contracts.tool_names import SERVED_AS, reference_name
from reasonloom.errors import SettingMistake
from reasonloom.server.catalogue.advice import advised
from reasonloom.server.catalogue.served import Catalogue, Served
from reasonloom.server.names import known_name
from reasonloom.server.toolsets.table import TOOLSETS
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

if TYPE_CHECKING:
    from reasonloom.settings import Settings

CHOOSING_NOTHING = ("default",)
"""The toolsets where none is named."""


def as_reference(settings: Settings) -> Catalogue:
    """Return the reference that the settings name, whole.

    Raises:
        SettingMistake: an unknown name, or a choice beside it.
    """
    if given := _choice_given(settings):
        raise SettingMistake(f"--as serves one reference whole; leave out {given}", field="--as")
    name = known_name(str(settings.serve_as), SERVED_AS, "REASONLOOM_AS")
    return _catalogue(_toolset(name), lambda line: True)


def references_beside(settings: Settings) -> dict[str, Catalogue]:
    """Return the references that are served beside the combined catalogue, by their names.

    All, or those whose toolsets are named where some are; `--exclude-tools` and `--read-only`
    hold for them too. None beside a reference, or beside single tools alone.
    """
    if settings.serve_as is not None:
        return {}

    def kept(line: ToolLine) -> bool:
        reads = line.effect is Effect.READS or not settings.read_only
        return reads and line.name not in settings.exclude_tools

    made = {
        name: _catalogue(_toolset(name), kept) for name in SERVED_AS if _is_named(name, settings)
    }
    return {name: catalogue for name, catalogue in made.items() if catalogue.tools}


def _is_named(name: str, settings: Settings) -> bool:
    if settings.toolsets == CHOOSING_NOTHING:
        return not settings.tools
    return "all" in settings.toolsets or SERVED_AS[name] in settings.toolsets


def _toolset(name: str) -> Toolset:
    return next(each for each in TOOLSETS if each.name == SERVED_AS[name])


def _catalogue(toolset: Toolset, kept: Callable[[ToolLine], bool]) -> Catalogue:
    lines = [line for line in toolset.tools if kept(line)]
    names = {line.name: reference_name(line.name) for line in lines}
    tools = tuple(
        Served(names[line.name], _referred(line), toolset.form, toolset.name) for line in lines
    )
    return Catalogue(toolset.reference, toolset.version, tools, advice=advised((toolset,), names))


def _referred(line: ToolLine) -> ToolLine:
    """Return a tool as its reference alone knows it."""
    request = line.reference_request or line.request
    return replace(line, name=reference_name(line.name), request=request)


def _choice_given(settings: Settings) -> str | None:
    """Return the first choice that cannot stand beside `--as`."""
    choices = {
        "--toolsets": settings.toolsets != CHOOSING_NOTHING,
        "--tools": bool(settings.tools),
        "--exclude-tools": bool(settings.exclude_tools),
        "--read-only": settings.read_only,
    }
    return next((name for name, given in choices.items() if given), None)
