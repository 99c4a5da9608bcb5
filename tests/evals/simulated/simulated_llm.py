"""Asks a simulated language model with the packaged prompts, as a mode would."""

from __future__ import annotations

import math
from typing import Any

from langchain_core.messages import HumanMessage

from reasonloom.llm.coercion import conforms
from reasonloom.llm.interfaces import Ask, LanguageModel
from reasonloom.prompts.registry import PromptRegistry

PROMPTS = PromptRegistry()


def asking(prompt: str, *, sample: int = 0, **variables: Any) -> Ask:
    """Return the question of a packaged prompt, with nothing but what it says and its form."""
    rendered = PROMPTS.get(prompt).render(**variables)
    return Ask(messages=rendered.messages(), schema=rendered.schema, sample=sample)


async def reply_of(model: LanguageModel, prompt: str, *, sample: int = 0, **variables: Any) -> Any:
    """Return a model's answer as an object; it follows the prompt's schema."""
    ask = asking(prompt, sample=sample, **variables)
    reply = await model.answer(ask)
    assert reply.parsed is not None, reply.text
    assert ask.schema
    assert conforms(reply.parsed, ask.schema)
    return reply.parsed


def saying(words: str, schema: dict[str, Any] | None) -> Ask:
    """Return a question of these words."""
    return Ask(messages=[HumanMessage(words)], schema=schema)


def margin(share: float, count: int) -> float:
    """Return four standard errors of a share: a right rate misses it once in 16,000 times."""
    return 4 * math.sqrt(share * (1 - share) / count)
