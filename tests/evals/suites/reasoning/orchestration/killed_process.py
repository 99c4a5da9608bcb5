"""A process that runs a plan as a tool does, and is slow enough to be killed in the middle."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.reasoning.sessions import thinking

KEY = "the key"


@dataclass
class Booked:
    """A language model that writes down each answer in a file, and never gives the last ones.

    Attributes:
        most: answers it gives; whoever asks for more waits until they are killed.
    """

    llm: LanguageModel
    book: Path
    most: int = 1000
    name: str = "booked"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Charge for an answer, and give it."""
        if paid(self.book) >= self.most:
            await asyncio.sleep(3600)
        with self.book.open("a") as book:
            book.write("paid\n")
        return await self.llm.answer(ask)

    async def close(self) -> None:
        """Do nothing."""


def paid(book: Path) -> int:
    """Return how many answers were charged."""
    return len(book.read_text().splitlines()) if book.exists() else 0


def run(access: Access, llm: Booked, request: dict[str, Any]) -> None:
    """Run a plan until somebody kills this process."""
    asyncio.run(_run(access, llm, request))


async def _run(access: Access, llm: Booked, request: dict[str, Any]) -> None:
    async with thinking(access, choose_embedder(Settings()), llm) as mind:
        await call(mind, "reasoning_got_run", request, key=KEY)
