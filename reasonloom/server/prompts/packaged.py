"""The prompts of the modes as MCP prompts, for use with any language model.

A template's variables are the arguments; `arguments.py` parses them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from mcp.server.mcpserver.prompts.base import Prompt, PromptArgument, UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from reasonloom.errors import PromptMistake
from reasonloom.server.prompts.guide import read_guide

if TYPE_CHECKING:
    from reasonloom.prompts.template import PromptTemplate
    from reasonloom.settings import Settings

OF_EVALS = ("evals/", "game24/", "intersection/", "sorting/")
"""Prefixes of prompts used only in our evals, which are not served."""


def template_prompts(settings: Settings) -> list[Prompt]:
    """Return the user's own templates as prompts; with the toolset `all`, the packaged ones too.

    The newest version of each; the user's folder overrides the package.

    Raises:
        PromptMistake: a template in the user's folder is invalid.
        SettingMistake: the folder does not exist.
    """
    from reasonloom.prompts.registry import PromptRegistry

    registry, all_served = PromptRegistry(settings.prompts), "all" in settings.toolsets
    packaged = () if all_served else PromptRegistry().names()
    names = [
        name for name in registry.names() if not name.startswith(OF_EVALS) and name not in packaged
    ]
    guide = [_guide()] if all_served else []
    return [*guide, *(_prompt(registry.get(name)) for name in names)]


def _guide() -> Prompt:
    async def fill() -> list[UserMessage]:
        return [UserMessage(read_guide().split("---\n", 2)[2].strip())]

    return Prompt(
        name="reasonloom-guide",
        title="How to use reasonloom",
        description="When to recall and remember, which mode for which problem, how to answer.",
        arguments=[],
        fn=fill,
    )


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
    from reasonloom.prompts.variables import required_variables, variable_uses
    from reasonloom.server.prompts.arguments import argument_description

    needed = required_variables(template)
    for name, uses in variable_uses(template).items():
        yield PromptArgument(
            name=name, description=argument_description(uses), required=name in needed
        )


def _filler(template: PromptTemplate) -> Callable[..., Awaitable[list[UserMessage]]]:
    """Return the function that renders a template; missing arguments are empty."""
    from reasonloom.llm.messages import schema_in_words
    from reasonloom.prompts.variables import required_variables, variable_uses
    from reasonloom.server.prompts.arguments import read_argument

    needed, used = required_variables(template), variable_uses(template)

    async def fill(**given: str) -> list[UserMessage]:
        values = {
            name: read_argument(name, given.get(name, ""), uses, required=name in needed)
            for name, uses in used.items()
        }
        try:
            messages = template.render(**values)
        except PromptMistake as mistake:
            raise MCPError(code=INVALID_PARAMS, message=mistake.message) from None
        form = [schema_in_words(messages.schema)] if messages.schema else []
        return [UserMessage("\n\n".join([messages.system, *form])), UserMessage(messages.user)]

    return fill
