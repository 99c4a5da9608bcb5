"""A simulated language model that takes its time, so that only the arranging of calls counts."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from reasonloom.llm.port import Ask, Reply

SECONDS = 0.2
WAYS = (
    "rent a hall by the river", "ask the neighbours for a garden", "move it to the library cellar",
    "cancel and pay the guests back", "split it over two evenings", "hold it on the ferry",
    "let the school lend its gym", "dance in the covered market", "borrow the fire station",
    "put a tent up on the square",
)  # fmt: skip
"""Thoughts so unlike that none is merged with another."""


class SlowLlm:
    """Answers every prompt of linear and tree reasoning after `seconds`.

    `calls` holds when each call began and ended, by `time.perf_counter`.
    """

    name = "slow"
    offline = False

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.calls: list[tuple[float, float]] = []

    async def answer(self, ask: Ask) -> Reply:
        """Return an answer of the form asked for."""
        started = time.perf_counter()
        await asyncio.sleep(self.seconds)
        self.calls.append((started, time.perf_counter()))
        wanted = (ask.schema or {})["required"][0]
        answers = {"approaches": _approaches, "thought": _thought, "scores": _scores}
        return Reply("", answers[wanted](ask.material), self.name)

    def longest_chain(self) -> int:
        """Return how many calls of those taken down had to wait for one another.

        A call is taken to follow every call that had ended when it began.
        """
        lengths: list[tuple[float, int]] = []
        for begun, ended in sorted(self.calls):
            before = [length for end, length in lengths if end <= begun]
            lengths.append((ended, max(before, default=0) + 1))
        return max((length for _, length in lengths), default=0)

    async def close(self) -> None:
        """Do nothing."""


def _approaches(material: Any) -> dict[str, Any]:
    ways = WAYS[: material["count"]]
    return {"approaches": [{"name": way, "approach": f"{way}."} for way in ways]}


def _thought(material: Any) -> dict[str, Any]:
    way = str(material.get("approach", "It follows from the facts."))
    return {"thought": way, "confidence": 0.9}


def _scores(material: Any) -> dict[str, Any]:
    labels = [each["label"] for each in material["candidates"]]
    scores = [{"label": label, "score": 0.5} for label in labels]
    return {"scores": scores, "best": labels[0], "reason": "It can be had tomorrow."}
