"""A language model that answers each kind of question as the test says."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from reasonloom.llm.interfaces import Ask, Reply, Usage

ReplyFields = dict[str, Any] | str | float | Exception
"""An object, text that is none, seconds to wait before an answer of no use, or a fault."""


class AnsweringLlm:
    """Answers by the first property that a question's schema requires.

    Each answer is what is said always, a list said in turn (the last one again), or a function
    of the question. `asked` holds the questions by that property, in their order.
    """

    name = "answering"
    offline = False

    def __init__(
        self, **answers: ReplyFields | list[ReplyFields] | Callable[[Ask], ReplyFields]
    ) -> None:
        self.answers = answers
        self.asked: dict[str, list[Ask]] = {}
        self.at_once = self.most_at_once = 0
        self.seconds = 0.0

    @property
    def counts(self) -> Counter[str]:
        """How often each kind of question was asked."""
        return Counter({kind: len(asks) for kind, asks in self.asked.items()})

    async def answer(self, ask: Ask) -> Reply:
        required = (ask.schema or {})["required"]
        kind = next((name for name in required if name in self.answers), required[0])
        asks = self.asked.setdefault(kind, [])
        asks.append(ask)
        said = self.answers[kind]
        if callable(said):
            said = said(ask)
        if isinstance(said, list):
            said = said[min(len(asks), len(said)) - 1]
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            await asyncio.sleep(said if isinstance(said, float) else self.seconds)
        finally:
            self.at_once -= 1
        if isinstance(said, Exception):
            raise said
        parsed = said if isinstance(said, dict) else None
        return Reply(str(said), parsed, "answering-1", Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Do nothing."""


def words_of(ask: Ask) -> str:
    """Return all that a question tells the language model."""
    return "\n".join(str(message.content) for message in ask.messages)
