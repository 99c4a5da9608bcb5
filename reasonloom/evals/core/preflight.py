"""The head of a run: all that decides its answers, with the text of every prompt by its hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom import __version__

if TYPE_CHECKING:
    from reasonloom.evals.core.suite import Suite
    from reasonloom.evals.core.way import Way
    from reasonloom.llm.port import LanguageModel
    from reasonloom.prompts.registry import PromptRegistry
    from reasonloom.settings import Settings

KIND = "system"
"""What the head of such a run says of itself, beside runs of the project's own evals."""


def head_of(
    suite: Suite, way: Way, llm: LanguageModel, prompts: PromptRegistry, settings: Settings
) -> dict[str, Any]:
    """Return the head; `prompts` are those that may be asked, `texts` theirs by hash.

    The budget is that of one item: calls, tokens, US dollars and seconds.
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
