"""A task that one word in the prompt makes easier, and language models that answer and propose."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.llm_calls import Limits
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Asking
from reasonloom.evals.optimization.optimise import Goal, optimise
from reasonloom.evals.optimization.search import Effort
from reasonloom.evals.optimization.trials import TrialOptions
from reasonloom.evals.scorers.text import exact
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.settings import Settings, load_settings

NAME = "own/answer"
WORD = "carefully"


def tutored(count: int = 60, clusters: int = 0) -> Suite:
    """Return questions that are right when said back in capitals."""
    items = [
        Item(f"q{n:03}", f"wört {n}", f"WÖRT {n}", f"c{n % clusters}" if clusters else "")
        for n in range(count)
    ]
    return Suite("shouting", items, (exact(case=True),), Asking(NAME))


@dataclass
class Pupil:
    """Says back in capitals so many questions of three, and more where it is told the word.

    Writes down whom it paid, and kills its process before it is paid for the n-th time.
    """

    word: str = WORD
    learns: int = 3
    name: str = "pupil"
    offline: bool = False
    book: Path | None = None
    dies_at: int = 0
    asked: list[Ask] = field(default_factory=list)

    async def answer(self, ask: Ask) -> Reply:
        """Answer, or die."""
        self.asked.append(ask)
        if len(self.asked) == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        system, question = (str(message.content) for message in ask.messages)
        right = self.is_right(system, question)
        if self.book is not None:
            with self.book.open("a") as book:
                book.write(json.dumps([system, question]) + "\n")
        return Reply(question.upper() if right else question, None, self.name, Usage(10, 5, 0.001))

    def is_right(self, system: str, question: str) -> bool:
        """Tell whether a question is answered right."""
        return drawn(question) < (self.learns if self.word in system else 1)

    async def close(self) -> None:
        """Do nothing."""


class Thinker(Pupil):
    """Answers as a mode of reasoning asks it: yes where it knows."""

    async def answer(self, ask: Ask) -> Reply:
        """Answer by the question alone."""
        self.asked.append(ask)
        system = str(ask.messages[0].content)
        right = self.is_right(system, str(ask.material["content"]))
        found = {"thought": "Yes, it is." if right else "Perhaps.", "confidence": 0.9}
        return Reply(json.dumps(found), found, self.name, Usage(10, 5, 0.001))


class Lucky(Pupil):
    """Knows a third of the questions, another third for each prompt."""

    def is_right(self, system: str, question: str) -> bool:
        """Tell whether the prompt is lucky with this question."""
        return drawn(system + question) < 1


def drawn(text: str) -> int:
    """Return 0, 1 or 2, drawn by a text."""
    return int(sha256(text.encode()).hexdigest(), 16) % 3


@dataclass
class Tutor:
    """Proposes texts in turn, the last one again; `write` makes a text of the one that it has.

    With a book a process that goes on takes the next turn.
    """

    write: Sequence[Callable[[str], str]]
    name: str = "tutor"
    offline: bool = False
    book: Path | None = None
    asked: list[Ask] = field(default_factory=list)

    async def answer(self, ask: Ask) -> Reply:
        """Propose."""
        self.asked.append(ask)
        turn = len(self.asked)
        if self.book is not None:
            with self.book.open("a") as book:
                book.write("asked\n")
            turn = len(self.book.read_text().splitlines())
        write = self.write[min(turn, len(self.write)) - 1]
        found: dict[str, Any] = {
            "reason": "It should be told how.",
            "template": write(str(ask.material["template"])),
        }
        return Reply(json.dumps(found), found, self.name, Usage(100, 50, 0.01))

    async def close(self) -> None:
        """Do nothing."""


HELPS = "Answer carefully."
IDLE = "Answer politely."


def add(sentence: str) -> Callable[[str], str]:
    """Return what adds a sentence to the system message."""
    return lambda text: text.replace("\n{% endblock %}", f"\n{sentence}\n{{% endblock %}}", 1)


async def optimised(
    folder: Path,
    settings: Settings,
    pupil: Pupil,
    tutor: Tutor,
    suite: Suite | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Optimise the prompt of the suite."""
    asked = suite or tutored()
    effort, budget = Effort(more.pop("rounds", 4), 4), more.pop("budget", Budget())
    goal = Goal(more.pop("prompt", NAME))
    return await optimise(
        asked,
        goal,
        folder,
        TrialOptions(asked.way or Asking(NAME), pupil, **more),
        reflect=tutor,
        effort=effort,
        budget=budget,
        limits=Limits(),
        settings=settings,
    )


def files(folder: Path) -> dict[str, str]:
    """Return all that a run has written but its times, by name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".md", ".jsonl") and path.name != "tape.jsonl":
            lines = path.read_text(encoding="utf-8").splitlines()
            found[str(path.relative_to(folder))] = "\n".join(map(_timeless, sorted(lines)))
    return found


def _timeless(line: str) -> str:
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    entry.pop("latency_ms", None)
    entry.get("head", {}).pop("number", None)
    return json.dumps(entry, sort_keys=True)


if __name__ == "__main__":
    run, prompts, book, at = sys.argv[1:]
    asyncio.run(
        optimised(
            Path(run),
            load_settings(prompts=Path(prompts)),
            Pupil(book=Path(book), dies_at=int(at)),
            Tutor([add(IDLE), add(HELPS)], book=Path(f"{book}-of-tutor")),
            at_once=1,
        )
    )
