"""A language model that bills every call by its length, and whose answers are as long as told."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.text.tokens import estimate_tokens

LABEL = re.compile(r'<thought label="([A-Z])">|^(P[0-9]+) \(', re.M)


@dataclass
class BillingLlm:
    """Answers the prompts of tree and divergent.

    Attributes:
        out: tokens of each answer.
        token_in, token_out: US dollars for a token; `prices` tells them where `told`.
        calls: kind and usage of each call, in the order in which they ended.
        most: calls that were at work at once, at most.
    """

    out: int = 40
    token_in: float = 0.0
    token_out: float = 0.0
    told: bool = True
    calls: list[tuple[str, Usage]] = field(default_factory=list)
    most: int = 0
    name: str = "billing"
    offline: bool = False
    _now: int = 0
    _made: int = 0

    @property
    def tokens(self) -> int:
        """Tokens billed so far."""
        return sum(usage.tokens_in + usage.tokens_out for _, usage in self.calls)

    @property
    def usd(self) -> float:
        """US dollars billed so far."""
        return sum(usage.cost_usd or 0.0 for _, usage in self.calls)

    def count(self, kind: str) -> int:
        """Return how many calls of a kind were answered."""
        return sum(each == kind for each, _ in self.calls)

    async def prices(self) -> tuple[float, float] | None:
        """Return the prices, where they are told."""
        return (self.token_in, self.token_out) if self.told else None

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the prompt's schema demands, and bill it."""
        kind = (ask.schema or {})["required"][0]
        texts = [str(message.content) for message in ask.messages]
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.sleep(0.01)
        finally:
            self._now -= 1
        parsed = self._parsed(kind, texts[-1])
        tokens = estimate_tokens("".join(texts) + json.dumps(ask.schema))
        out = min(self.out, ask.most_tokens or self.out)
        usd = tokens * self.token_in + out * self.token_out
        usage = Usage(tokens, out, usd)
        self.calls.append((kind, usage))
        return Reply(json.dumps(parsed), parsed, "billing-1", usage)

    def _parsed(self, kind: str, message: str) -> dict[str, Any]:
        self._made += 1
        said = self._words()
        labels = [one or other for one, other in LABEL.findall(message)]
        made: dict[str, dict[str, Any]] = {
            "approaches": {
                "approaches": [{"name": f"Way {n}", "approach": f"Use way {n}"} for n in range(10)]
            },
            "thought": {"thought": said, "confidence": 0.5},
            "scores": {
                "scores": [
                    {"label": each, "flaw": "None was found.", "score": 0.5} for each in labels
                ],
                "reason": "It holds.",
                "best": labels[0] if labels else "A",
            },
            "viewpoint": {"viewpoint": said, "confidence": 0.5},
            "verdicts": {"verdicts": []},
            "synthesis": {"synthesis": said, "sources": labels or ["P1"]},
        }
        return made[kind]

    def _words(self) -> str:
        """Return words that no other answer has, as many as the answer's tokens allow."""
        words = [f"w{self._made}x{n}" for n in range(self.out)]
        return " ".join(words)[: 4 * self.out].rstrip()

    async def close(self) -> None:
        """Do nothing."""
