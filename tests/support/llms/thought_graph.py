"""A language model that continues, judges, refines and merges thoughts of a graph."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reasonloom.llm.interfaces import Ask, Reply, Usage

CANDIDATE = re.compile(
    r'<thought label="([A-Z]+)">\n(?:It rests on:\n.*?It says:\n)?(.*?)\n</thought>', re.S
)
KINDS = {
    "continuations": "generate", "scores": "judge", "critique": "refine", "used": "aggregate",
    "conclusion": "conclude",
}  # fmt: skip
WORDS = (
    "harbour", "violin", "granite", "pepper", "lantern", "glacier", "tractor", "orchid",
    "compass", "walrus",
)  # fmt: skip
"""One for each continuation: no two may be alike."""

Judge = Callable[[str], float]
"""Given a thought's text, returns what a ballot says of each of its parts, 0..1."""


def even(text: str) -> float:
    """Judge every thought alike."""
    return 0.5


@dataclass
class GraphingLlm:
    """Answers each prompt of Graph of Thoughts by its schema.

    Attributes:
        judge: what ballots say of a thought.
        says: what is answered instead, by kind: a text, an object, an error to raise, or a
            function of the message; a list is used up from its front, its last entry stays.
        relations: what every ballot says of relations.
        asked: every request's last message, by kind.
    """

    judge: Judge = even
    says: dict[str, Any] = field(default_factory=dict)
    relations: list[dict[str, str]] = field(default_factory=list)
    refined: str = "A refined thought about walnuts"
    asked: dict[str, list[str]] = field(default_factory=dict)
    name: str = "graphing"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the prompt's schema demands."""
        wanted = (ask.schema or {})["required"]
        kind = next(KINDS[name] for name in wanted if name in KINDS)
        message = str(ask.messages[-1].content)
        self.asked.setdefault(kind, []).append(message)
        said = self._instead(kind)
        if callable(said):
            said = said(message)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, str):
            return Reply(said, None, "graphing-1", Usage(10, 5, 0.01))
        made = said or getattr(self, f"_{kind}")(ask, message)
        return Reply(json.dumps(made), made, "graphing-1", Usage(10, 5, 0.01))

    def _instead(self, kind: str) -> Any:
        said = self.says.get(kind)
        if isinstance(said, list):
            return said.pop(0) if len(said) > 1 else said[0]
        return said

    def _generate(self, ask: Ask, message: str) -> dict[str, Any]:
        there = message.count("\n- ")
        count = int(re.search(r"exactly (\d+)", str(ask.messages[0].content))[1])  # type: ignore[index]
        return {
            "continuations": [
                {"thought": f"Think about the {word}", "confidence": 0.5}
                for word in WORDS[there : there + count]
            ]
        }

    def _judge(self, ask: Ask, message: str) -> dict[str, Any]:
        scores = [
            {"label": label, "reason": "Nothing is wrong with it."}
            | dict.fromkeys(("relevance", "validity", "depth"), self.judge(text))
            for label, text in CANDIDATE.findall(message)
        ]
        return {"scores": scores, "relations": self.relations}

    def _refine(self, ask: Ask, message: str) -> dict[str, Any]:
        return {"critique": ["too vague"], "thought": self.refined, "confidence": 0.6}

    def _aggregate(self, ask: Ask, message: str) -> dict[str, Any]:
        return {"thought": "All of it together", "confidence": 0.7, "used": [], "conflicts": []}

    def _conclude(self, ask: Ask, message: str) -> dict[str, Any]:
        return {"conclusion": "So it is", "confidence": 0.7, "sources": []}

    async def close(self) -> None:
        """Do nothing."""
