"""What a worker needs to answer an eval's items as the process that enqueued them would."""

import json
from collections.abc import Mapping
from typing import Any

from reasonloom import __version__
from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.llm_calls import Limits
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import AnswerContext, Asking, Way
from reasonloom.prompts.registry import PromptRegistry

SPEC = "spec"
"""The key of an eval's description; the other keys are `DIGEST/EPOCH` of its items."""

DECIDING = (
    "llm", "judge_llm", "embedder", "tool_timeout", "budget_calls", "budget_tokens", "budget_usd",
    "output_tokens", "recency_half_life_days", "history_tokens", "context_tokens", "judges",
)  # fmt: skip
"""Settings that decide answers; the enqueuing process's apply. Keys and folders are a worker's."""


def plain_way(way: Way) -> dict[str, Any]:
    """Return a way as a JSON object.

    Raises:
        InvalidArgument: it has functions, which no other process can be given.
    """
    if isinstance(way, Tool) and way.ask is None:
        return {"tool": way.name, "arguments": dict(way.arguments), "read": way.read}
    if isinstance(way, Asking) and way.variables is None:
        return {"prompt": way.prompt, "read": way.read}
    raise InvalidArgument(
        "--workers: this eval answers with functions of its own, which workers do not have; let a"
        " tool or a prompt answer, such as --by reasoning_tree, or leave --workers out",
        field="--workers",
    )


def way_of(plain: Mapping[str, Any]) -> Way:
    """Return the way that `plain_way` described."""
    if "tool" in plain:
        return Tool(plain["tool"], plain["arguments"], read=plain["read"])
    return Asking(plain["prompt"], read=plain["read"])


def identity(way: Way, llm: str, prompts: PromptRegistry) -> dict[str, Any]:
    """Return what must be equal where an item is enqueued and where it is answered."""
    used = way.prompts()
    names = prompts.names() if used is None else used
    found = {
        "reasonloom": __version__,
        "way": way.about(),
        "llm": llm if way.asks else None,
        "prompts": {name: prompts.get(name).hash for name in names},
    }
    return dict(json.loads(json.dumps(found)))


def spec_of(
    way: Way, parts: AnswerContext, llm: str | None, limits: Limits, *, lenient: bool
) -> dict[str, Any]:
    """Return the description of an eval that its workers get.

    Args:
        way: how items are answered.
        parts: the run's parts.
        llm: the language model as a setting; that of the settings if None.
        limits: how many calls each worker makes at once.
        lenient: whether a provider's refusal is an answer that counts as wrong.
    """
    settings = {name: getattr(parts.settings, name) for name in DECIDING}
    names = parts.prompts.names()
    return {
        "way": plain_way(way),
        "settings": settings | ({"llm": llm} if llm else {}),
        "prompts": {name: parts.prompts.get(name).about.version for name in names},
        "limits": {"default": limits.default, "own": dict(limits.own)},
        "lenient": lenient,
        "identity": identity(way, parts.llm.name, parts.prompts),
    }


def difference(one: Mapping[str, Any], two: Mapping[str, Any]) -> str:
    """Return the names of what differs between two identities."""
    return ", ".join(name for name in one if one[name] != two.get(name))
