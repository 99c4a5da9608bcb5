"""Sums in words, and a scripted model that gets more of them right when told to go slowly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Asking
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.text import numeric
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.settings import load_settings

SLOWLY = "one step at a time"
NAMES = ("Ana", "Björn", "Chidi", "Daria", "Emre", "Fatou", "Giang", "日向")
THINGS = ("pens", "eggs", "stamps", "apples", "cups", "seeds")

PROMPT = """---
name: sums/answer
version: {version}
variables: [question]
---
{{% block system %}}
{system}
{{% endblock %}}
{{% block user %}}
{{{{ question }}}}
{{% endblock %}}
"""
PLAIN = """You answer questions about numbers.

- Read the question.
- Answer with the number only.
- Give no unit."""
SLOW = f"""You answer questions about numbers.

- Read the question twice.
- Work {SLOWLY}, and write each step down.
- End with "The answer is" and the number.
- Give no unit."""
TERSE = """You answer questions about numbers.

- Answer with the number only."""


def sums(count: int, more: Sequence[Item] = ()) -> Suite:
    """Return so many questions, and items of one's own."""
    items = [Item(f"sum-{n}", *_question(n)) for n in range(1, count + 1)]
    return Suite("sums-in-words", [*items, *more], (numeric(),), Asking("sums/answer"))


def _question(n: int) -> tuple[str, str]:
    boxes, each = 2 + n % 7, 3 + n * 5 % 17
    given = 1 + n * 3 % (boxes * each - 1)
    name, thing = NAMES[n % len(NAMES)], THINGS[n % len(THINGS)]
    asked = (
        f"{name} buys {boxes} boxes of {each} {thing} and gives {given} of them away. How many"
        f" {thing} are left?"
    )
    return asked, str(boxes * each - given)


@dataclass
class Reckoner:
    """Reckons as its constants say: the same question under the same words gets the same answer."""

    name: str = "scripted:reckoner"
    offline: bool = False
    plain: float = 0.62
    slow: float = 0.74

    async def answer(self, ask: Ask) -> Reply:
        """Answer right or one off."""
        system, question = (str(message.content) for message in ask.messages[:2])
        slowly = SLOWLY in system
        numbers = [int(word) for word in question.split() if word.isdecimal()]
        left = numbers[0] * numbers[1] - numbers[2] if len(numbers) > 2 else 0
        likely = self.slow if slowly else self.plain
        luck = (_chance(question) + 0.35 * _chance(question, system, str(ask.sample))) / 1.35
        left += 0 if luck < likely else 1
        text = _worked(numbers, left) if slowly else str(left)
        text = text if len(numbers) > 2 else f"{question}: {left}"
        price = (len(system + question) + 3 * len(text)) * 1e-6
        usage = Usage(len(system + question) // 4, max(1, len(text) // 3), price)
        return Reply(text, None, self.name, usage)

    async def close(self) -> None:
        """Hold nothing open."""


def _worked(numbers: Sequence[int], left: int) -> str:
    one, two, less = numbers[:3] if len(numbers) > 2 else (0, 0, 0)
    steps = f"{one} boxes of {two} are {one * two}.\n{one * two} less {less} is {left}."
    return f"{steps}\nThe answer is {left}"


def _chance(*told: str) -> float:
    return int.from_bytes(sha256("\0".join(told).encode("utf-8", "replace")).digest()[:6]) / 2**48


def prompts(folder: Path, *systems: str) -> Path:
    """Write the versions of `sums/answer`."""
    (folder / "sums").mkdir(parents=True, exist_ok=True)
    for version, system in enumerate(systems, 1):
        told = PROMPT.format(version=version, system=system)
        (folder / "sums" / f"answer.v{version}.md").write_text(told, encoding="utf-8")
    return folder


async def runs(folder: Path, suite: Suite, *systems: str, **more: Any) -> list[EvalLog]:
    """Run a suite with each system message, and return the logs."""
    settings = load_settings(prompts=prompts(folder / "prompts", *systems))
    found = []
    for version in range(1, len(systems) + 1):
        system = System(prompts={"sums/answer": version}, llm=Reckoner())
        log = folder / f"v{version}.jsonl"
        found.append((await run(suite, system, log=log, settings=settings, **more)).log)
    return found
