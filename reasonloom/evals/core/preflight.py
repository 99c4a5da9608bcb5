"""Validates a run before anything is called, and builds the head of its log."""

from typing import Any

from reasonloom import __version__
from reasonloom.errors import CallerMistake, InvalidArgument
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Way
from reasonloom.llm.interfaces import LanguageModel
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings, load_settings

KIND = "system"
"""The head's `kind`, which distinguishes such runs from the project's older evals."""


def run_head(
    suite: Suite, way: Way, llm: LanguageModel, prompts: PromptRegistry, settings: Settings
) -> dict[str, Any]:
    """Build the head.

    `prompts` are the prompts that may be used; `texts` are their texts by hash. The budget is per
    item: calls, tokens, US dollars and seconds.
    """
    scorers = [scorer.about() for scorer in suite.scorers]
    judges = [about["prompt"] for about in scorers if "prompt" in about]
    used = way.prompts()
    names = [*(prompts.names() if used is None else used), *judges]
    templates = {name: prompts.get(name) for name in dict.fromkeys(names)}
    return {
        "eval": suite.name,
        "kind": KIND,
        "reasonloom": __version__,
        "items": len(suite.items),
        "items_sha256": suite.digest,
        **suite.about,
        "scorers": scorers,
        "system": {
            **way.about(),
            "llm": llm.name if way.asks else None,
            "budget": {
                "calls": settings.budget_calls,
                "tokens": settings.budget_tokens,
                "usd": settings.budget_usd,
                "seconds": settings.tool_timeout,
            },
        },
        "prompts": {
            name: {"version": each.about.version, "hash": each.hash}
            for name, each in templates.items()
        },
        "texts": {each.hash: each.text for each in templates.values()},
    }


def preflight(
    suite: Suite, system: System, *, epochs: int = 1, settings: Settings | None = None
) -> None:
    """Validate a run without starting it; CallerMistake states what is wrong and where."""
    settings = settings or load_settings()
    validate_run(suite, system, PromptRegistry(settings.prompts).pinning(system.prompts), epochs)


def validate_run(suite: Suite, system: System, prompts: PromptRegistry, epochs: int) -> Way:
    """Validate a run and return the way its items are answered."""
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
            message = f"{suite.name}: {suite.place(place)}: {mistake.message}"
            raise InvalidArgument(message, field=mistake.field) from None
    return way
