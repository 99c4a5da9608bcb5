"""A language model that proposes, follows and judges, and tells how many asked it at once."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reasonloom.llm.interfaces import Ask, Reply, Usage

THOUGHT = re.compile(r'<thought label="([A-Z])">\n(.*?)\n</thought>', re.S)
WORDS = (
    "harbour", "violin", "granite", "pepper", "lantern", "glacier", "tractor", "orchid",
    "compass", "walrus",
)  # fmt: skip
"""One for each approach: their thoughts must not be alike."""

Judge = Callable[[dict[str, str]], str]
"""Given the thoughts of a ballot by label, returns the label of the best."""


def first_approach(thoughts: dict[str, str]) -> str:
    """Choose the thought of the approach that comes first among `WORDS`."""
    return min(thoughts, key=lambda label: WORDS.index(thoughts[label].split()[-1]))


@dataclass
class ExploringLlm:
    """Answers each of the three prompts by its schema.

    Attributes:
        judge: chooses on each ballot.
        score: what a ballot gives the chosen one; the others get half.
        broken: answers by the word of an approach (or `propose`, `judge`): an error to raise,
            or text to say instead.
        seconds: how long an answer takes; `slow` by the word of an approach.
        asked: every request as messages, by kind.
        most: requests that were at work at the same time, at most, by kind.
    """

    judge: Judge = first_approach
    score: float = 0.9
    confidence: float = 0.5
    tokens: int = 10
    seconds: float = 0.0
    slow: dict[str, float] = field(default_factory=dict)
    broken: dict[str, Exception | str] = field(default_factory=dict)
    asked: dict[str, list[str]] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    name: str = "exploring"
    offline: bool = False
    _now: int = 0

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the prompt's schema demands."""
        wanted = (ask.schema or {})["required"][0]
        message = str(ask.messages[-1].content)
        kind = {"approaches": "propose", "thought": "explore", "scores": "judge"}[wanted]
        self.asked.setdefault(kind, []).append(message)
        self._now += 1
        self.most[kind] = max(self.most.get(kind, 0), self._now)
        try:
            slow = next((word for word in self.slow if f"Use the {word}" in message), "")
            await asyncio.sleep(self.slow.get(slow, self.seconds))
            return self._reply(kind, message)
        finally:
            self._now -= 1

    def _reply(self, kind: str, message: str) -> Reply:
        parsed = {"propose": self._propose, "explore": self._explore, "judge": self._judge}[kind](
            message
        )
        broken = self.broken.get(parsed.get("thought", kind).split()[-1])
        if isinstance(broken, Exception):
            raise broken
        usage = Usage(self.tokens, 5, 0.01)
        if broken is not None:
            return Reply(broken, None, "exploring-1", usage)
        return Reply(json.dumps(parsed), parsed, "exploring-1", usage)

    def _propose(self, message: str) -> dict[str, Any]:
        return {
            "approaches": [{"name": f"By {word}", "approach": f"Use the {word}"} for word in WORDS]
        }

    def _explore(self, message: str) -> dict[str, Any]:
        own = re.search(r"<approach>\nPath (\d+)", message)
        word = re.search(r"<approach>\n.*?(\w+)\.?\n</approach>", message)
        assert word
        said = WORDS[int(own[1]) - 1] if own else word[1]
        return {"thought": f"It is the {said}", "confidence": self.confidence}

    def _judge(self, message: str) -> dict[str, Any]:
        thoughts = dict(THOUGHT.findall(message))
        best = self.judge(thoughts)
        return {
            "scores": [
                {
                    "label": label,
                    "flaw": "None was found.",
                    "score": self.score if label == best else self.score / 2,
                }
                for label in thoughts
            ],
            "reason": f"Thought {best} holds.",
            "best": best,
        }

    async def close(self) -> None:
        """Do nothing."""
