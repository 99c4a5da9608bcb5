"""Finds older memories that a new one may replace, and marks those that it does replace.

Each nearest neighbour is paired with the new memory. The packaged reader estimates the probability
that the older one no longer holds, given that both are about the same matter; how likely that is
follows from their cosine similarity and shared words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.contracts.caller import Caller
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

LIKELY = 0.4
"""Minimum probability at which the answer lists a memory."""

SURE = 0.85
"""Minimum probability at which `REASONLOOM_SUPERSEDE=auto` marks a memory as superseded: fewer
than 1% of the pairs that only look like a replacement reach it."""

SLOPE, SHIFT = 0.36, -0.32
"""Calibration of the log-odds of the product, fitted by `training/calibrate_replacement.py` on
pairs that the reader was not taught and that no figure is measured on."""

COSINE_WEIGHT, WORDS_WEIGHT, OFFSET = 6.1, 5.0, -2.2
"""Coefficients of the logistic regression for two memories being about the same matter, fitted by
`training/fit_matter.py`. The reader was trained on similar pairs only and misclassifies a third of
the dissimilar ones as replaced."""

TINY = 1e-9

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
    "{ids}: stated after {stated}, the date of the new memory, so no longer shown for any time; "
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

    def answer(self, caller: Caller) -> ReplacedMemory:
        """Return the answer model of this candidate."""
        content = self.memory.content
        return ReplacedMemory(
            id=caller.memory_id(self.memory.id),
            content=content if len(content) <= EXCERPT else f"{content[:EXCERPT]}…",
            why=WHY,
            confidence=math.floor(self.probability * 1000) / 1000,
        )


def looks_for_replaced(execution: Execution, content: str) -> bool:
    """Return whether to look for replaced memories: not if the content reads like an injection."""
    wanted = execution.loom.settings.supersede != "off"
    return wanted and not detect_injection(content).reasons


async def find_replaceable(
    content: str, stated: datetime, near: Sequence[tuple[float, FoundMemory]]
) -> list[Replaceable]:
    """Return the memories that `content` may replace, most likely first.

    `near` has the nearest ones, each after its cosine similarity to `content`. Memories stated
    after `stated` (newer), those with the same words (duplicates), and those about another matter,
    which cannot be likely however they are read, are skipped.
    """
    words, least = index_terms(content), least_product(LIKELY)
    older = [
        (cosine, each)
        for cosine, each in near
        if each.valid_from <= stated
        and index_terms(each.content) != words
        and same_matter(cosine, each.content[:READ], content[:READ]) >= least
    ]
    found = await replacement_probabilities(
        [(cosine, each.content, content) for cosine, each in older]
    )
    likely = [
        Replaceable(each, probability)
        for (_, each), probability in zip(older, found, strict=True)
        if probability >= LIKELY
    ]
    return sorted(likely, key=lambda each: -each.probability)


async def replacement_probabilities(pairs: Sequence[tuple[float, str, str]]) -> list[float]:
    """Return the probability that the newer memory of each pair replaces the older one.

    Pairs are (cosine similarity, older content, newer content). They are read in one batch.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    read = [(older[:READ], newer[:READ]) for _, older, newer in pairs]
    return [
        calibrated(replaced * same_matter(cosine, *pair))
        for (cosine, *_), pair, replaced in zip(pairs, read, await replaces(read), strict=True)
    ]


def calibrated(product: float) -> float:
    """Return the probability that belongs to the product of both probabilities."""
    odds = math.pow(product / max(1 - product, TINY), SLOPE)
    return odds / (odds + math.exp(-SHIFT))


def least_product(probability: float) -> float:
    """Return the product of both probabilities that belongs to a calibrated one."""
    odds = math.pow(math.exp(-SHIFT) * probability / (1 - probability), 1 / SLOPE)
    return odds / (odds + 1)


def same_matter(cosine: float, older: str, newer: str) -> float:
    """Return the probability that two memories are about the same matter."""
    odds = COSINE_WEIGHT * cosine + WORDS_WEIGHT * common_words(older, newer) + OFFSET
    return 1 / (1 + math.exp(-odds))


def common_words(first: str, second: str) -> float:
    """Return the overlap coefficient of two texts: shared words / words of the smaller set."""
    words, others = index_terms(first), index_terms(second)
    return len(words & others) / (min(len(words), len(others)) or 1)


@dataclass(frozen=True, slots=True)
class Settlement:
    """The memories that a new one supersedes: those `wanted`, and those that `auto` mode adds.

    `left` are the candidates left to settle.
    """

    wanted: list[int]
    added: list[int]
    left: list[Replaceable]

    @property
    def superseded(self) -> list[int]:
        """The ids of all memories to mark as superseded."""
        return [*self.wanted, *self.added]


def settle(
    execution: Execution, wanted: Sequence[str], likely: Sequence[Replaceable]
) -> Settlement:
    """Return which memories are superseded: those `wanted` and, in `auto` mode, the sure ones."""
    prefix = f"{execution.caller.address}:" if execution.caller.address else ""
    plain = (each.removeprefix(prefix) for each in wanted)
    numbers = [*dict.fromkeys(memory_number(each, field=FIELD) for each in plain)]
    others = [each for each in likely if each.memory.id not in numbers]
    if execution.loom.settings.supersede != "auto":
        return Settlement(numbers, [], others)
    sure = [each.memory.id for each in others if each.probability >= SURE]
    return Settlement(numbers, sure, [each for each in others if each.memory.id not in sure])


async def link_unsettled(
    tx: Transaction, execution: Execution, source: int | UUID, left: Sequence[Replaceable]
) -> None:
    """Link a memory, given its id or its effect, to those that it may replace."""
    weights = {each.memory.id: each.probability for each in left}
    await memories.link(
        tx, source, weights, kind="contradicts", origin=ORIGIN, run_id=execution.run.id
    )


async def mark_replaced(
    tx: Transaction,
    execution: Execution,
    memory_id: int,
    stated: datetime,
    settlement: Settlement,
) -> list[str]:
    """Mark what a stored memory, which was stated at `stated`, supersedes; return notes.

    Raises:
        MemoryNotFound: a wanted memory does not exist.
        InvalidArgument: a wanted memory is the stored one, or was stored after it.
    """
    wanted = settlement.wanted
    known = await memories.read_many(tx, wanted) if wanted else {}
    for number in wanted:
        if number not in known:
            raise MemoryNotFound(f"mem-{number}", field=FIELD)
        if number >= memory_id:
            raise InvalidArgument(NEWER.format(older=memory_id, newer=number), field=FIELD)
    for number in settlement.superseded:
        await supersession.supersede(
            tx, memory_id, number, origin="remember", run_id=execution.run.id
        )
    later = ", ".join(f"mem-{key}" for key, each in known.items() if each.valid_from > stated)
    return [STATED_LATER.format(ids=later, stated=stated.date())] if later else []
