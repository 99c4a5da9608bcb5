"""Many sessions at once against one alone: steps a second, and whether any step fails."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from reasonloom.errors import ReasonloomError
from reasonloom.evals.bench.environment import OWNER, Ground, ground
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.slow_llm import SlowLlm
from reasonloom.evals.bench.timing import WARM_UP, Figure, median, percentile_95

log = logging.getLogger(__name__)
SESSIONS = 32
STORED = 1_000
QUESTION = "What must we tell the restaurant?"
ASKED: dict[str, dict[str, Any]] = {
    "reasoning_linear": {"content": QUESTION},
    "reasoning_tree": {"content": QUESTION, "max_branches": 4},
}


class Crowd:
    """Sessions that think at the same time; what each step took, and what failed."""

    def __init__(self, ground: Ground, tool: str) -> None:
        self._ground = ground
        self._tool = tool
        self.taken: list[float] = []
        self.failed = 0

    async def think(self, sessions: int, steps: int) -> float:
        """Let so many sessions take so many steps; return steps a second that went well."""
        self.taken.clear()
        started = time.perf_counter()
        await asyncio.gather(*(self._session(steps) for _ in range(sessions)))
        return len(self.taken) / (time.perf_counter() - started)

    async def _session(self, steps: int) -> None:
        own: dict[str, str] = {}
        for _ in range(steps):
            started = time.perf_counter()
            try:
                outcome = await self._ground.call(self._tool, **ASKED[self._tool], **own)
            except ReasonloomError as error:
                log.warning("a step failed: %s", error.message)
                self.failed += 1
                continue
            self.taken.append((time.perf_counter() - started) * 1000)
            own = {"session_id": outcome.answer["session_id"]}


async def measure(steps: int) -> list[Figure]:
    """Time one session and then many, with the pools and settings that are the default."""
    llm = SlowLlm()
    async with ground(llm=llm) as prepared:
        await load(prepared.database, prepared.embedder, OWNER, STORED)
        return [await _measured(prepared, tool, steps) for tool in ASKED]


async def _measured(prepared: Ground, tool: str, steps: int) -> Figure:
    crowd = Crowd(prepared, tool)
    await crowd.think(1, WARM_UP)
    alone = await crowd.think(1, steps)
    floor = median(crowd.taken)
    together = await crowd.think(SESSIONS, steps)
    said = (
        f"{together:.1f} steps a second, alone {alone:.1f}: {together / alone:.1f} times; "
        f"{crowd.failed} of {SESSIONS * steps} failed; floor: a step alone"
    )
    name = f"{tool}, {SESSIONS} sessions at once"
    return Figure(name, median(crowd.taken), percentile_95(crowd.taken), floor, said=said)
