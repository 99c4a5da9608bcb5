"""The history of a branch within a budget of tokens: newest steps whole, older ones as extract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.llm.tokens import BYTES_PER_TOKEN, estimate_tokens
from reasonloom.stores.sessions import thoughts
from reasonloom.text.extraction import sentences_in, words_in

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.thoughts import PastThought

MOST_STEPS = 100
"""Steps of a branch that are read at all, the newest."""

LONGEST = 1_000
"""Characters of an older step of which the extract is made."""

WHOLE_SHARE = 0.75
"""The share of the budget for whole steps where not all fit; the rest is for the extract."""

EXTRACTED = "{steps} earlier steps of this session, as an extract of their own sentences"


@dataclass(frozen=True, slots=True)
class History:
    """Steps as a prompt shows them, oldest first, each of `input` and `content`; what to say."""

    steps: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def history_of(
    tx: Transaction, execution: Execution, head: UUID | None, question: str
) -> History:
    """Return what leads to `head`, within `REASONLOOM_HISTORY_TOKENS`."""
    budget = execution.loom.settings.history_tokens
    longest = budget * BYTES_PER_TOKEN + 1  # what is longer does not fit, however it goes on
    steps = await thoughts.line(tx, head, most=MOST_STEPS, longest=longest)
    history = fitted(steps, question, budget)
    if len(steps) == MOST_STEPS:
        history.notes.append(f"of the history the newest {MOST_STEPS} steps were read")
    return history


def fitted(steps: Sequence[PastThought], question: str, budget: int) -> History:
    """Return `steps` within `budget` tokens, counted by `llm/tokens.py`.

    All of them whole where they fit; else the newest whole, as far as three quarters of the
    budget reach, and before them one extract of the older ones. Nothing is made up, and the
    same steps and question give the same history.
    """
    if sum(map(_tokens, steps)) <= budget:
        return History([_shown(each) for each in steps])
    room, first = int(budget * WHOLE_SHARE), len(steps)
    while first and _tokens(steps[first - 1]) <= room:
        first -= 1
        room -= _tokens(steps[first])
    older, whole = steps[:first], [_shown(each) for each in steps[first:]]
    head = EXTRACTED.format(steps=len(older))
    left = budget - sum(map(_tokens, steps[first:])) - estimate_tokens(head)
    summary = extract([each.content[:LONGEST] for each in older], question, left)
    note = (
        f"the history is longer than {budget} tokens: the newest {len(whole)} steps are given "
        f"whole, {len(older)} older ones as an extract of their sentences"
    )
    return History([*([{"input": head, "content": summary}] if summary else []), *whole], [note])


def extract(texts: Sequence[str], question: str, budget: int) -> str:
    """Return sentences of `texts`, in their order, that together take at most `budget` tokens.

    Taken first are those that share most words with the question, then those whose words stand
    in most of the texts, then the later ones; a sentence is taken once.
    """
    asked = set(words_in(question))
    placed = [
        (sentence, place) for place, text in enumerate(texts) for sentence in sentences_in(text)
    ]
    words = {sentence: frozenset(words_in(sentence)) for sentence, _ in placed}
    said_in = {(word, place) for sentence, place in placed for word in words[sentence]}
    spread = Counter(word for word, _ in said_in)
    last = {sentence: number for number, (sentence, _) in enumerate(placed)}

    def worth(sentence: str) -> tuple[int, float, int]:
        bag = words[sentence]
        central = sum(spread[word] for word in bag) / len(bag) if bag else 0.0
        return len(bag & asked), central, last[sentence]

    taken: list[str] = []
    for sentence in sorted(last, key=worth, reverse=True):
        if (cost := estimate_tokens(sentence + " ")) <= budget:
            budget -= cost
            taken.append(sentence)
    return " ".join(sorted(taken, key=lambda each: last[each]))


def _tokens(step: PastThought) -> int:
    return estimate_tokens(step.input) + estimate_tokens(step.content)


def _shown(step: PastThought) -> dict[str, str]:
    return {"input": step.input, "content": step.content}
