"""The prompts of the modes as MCP prompts: what we ask a language model, anyone may ask theirs.

A template's variables are the arguments. MCP's arguments are texts, so a list or an object is
given as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcp.server.mcpserver.prompts.base import Prompt, PromptArgument, UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from reasonloom.errors import PromptMistake

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from reasonloom.prompts.template import PromptTemplate
    from reasonloom.settings import Settings

OF_EVALS = ("evals/", "game24/", "intersection/", "sorting/")
"""Prompts of tasks that our own measurements set, of no use to anybody else."""


def packaged_prompts(settings: Settings) -> list[Prompt]:
    """Return the newest version of each prompt, those of the user's folder over the packaged ones.

    Raises:
        PromptMistake: a template of the user's folder cannot be used.
        SettingMistake: there is no such folder.
    """
    from reasonloom.prompts.registry import PromptRegistry  # noqa: PLC0415 - tools come first

    registry = PromptRegistry(settings.prompts)
    names = [name for name in registry.names() if not name.startswith(OF_EVALS)]
    return [_prompt(registry.get(name)) for name in names]


def _prompt(template: PromptTemplate) -> Prompt:
    about = template.about
    step = about.name.replace("/", ": ").replace("_", " ")
    return Prompt(
        name=about.name,
        title=step[:1].upper() + step[1:],
        description=f"What a language model is asked for {step}, version {about.version}.",
        arguments=list(_arguments(template)),
        fn=_filler(template),
    )


def _arguments(template: PromptTemplate) -> Iterator[PromptArgument]:
    from reasonloom.prompts.required import listed, required  # noqa: PLC0415 - as above

    needed, lists = required(template), listed(template)
    for name in template.about.variables:
        form = "A list, as JSON." if name in lists else "A text; a list or an object as JSON."
        yield PromptArgument(name=name, description=form, required=name in needed)


def _filler(template: PromptTemplate) -> Callable[..., Awaitable[list[UserMessage]]]:
    """Return the function that fills a template in; what is not given stays unsaid."""

    async def fill(**given: str) -> list[UserMessage]:
        values = {name: _read(given.get(name, "")) for name in template.about.variables}
        try:
            said = template.render(**values)
        except PromptMistake as mistake:
            raise MCPError(code=INVALID_PARAMS, message=mistake.message) from None
        return [UserMessage(said.system), UserMessage(said.user)]

    return fill


def _read(text: str) -> object:
    """Return what a text means: a list, an object, a number or a truth where it is JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if value is None or isinstance(value, str) else value
