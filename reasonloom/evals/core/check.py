"""Finds whatever is wrong with a run before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.errors import CallerMistake, InvalidArgument
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import load_settings

if TYPE_CHECKING:
    from reasonloom.evals.core.suite import Suite
    from reasonloom.evals.core.system import System
    from reasonloom.evals.core.way import Way
    from reasonloom.settings import Settings


def check(
    suite: Suite, system: System, *, epochs: int = 1, settings: Settings | None = None
) -> None:
    """Find whatever is wrong with a run before anything is asked, without making it.

    Raises:
        CallerMistake: the suite or the system is not right; says what and where.
    """
    settings = settings or load_settings()
    checked(suite, system, PromptRegistry(settings.prompts).pinning(system.prompts), epochs)


def checked(suite: Suite, system: System, prompts: PromptRegistry, epochs: int) -> Way:
    """Return how the items are answered; find whatever is wrong before anything is asked."""
    if epochs < 1:
        raise InvalidArgument("epochs: must be 1 or more", field="epochs")
    way = system.way or suite.way
    if way is None:
        raise InvalidArgument(
            f"{suite.name}: says not who is to answer; name a tool or a prompt", field="tool"
        )
    suite.check()
    used = way.prompts()
    for name in system.prompts:
        if used is not None and name not in used:
            raise InvalidArgument(f"{suite.name}: asks no prompt {name}", field="prompt")
    for place, item in enumerate(suite.items):
        try:
            way.check(item, prompts)
        except CallerMistake as mistake:
            where = suite.where[place] if place < len(suite.where) else f"item {place + 1}"
            said = f"{suite.name}: {where}: {mistake.message}"
            raise InvalidArgument(said, field=mistake.field) from None
    return way
