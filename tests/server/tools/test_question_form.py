"""What a waiting run returns: each question is whole, and what several share is sent once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.answers import answer_run
from reasonloom.graphs.runs.call import Round
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.server.questions import needs_answers, questions_result
from reasonloom.stores.access import Access
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.replies import CallKey
from reasonloom.text.tokens import count_tokens
from tests.support.calls import call, remember
from tests.support.llms.drawn_replies import replies_to
from tests.support.reasoning.sessions import thinking

PROBLEM = "Shall the town rebuild its old mill?"
FACTS = [f"The old mill of the town has {n} wheels, and each costs {n}0,000." for n in range(2, 7)]
MOST_TOKENS = {
    "reasoning_tree": 1.25,
    "reasoning_divergent": 1.25,
    "ponder": 1.25,
    "think": 1.25,
    "reasoning_linear": 1.7,
}
"""Tokens of a run by its caller, for each of the same run by a provider.

One question alone shares nothing, and the sentence on what to do is a part of it.
"""
RUN_ID = "5b2e9a61-0d4c-4f7b-9e38-a1c6d27f8043"
"""Counted in the place of a run's own id, whose tokens vary by a dozen."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "reasoning_linear": {"content": PROBLEM},
    "reasoning_tree": {"content": PROBLEM, "max_branches": 4},
    "reasoning_divergent": {"content": PROBLEM, "num_perspectives": 4},
    "ponder": {"problem": PROBLEM},
    "think": {"problem": PROBLEM, "mode": "parallel"},
}


@pytest.fixture
async def engine(access: Access, embedder: Embedder) -> AsyncIterator[Engine]:
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as engine:
        yield engine


def whole(text: str, shared: dict[str, Any]) -> str:
    for name, value in shared.items():
        if isinstance(value, str):
            text = text.replace(f"[shared {name}]", value)
    return text


def lines(text: str) -> list[str]:
    """Return the lines that say something: blank ones between sections may differ."""
    return [line for line in text.split("\n") if line]


@pytest.mark.parametrize("tool", MOST_TOKENS)
async def test_what_a_run_by_its_caller_costs(engine: Engine, tool: str) -> None:
    for fact in FACTS:
        await remember(engine, fact)
    outcome = await call(engine, tool, ARGUMENTS[tool], asks_caller=True)
    by_caller = by_provider = 0
    while outcome.round is not None:
        result = questions_result(outcome.run_id, outcome.round, 8_000)
        given = replies_to(outcome.round)
        sent = [{"id": each.id, "reply": each.reply} for each in given.replies]
        answer = json.dumps({"run_id": str(outcome.run_id), "answers": sent})
        exchanged = result.content[0].text + answer  # type: ignore[union-attr]
        by_caller += count_tokens(exchanged.replace(str(outcome.run_id), RUN_ID))
        for question, reply in zip(outcome.round.questions, given.replies, strict=True):
            prompt = question.system_text + question.user_text + json.dumps(question.schema)
            by_provider += count_tokens(prompt + json.dumps(reply.reply))
        outcome = (await answer_run(engine, Caller("local"), str(outcome.run_id), given)).outcome
    assert by_caller / by_provider <= MOST_TOKENS[tool], by_caller / by_provider


SECTIONS = st.sampled_from(
    [
        "You follow one approach to a problem to its end, and say what it comes to. " * 2,
        "<memories>\n- The old mill burned in 1987, and nobody has rebuilt it since then.\n"
        "- A second fact about the wheel of the mill.\n</memories>",
        "<problem>\nShall the town rebuild its old mill, or sell the ground that it has?\n"
        "</problem>",
        '<thought label="A">\nIt pays.\n</thought>',
        '<thought label="B">\nIt does not pay.\n\nNot at all.\n</thought>',
        "short",
        "",
    ]
)


@given(st.lists(st.tuples(st.lists(SECTIONS), st.lists(SECTIONS)), min_size=1, max_size=6))
def test_each_question_is_whole_again(texts: list[tuple[list[str], list[str]]]) -> None:
    questions = [
        QuestionRow(
            CallKey(uuid4(), "node", str(place), 0), 1, place + 1, "explore", False, "p", 1, "h",
            "\n".join(system), "\n".join(user), {"type": "object"}, 100,
        )
        for place, (system, user) in enumerate(texts)
    ]  # fmt: skip
    found = needs_answers(uuid4(), Round("t", 1, None, questions), 100)
    for question, row in zip(found.questions, questions, strict=True):
        assert lines(whole(question.prompt, found.shared)) == lines(row.user_text)
        assert lines(whole(question.system or "", found.shared)) == lines(row.system_text)
