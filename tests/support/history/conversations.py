"""Small plain conversations for tests of the history tools: written, read, and asked about."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import EmbedderUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.history.ingestion import ingested

BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Talk:
    """One session of a project; each turn is a question and its answer, a minute after the last."""

    project: str
    session: str
    turns: Sequence[tuple[str, str]]
    begin: datetime | None = BEGIN
    apart: timedelta = timedelta(minutes=1)

    def lines(self) -> Iterable[str]:
        at = self.begin
        for asked, answered in self.turns:
            for role, text in (("user", asked), ("assistant", answered)):
                line: dict[str, Any] = {"role": role, "content": text, "session": self.session}
                if at:
                    line["time"] = at.isoformat()
                yield json.dumps({**line, "project": f"/home/ana/{self.project}"}) + "\n"
            at = at + self.apart if at else None


async def tell(
    engine: Engine, folder: Path, talks: Iterable[Talk], *, owner: str = "local"
) -> None:
    """Write talks as files and read them."""
    folder.mkdir(exist_ok=True)
    paths = []
    for talk in talks:
        path = folder / f"{talk.project}-{talk.session}.jsonl"
        path.write_text("".join(talk.lines()), encoding="utf-8")
        paths.append(path)
    await ingested(engine, paths, caller=Caller(owner))


def about(subject: str, number: int = 0) -> tuple[str, str]:
    """Return a turn of some hundred tokens about a subject, other words with other numbers."""
    words = " ".join(f"{subject} detail{number}x{n} matters" for n in range(40))
    return f"What of {subject}, part {number}?", f"About {subject}: {words}."


async def ask(engine: Engine, tool: str, *, owner: str = "local", **arguments: Any) -> Any:
    """Call a history tool; return its answer, its notes under `notes`."""
    if "since" in arguments:
        arguments["from"] = arguments.pop("since")
    outcome = await call(engine, f"history_{tool}", arguments, owner=owner)
    return {**outcome.answer, "notes": list(outcome.notes)}


LOGIN = Talk(
    "api",
    "aaaaaaaa-1111-4111-8111-111111111111",
    [
        ("The login fails, sign-in gives 401.", "The refresh token had expired; I renewed it."),
        ("¿Y la contraseña de José?", "La contraseña de José está en el llavero, détails à part."),
    ],
)
CACHE = Talk(
    "api",
    "bbbbbbbb-2222-4222-8222-222222222222",
    [
        ("The cache grows without end 🐘.", "An eviction policy keeps the cache below 1 GB."),
        ("Почему рендер медленный?", "Рендер ждал текстуру; теперь буфер двойной."),
    ],
    begin=BEGIN + timedelta(days=1),
)
OTHER = Talk(
    "shop",
    "cccccccc-3333-4333-8333-333333333333",
    [("請求書の端数はどう丸める？", "請求書は銀行家の丸めで計算します。")],
    begin=BEGIN + timedelta(days=40),
)


class Away:
    """An embedder that cannot be loaded."""

    model, dimension, floor = "away", 256, 0.16

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise EmbedderUnavailable("no embedder is installed")

    async def close(self) -> None:
        """Hold nothing."""


@asynccontextmanager
async def opened(access: Access, embedder: Embedder, **flags: Any) -> AsyncIterator[Engine]:
    """Open an engine with settings of its own."""
    async with open_engine(
        load_settings(**flags), access=access, embedder=embedder, recover=False
    ) as engine:
        yield engine


def days(number: float) -> Any:
    return BEGIN + timedelta(days=number)


TROUBLE = Talk(
    "harbour",
    "11111111-aaaa-4aaa-8aaa-000000000001",
    [
        (
            "CI is red: psycopg.errors.DeadlockDetected: deadlock detected in swap_berths.",
            "swap_berths in src/berths.py locks two berths in the order in which they are passed.",
        )
    ],
)
ASIDE = Talk(
    "harbour",
    "22222222-aaaa-4aaa-8aaa-000000000002",
    [("Which colour for the flags on the pier?", "Blue ones, they fade least in the sun.")],
    begin=days(2),
)
MENDED = Talk(
    "harbour",
    "33333333-aaaa-4aaa-8aaa-000000000003",
    [
        (
            "What became of swap_berths?",
            "src/berths.py sorts the ids before it locks: 400 runs without a deadlock detected.",
        )
    ],
    begin=days(5),
)
HARBOUR = (TROUBLE, ASIDE, MENDED)
ASKED = "why did swapping berths deadlock, and what mended it?"
