"""A process that runs a suite on a tool and dies by kill -9 before a certain call is paid."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import RunResult, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.scorers.text import contains
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.stores.access import Access
from tests.support.evals.suites import Echo

NEVER = 0


@dataclass
class Mortal(Echo):
    """Kills its own process before it is paid for the n-th time."""

    at: int = NEVER

    async def answer(self, ask: Ask) -> Reply:
        """Answer, or die."""
        if self.at != NEVER and len(self.asked) + 1 == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().answer(ask)


def thinking_suite() -> Suite:
    """Return two items, answered by a tool of many steps."""
    items = [Item("一", "Which way, été or hiver?", "a"), Item("b/2", "Куда? 🙂", "a")]
    return Suite("ways", items, (contains(),), Tool("reasoning_tree", {"max_branches": 2}))


async def evaluate(
    access: Access, log: Path, book: Path, at: int = NEVER, embedder: Embedder | None = None
) -> RunResult:
    """Run the suite, one item after the other."""
    llm = Mortal(book=book, at=at)
    return await run(
        thinking_suite(), System(llm=llm), log=log, access=access, embedder=embedder, at_once=1
    )


if __name__ == "__main__":
    admin, app, log, book, at = sys.argv[1:]
    asyncio.run(evaluate(Access(admin, app), Path(log), Path(book), int(at)))
