"""The simulated Game of 24: it sees a question and nothing else, and chance is keyed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from reasonloom.evals.simulated.conversation import NOT_UNDERSTOOD
from reasonloom.evals.simulated.game24.constants import PUBLISHED
from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.simulated.game24.puzzles import generate_puzzles
from reasonloom.llm.interfaces import Ask, LanguageModel
from tests.evals.simulated.simulated_llm import PROMPTS, asking, reply_of, saying

STEPS = ["4 + 8 = 12", "6 - 4 = 2", "2 * 12 = 24"]
MODEL = Game24Model(seed=5)


def every_kind(samples: int = 2) -> list[Ask]:
    """Return questions of each kind about some puzzles and states."""
    asks = []
    for puzzle in map(str, generate_puzzles(6, seed=1)):
        for sample in range(samples):
            left = {"numbers": "1/3 -2 8", "steps": ["3 - 5 = -2"], "puzzle": puzzle}
            asks += [
                asking("game24/propose", sample=sample, **(left | {"numbers": puzzle})),
                asking("game24/propose", sample=sample, **left),
                asking(
                    "game24/value", sample=sample, numbers=puzzle[: puzzle.rindex(" ")], attempts=3
                ),
                asking("game24/answer", sample=sample, puzzle="4 4 6 8", steps=STEPS),
                asking("game24/chain", sample=sample, puzzle=puzzle, attempts=4),
                asking("game24/direct", sample=sample, puzzle=puzzle, attempts=4),
            ]
    return asks


async def answers(asks: list[Ask], seed: int = 5) -> list[str]:
    model: LanguageModel = Game24Model(seed)
    return [(await model.answer(ask)).text for ask in asks]


def fingerprint() -> str:
    """Return one hash of many answers; another process is held to it."""
    found = asyncio.run(answers(every_kind()))
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


async def test_the_order_of_questions_decides_nothing() -> None:
    asks = every_kind()
    found = await answers(asks)
    assert (await answers(asks[::-1]))[::-1] == found
    model = Game24Model(seed=5)
    threads = await asyncio.gather(
        *(asyncio.to_thread(asyncio.run, model.answer(ask)) for ask in asks)
    )
    assert [reply.text for reply in threads] == found
    assert await answers(asks, seed=6) != found


def test_another_process_with_other_hashes_answers_the_same() -> None:
    code = "from tests.evals.simulated.test_game24_model import fingerprint; print(fingerprint())"
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert printed == [fingerprint()] * 2


async def test_only_what_is_written_counts() -> None:
    for ask in every_kind(samples=1):
        plain = await MODEL.answer(ask)
        dressed = replace(
            ask, pipe="tree", thread="t", temperature=0.0, seed=9, material={"numbers": "1 1"}
        )
        assert await MODEL.answer(dressed) == plain
        others = [await MODEL.answer(replace(ask, sample=sample)) for sample in range(50, 90)]
        assert any(other != plain for other in others)


async def test_a_judge_does_not_know_how_a_state_came_about() -> None:
    schema = PROMPTS.get("game24/value").schema
    bare = "<numbers>\n4 6 10\n</numbers>\n<attempts>\n3\n</attempts>"
    ways = [
        bare,
        bare.replace("4 6 10", "10 4.0 6/1"),
        "<puzzle>\n4 4 6 6\n</puzzle>\n<steps>\n4 + 6 = 11\n</steps>\n" + bare,
    ]
    for sample in range(0, 60, 3):
        asks = [replace(saying(way, schema), sample=sample) for way in ways]
        assert len({(await MODEL.answer(ask)).text for ask in asks}) == 1


async def test_two_ways_to_the_same_numbers_bring_different_steps() -> None:
    ways = (["1 + 2 = 3", "3 + 3 = 6"], ["3 + 2 = 5", "5 + 1 = 6"])
    found = [
        await reply_of(MODEL, "game24/propose", puzzle="1 2 3 4", steps=steps, numbers="4 6 9")
        for steps in ways
    ]
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("kind", "held", "given"),
    [
        ("chain", "solutions", {"puzzle": "4 5 6 10"}),
        ("direct", "answers", {"puzzle": "4 5 6 10"}),
        ("value", "judgements", {"numbers": "4 6 10"}),
    ],
)
async def test_samples_of_one_call_are_those_of_several(
    kind: str, held: str, given: dict[str, str]
) -> None:
    at_once = await reply_of(MODEL, f"game24/{kind}", sample=2, attempts=7, **given)
    apart = [
        await reply_of(MODEL, f"game24/{kind}", sample=sample, attempts=1, **given)
        for sample in range(2, 9)
    ]
    assert at_once[held] == [each for one in apart for each in one[held]]


async def test_a_question_is_paid_once_and_tokens_are_the_tables() -> None:
    reply = await MODEL.answer(asking("game24/chain", puzzle="4 5 6 10", attempts=20))
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (297, 20 * 46)
    assert reply.usage.cost_usd == pytest.approx(297 * 3e-5 + 20 * 46 * 6e-5)
    ask = asking("game24/propose", puzzle="4 5 6 10", steps=[], numbers="4 5 6 10")
    reply = await MODEL.answer(ask)
    assert reply.parsed
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (
        120,
        14 * len(reply.parsed["proposals"]),
    )
    reply = await MODEL.answer(asking("game24/value", numbers="1 1", attempts=3))
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (235, 93)


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        ("What is the capital of France?", "chain", "There is no <attempts>."),
        ("<puzzle>\n4 5 6 10\n</puzzle>", "propose", "There is no <numbers>."),
        ("<numbers>\n24\n</numbers>", "propose", "numbers should be 2 to 4 numbers"),
        ("<numbers>\n1 2 x 4\n</numbers>", "propose", "numbers: 'x' is no number"),
        ("<numbers>\n1 2 1/0\n</numbers>", "propose", "numbers: '1/0' is no number"),
        ("<puzzle>\n4 5 6 -10\n</puzzle>\n<steps>\n</steps>", "answer", "none below 0"),
        ("<puzzle>\n4 5\n</puzzle>\n<steps>\n4 plus 5\n</steps>", "answer", "'4 plus 5' should"),
        (
            "<numbers>\n1 2 3 4\n</numbers>\n<attempts>\n3\n</attempts>",
            "value",
            "numbers should be 1 to 3 numbers",
        ),
        ("<puzzle>\n4 5\n</puzzle>\n<attempts>\n101\n</attempts>", "direct", "from 1 to 100"),
    ],
)
async def test_what_it_cannot_read_it_says_so(words: str, kind: str, said: str) -> None:
    reply = await MODEL.answer(saying(words, PROMPTS.get(f"game24/{kind}").schema))
    assert reply.parsed is None
    assert reply.text.startswith(NOT_UNDERSTOOD)
    assert said in reply.text


async def test_another_form_or_none_is_not_understood() -> None:
    words = "<puzzle>\n4 5 6 10\n</puzzle>\n<attempts>\n1\n</attempts>"
    for schema in (None, PROMPTS.get("linear/continue").schema):
        reply = await MODEL.answer(saying(words, schema))
        assert reply.parsed is None
        assert reply.text.startswith(NOT_UNDERSTOOD)


async def test_what_the_model_itself_said_is_no_question() -> None:
    ask = asking("game24/direct", puzzle="4 5 6 10", attempts=1)
    other = AIMessage("<puzzle>\n1 1 1 8\n</puzzle>")
    assert await MODEL.answer(replace(ask, messages=[other, *ask.messages])) == (
        await MODEL.answer(ask)
    )
    unsaid = [SystemMessage(str(ask.messages[1].content)), HumanMessage("?")]
    assert (await MODEL.answer(replace(ask, messages=unsaid))).parsed is None


def test_the_constants_are_those_that_were_frozen() -> None:
    """A change needs a source, listed in `constants.py`, and then another hash here."""
    told_all = repr([dict(each) if isinstance(each, Mapping) else each for each in values()])
    assert hashlib.sha256(told_all.encode()).hexdigest()[:16] == FROZEN


def values() -> list[object]:
    return [getattr(PUBLISHED, name) for name in sorted(PUBLISHED.__slots__)]


FROZEN = "dc7c58f655c79700"
