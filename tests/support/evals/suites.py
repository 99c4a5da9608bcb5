"""Small suites, and language models that are easy to count."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reasonloom.errors import LlmRefused
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Asking, Function, Way
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.text import exact
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.settings import Settings, load_settings
from tests.support.llms.scripted_replies import scripted_reply

PROMPT = """---
name: own/answer
version: {version}
variables: [question]
---
{{% block system %}}{system}{{% endblock %}}
{{% block user %}}{{{{ question }}}}{{% endblock %}}
"""


@dataclass
class Echo:
    """Says back the last message in capitals; counts, and writes down whom it paid."""

    name: str = "echo"
    offline: bool = False
    usd: float | None = 0.01
    price: tuple[float, float] | None = None
    seconds: float = 0.0
    refuses: str = ""
    say: Callable[[Ask], str] | None = None
    book: Path | None = None
    asked: list[Ask] = field(default_factory=list)
    most: int = 0
    _now: int = 0

    async def answer(self, ask: Ask) -> Reply:
        """Answer, or refuse what holds a certain word."""
        self.asked.append(ask)
        question = str(ask.messages[-1].content)
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(self.seconds)
        self._now -= 1
        if self.refuses and self.refuses in question:
            raise LlmRefused(f"{self.name}: no")
        if self.book is not None:
            with self.book.open("a") as book:
                book.write(json.dumps(question) + "\n")
        return self._reply(ask, question)

    def _reply(self, ask: Ask, question: str) -> Reply:
        usage = Usage(10, 5, self.usd)
        if ask.schema is not None and self.say is None:
            answer = scripted_reply(ask)
            return Reply(json.dumps(answer), answer, self.name, usage)
        text = self.say(ask) if self.say else question.upper()
        parsed = json.loads(text) if ask.schema is not None else None
        return Reply(text, parsed, self.name, usage)

    async def prices(self) -> tuple[float, float] | None:
        """Return the prices that it was given."""
        return self.price

    async def close(self) -> None:
        """Do nothing."""


def suite(count: int = 5, way: Way | None = None, **more: Any) -> Suite:
    """Return items `w0`, `w1`, ... whose targets are these in capitals."""
    items = [Item(str(n), f"wört {n}", f"WÖRT {n}") for n in range(count)]
    return Suite("capitals", items, **{"scorers": (exact(case=True),), "way": way, **more})


def shouting() -> Function:
    """Return a way that answers all items right."""
    return Function(lambda item, epoch: item.input.upper(), "shouting")


def asking() -> Asking:
    """Return a way that asks one prompt of one's own."""
    return Asking("own/answer")


def own_prompts(folder: Path, *systems: str) -> Path:
    """Write versions of `own/answer`, each with another system message."""
    (folder / "own").mkdir(parents=True, exist_ok=True)
    for version, system in enumerate(systems, 1):
        told = PROMPT.format(version=version, system=system)
        (folder / "own" / f"answer.v{version}.md").write_text(told, encoding="utf-8")
    return folder


def with_prompts(folder: Path, *systems: str) -> Settings:
    """Return settings whose prompts are these."""
    return load_settings(prompts=own_prompts(folder, *(systems or ("Say it.",))))


def log_of(path: Path, scores: dict[str, float], **more: Any) -> EvalLog:
    """Write a run of items with these scores, and return it."""
    log = EvalLog(path)
    log.begin({"eval": "made", "items": len(scores), "epochs": 1})
    for item, score in scores.items():
        log.add(Record(item, 0, "", {"exact": score}, 1.0, **more))
    return log
