"""Finds older memories that a new one may replace, and marks those that it does replace.

Each nearest neighbour is paired with the new memory. The packaged reader estimates the probability
that the older one no longer holds, given that both are about the same matter; how likely that is
follows from their cosine similarity and shared words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reasonloom.contracts.memory.tools import ReplacedMemory
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.llm.classifier import replaces
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.injection.detection import detect_injection
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import supersession
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.search.retrieval import FoundMemory
from reasonloom.text.search_terms import index_terms

LEAST_COSINE = 0.3
"""Minimum cosine similarity of memories that are compared with a new one."""

LIKELY = 0.6
"""Minimum probability at which the answer lists a memory."""

SURE = 0.97
"""Minimum probability at which `REASONLOOM_SUPERSEDE=auto` marks a memory as superseded: fewer
than 1% of the pairs that only look like a replacement reach it."""

COSINE_WEIGHT, WORDS_WEIGHT, OFFSET = 6.1, 5.0, -2.2
"""Coefficients of the logistic regression for two memories being about the same matter, fitted by
`training/fit_matter.py`. The reader was trained on similar pairs only and misclassifies a third of
the dissimilar ones as replaced."""

READ = 2_000
"""Characters of a memory passed to the reader: more than fit its token limit."""

ORIGIN = "may_replace"
WHY = "read as an earlier value of the same thing"
EXCERPT = 200
"""Characters of an older memory included in an answer."""

FIELD = "supersede"
NEWER = (
    "supersede: mem-{newer} is not older than mem-{older}, which says the same as content; "
    "name older memories, or say it in other words"
)
STATED_LATER = (
    "{ids}: said after {stated}, the date of the new memory, so no longer shown for any time; "
    "if that date is wrong, correct it"
)
HOW = (
    "mayReplace lists older memories that may no longer hold; to settle one, call remember again "
    "with supersede: [id]"
)


@dataclass(frozen=True, slots=True)
class Replaceable:
    """An older memory and the probability that the new one replaces it."""

    memory: FoundMemory
    probability: float

    def answer(self) -> ReplacedMemory:
        """Return the answer model of this candidate."""
        content = self.memory.content
        return ReplacedMemory(
            id=f"mem-{self.memory.id}",
            content=content if len(content) <= EXCERPT else f"{content[:EXCERPT]}…",
            why=WHY,
            confidence=math.floor(self.probability * 1000) / 1000,
        )


@dataclass(frozen=True, slots=True)
class Marked:
    """The superseded memories, the candidates left to settle, and notes on both."""

    superseded: list[str]
    left: list[Replaceable]
    notes: list[str]


def looks_for_replaced(execution: Execution, content: str) -> bool:
    """Return whether to look for replaced memories: not if the content reads like an injection."""
    wanted = execution.loom.settings.supersede != "off"
    return wanted and not detect_injection(content).reasons


async def find_replaceable(
    content: str, stated: datetime, near: Sequence[FoundMemory], cosines: Mapping[int, float]
) -> list[Replaceable]:
    """Return the nearest memories that `content` may replace, most likely first.

    Memories stated after `stated` (newer) and those with the same words (duplicates) are skipped.
    `cosines` maps the memories' ids to their cosine similarity to `content`.
    """
    words = index_terms(content)
    older = [
        each for each in near if each.valid_from <= stated and index_terms(each.content) != words
    ]
    read = [(each.content[:READ], content[:READ]) for each in older]
    likely = []
    for each, pair, replaced in zip(older, read, await replaces(read), strict=True):
        probability = replaced * same_matter(cosines[each.id], *pair)
        if probability >= LIKELY:
            likely.append(Replaceable(each, probability))
    return sorted(likely, key=lambda each: -each.probability)


def same_matter(cosine: float, older: str, newer: str) -> float:
    """Return the probability that two memories are about the same matter."""
    odds = COSINE_WEIGHT * cosine + WORDS_WEIGHT * common_words(older, newer) + OFFSET
    return 1 / (1 + math.exp(-odds))


def common_words(first: str, second: str) -> float:
    """Return the overlap coefficient of two texts: shared words / words of the smaller set."""
    words, others = index_terms(first), index_terms(second)
    return len(words & others) / (min(len(words), len(others)) or 1)


async def mark_replaced(
    tx: Transaction,
    execution: Execution,
    memory_id: int,
    stated: datetime,
    wanted: Sequence[str],
    likely: Sequence[Replaceable],
) -> Marked:
    """Mark what a stored memory supersedes: those `wanted` and, in `auto` mode, the sure ones.

    `stated` is when the stored memory was stated. The remaining candidates are linked to it.

    Raises:
        MemoryNotFound: a wanted memory does not exist.
        InvalidArgument: a wanted memory is the stored one, or was stored after it.
    """
    numbers = dict.fromkeys(memory_number(each, field=FIELD) for each in wanted)
    known = await memories.read_many(tx, list(numbers)) if numbers else {}
    for number in numbers:
        if number not in known:
            raise MemoryNotFound(f"mem-{number}", field=FIELD)
        if number >= memory_id:
            raise InvalidArgument(NEWER.format(older=memory_id, newer=number), field=FIELD)
    if execution.loom.settings.supersede == "auto":
        numbers |= dict.fromkeys(each.memory.id for each in likely if each.probability >= SURE)
    for number in numbers:
        await supersession.supersede(
            tx, memory_id, number, origin="remember", run_id=execution.run.id
        )
    left = [each for each in likely if each.memory.id not in numbers]
    weights = {each.memory.id: each.probability for each in left}
    await memories.link(
        tx, memory_id, weights, kind="contradicts", origin=ORIGIN, run_id=execution.run.id
    )
    later = ", ".join(f"mem-{key}" for key, each in known.items() if each.valid_from > stated)
    notes = [STATED_LATER.format(ids=later, stated=stated.date())] if later else []
    superseded = [f"mem-{number}" for number in numbers]
    return Marked(superseded, left, [*notes, HOW] if left else notes)
