"""A language model that numbers its thoughts, and tells which history it was asked with."""

from __future__ import annotations

import asyncio
import re

from reasonloom.llm.interfaces import Ask, Reply, Usage

CONCLUDED = re.compile(r"^\s+concluded: (.*)$", re.M)
ASKED_FOR = re.compile(r"<(?:thought|request|direction)>\n(.*)\n</", re.S)


class TellingLlm:
    """Answers `thought about X` to X; `seen` holds of each request the history in its messages."""

    name = "telling"
    offline = False

    def __init__(self, *, seconds: float = 0.0, confidence: float = 0.9) -> None:
        self.seconds = seconds
        self.confidence = confidence
        self.seen: dict[str, list[str]] = {}

    async def answer(self, ask: Ask) -> Reply:
        message = str(ask.messages[-1].content)
        match = ASKED_FOR.search(message)
        assert match
        content = match[1]
        self.seen[content] = CONCLUDED.findall(message)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        parsed = {"thought": f"thought about {content}", "confidence": self.confidence}
        return Reply(str(parsed), parsed, "telling-1", Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Do nothing."""
