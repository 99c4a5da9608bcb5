"""A language model that thinks in four streams, and notes when each call began and ended."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reasonloom.llm.interfaces import Ask, Reply, Usage

Made = dict[str, Any] | Exception | str
WORDS = {
    "analytical": "harbour", "creative": "violin", "critical": "granite", "synthetic": "pepper",
}  # fmt: skip
"""One for each stream: what they say must not be alike."""

KINDS = {"reasoning": "stream", "recommendations": "synthesis", "verdicts": "check"}


@dataclass(frozen=True)
class Heard:
    """One call: what kind, whose, in which quarter, its words, and when it was at work."""

    kind: str
    stream: str
    quarter: int
    words: str
    material: dict[str, Any]
    began: float
    ended: float


@dataclass
class StreamingLlm:
    """Answers each of the three prompts by its schema.

    Attributes:
        stream: makes what a stream says in a quarter (0 where there is one alone) of the
            prompt's variables; None for what is said else.
        synthesis, check: what is said instead; a synthesis also as made of the variables.
        seconds: how long each call takes; `slow` by stream, by (stream, quarter) or kind.
        heard: the calls that have ended, in that order; `begun` counts all that began.
    """

    stream: Callable[[dict[str, Any]], Made | None] = lambda material: None
    synthesis: Made | Callable[[dict[str, Any]], Made | None] | None = None
    check: Made | None = None
    seconds: float = 0.0
    slow: dict[Any, float] = field(default_factory=dict)
    heard: list[Heard] = field(default_factory=list)
    begun: int = 0
    name: str = "streaming"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the prompt's schema demands."""
        required = (ask.schema or {})["required"]
        kind = next(KINDS[name] for name in required if name in KINDS)
        material: dict[str, Any] = dict(ask.material)
        name = material["stream"]["name"] if kind == "stream" else ""
        quarter = material.get("quarter", 0)
        self.begun += 1
        began = time.perf_counter()
        waits = (self.slow.get(each) for each in ((name, quarter), name, kind))
        await asyncio.sleep(next((each for each in waits if each is not None), self.seconds))
        words = "\n".join(str(message.content) for message in ask.messages)
        ended = time.perf_counter()
        self.heard.append(Heard(kind, name, quarter, words, material, began, ended))
        made = getattr(self, f"_{kind}")(material)
        if isinstance(made, Exception):
            raise made
        parsed = made if isinstance(made, dict) else None
        return Reply(json.dumps(made), parsed, "streaming-1", Usage(10, 5, 0.001))

    def of(self, kind: str, quarter: int = 0) -> list[Heard]:
        """Return the calls of a kind, of a quarter where one is named."""
        return [each for each in self.heard if each.kind == kind and quarter in (0, each.quarter)]

    def _stream(self, material: dict[str, Any]) -> Made:
        return self.stream(material) or insights_by(material)

    def _synthesis(self, material: dict[str, Any]) -> Made:
        first = material["streams"][0]["insights"]
        named = [first[0]["label"]] if first else [material["streams"][0]["name"]]
        advice = {"description": "Do it", "sources": named, "rationale": "It holds."}
        made = self.synthesis(material) if callable(self.synthesis) else self.synthesis
        return made or {"conclusion": "So it is.", "recommendations": [advice]}

    def _check(self, material: dict[str, Any]) -> Made:
        count = len(material["constraints"])
        return self.check or {
            "verdicts": [{"constraint": n, "kept": True, "why": "ok"} for n in range(1, count + 1)]
        }

    async def close(self) -> None:
        """Do nothing."""


def insights_by(material: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return what a stream says where nothing else is asked of it: each in words of its own."""
    name, quarter = material["stream"]["name"], material["quarter"]
    return {
        "reasoning": [f"Look at the {WORDS[name]}."],
        "reactions": [
            reaction(each["insights"][-1]["label"], "agree")
            for each in material["others"]
            if each["insights"]
        ],
        "insights": [insight(f"The {WORDS[name]} matters in round {quarter}")],
        "conclusion": f"It is about the {WORDS[name]}",
        "confidence": 0.8,
        **more,
    }


def insight(content: str, importance: float = 0.5, confidence: float = 0.8) -> dict[str, Any]:
    """Return an insight as a stream says it."""
    return {"content": content, "importance": importance, "confidence": confidence}


def reaction(to: str, stance: str, quote: str = "", about: str = "approach") -> dict[str, Any]:
    """Return a reaction as a stream says it."""
    return {"to": to, "stance": stance, "about": about, "quote": quote, "why": "I see it so."}
