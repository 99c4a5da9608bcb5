"""The simulated critic: what it mends and breaks, its judge, the defects in real text."""

from __future__ import annotations

import asyncio
import re
from statistics import fmean
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.critique import (
    Change,
    Marks,
    SimulatedCritic,
    change,
    is_right,
    marks,
)
from reasonloom.evals.simulated.critique_problems import (
    CASES,
    DEFECTS,
    JUDGE_ERROR,
    SCENES,
    Case,
    CritiqueItem,
    Problem,
    generate_critique,
    read_answer,
    subsets,
)
from reasonloom.llm.interfaces import Ask
from tests.evals.simulated.simulated_llm import asking, margin, reply_of, saying

GPT_4 = CASES["gpt-4/gsm8k"]
PREDICTED = {
    "gpt-4/gsm8k": 0.887,
    "gpt-3.5/gsm8k": 0.745,
    "gpt-3.5/commonsenseqa": 0.364,
    "gpt-4/commonsenseqa": 0.774,
}
"""Right after round 2, which the rates were not solved from."""

PROBLEM = Problem(SCENES[0], groups=14, parts=12, each=3, less=2, guess=607)


def critique_of(content: str, *, sample: int = 0, areas: tuple[str, ...] = ()) -> Ask:
    return asking(
        "reflection/critique",
        sample=sample,
        content=content,
        question="",
        history=[],
        memories=[],
        searched=None,
        focus_areas=list(areas),
    )


async def criticised(
    model: SimulatedCritic, content: str, sample: int = 0, *areas: str
) -> dict[str, Any]:
    found = await model.answer(critique_of(content, sample=sample, areas=areas))
    assert found.parsed, found.text
    return found.parsed


async def revised(model: SimulatedCritic, content: str, critique: dict[str, Any]) -> str:
    made = await reply_of(
        model,
        "reflection/revise",
        content=content,
        question="",
        history=[],
        memories=[],
        failed=None,
        contradicted=None,
        searched=None,
        executes=False,
        focus_areas=[],
        weaknesses=critique["weaknesses"],
        recommendations=critique["recommendations"],
    )
    return str(made["revision"])


async def compared(
    model: SimulatedCritic, first: str, second: str, sample: int = 0
) -> dict[str, Any]:
    found: dict[str, Any] = await reply_of(
        model,
        "reflection/compare",
        sample=sample,
        question="",
        history=[],
        memories=[],
        focus_areas=[],
        first=first,
        second=second,
    )
    return found


def after(case: Case, rounds: int) -> float:
    share = case.start
    for _ in range(rounds):
        share = share * (1 - case.spoil) + (1 - share) * case.mend
    return share


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_rates_solve_the_published_figures(case: Case) -> None:
    first, _, oracle = case.published
    assert after(case, 1) == pytest.approx(first, abs=0.001)
    assert 1 - (1 - case.start) * (1 - case.mend) ** 2 == pytest.approx(oracle, abs=0.001)
    assert after(case, 2) == pytest.approx(PREDICTED[case.name], abs=0.001)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_gate_gains_at_the_judge_s_error(case: Case) -> None:
    lost = case.start * case.spoil * JUDGE_ERROR
    assert (1 - case.start) * case.mend * (1 - JUDGE_ERROR) > lost


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_round_mends_and_breaks_at_the_case_s_rates(case: Case) -> None:
    model = SimulatedCritic(case, seed=3)
    mended: list[bool] = []
    kept: list[bool] = []
    items = generate_critique(case, 400, seed=1)
    samples = 2_000 // sum(bool(item.planted) for item in items)
    for item in items:
        for sample in range(samples if item.planted else 5):
            critique = await criticised(model, item.draft, sample)
            revision = await revised(model, item.draft, critique)
            (mended if item.planted else kept).append(is_right(item.question, revision))
    assert abs(fmean(mended) - case.mend) < margin(case.mend, len(mended))
    assert abs(1 - fmean(kept) - case.spoil) < margin(case.spoil, len(kept))


async def test_a_wrong_answer_is_mended_at_the_same_rate_however_much_is_wrong() -> None:
    case = CASES["gpt-3.5/commonsenseqa"]
    model = SimulatedCritic(case, seed=3)
    for defects in (frozenset(DEFECTS[:1]), frozenset(DEFECTS[1:3]), frozenset(DEFECTS)):
        draft = PROBLEM.answer(defects)
        right = []
        for sample in range(1_500):
            critique = await criticised(model, draft, sample)
            right.append(len(critique["weaknesses"]) == len(defects))
        assert abs(fmean(right) - case.mend) < margin(case.mend, len(right))


@pytest.mark.parametrize("error", [0.0, 0.1, 0.5])
async def test_the_judge_errs_as_told_whatever_the_order(error: float) -> None:
    model = SimulatedCritic(GPT_4, seed=3, judge_error=error)
    wrongly = []
    for item in generate_critique(CASES["gpt-3.5/gsm8k"], 4_000, seed=1):
        if not item.planted:
            continue
        right = read(item.draft)[0].answer()
        verdict = await compared(model, item.draft, right)
        turned = await compared(model, right, item.draft)
        assert {verdict["better"], turned["better"]} == {"first", "second"}
        wrongly.append(verdict["better"] == "first")
        score = "first_score" if wrongly[-1] else "second_score"
        assert verdict[score] == max(verdict["first_score"], verdict["second_score"])
    assert abs(fmean(wrongly) - error) <= margin(error, len(wrongly))


def read(text: str) -> tuple[Problem, frozenset[str]]:
    found = read_answer(text)
    assert found
    return found


async def test_the_judge_prefers_neither_of_two_as_good() -> None:
    model = SimulatedCritic(GPT_4, seed=3)
    first, second = PROBLEM.answer(frozenset(DEFECTS[:1])), PROBLEM.answer(frozenset(DEFECTS[3:]))
    assert (await compared(model, first, second))["better"] == "neither"


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.group)
def test_an_answer_is_right_where_nothing_is_planted_and_nowhere_else(scene: Any) -> None:
    problem = Problem(scene, groups=14, parts=12, each=3, less=2, guess=607)
    texts = set()
    for defects in subsets():
        answer = problem.answer(defects)
        texts.add(answer)
        assert read_answer(answer) == (problem, defects)
        assert is_right(problem.question(), answer) == (not defects)
    assert len(texts) == 2 ** len(DEFECTS)
    assert "432" in problem.answer()


def test_the_checker_computes_from_the_question_itself() -> None:
    for item in generate_critique(CASES["gpt-3.5/gsm8k"], 300, seed=8):
        groups, parts, each, less, _ = (int(n) for n in re.findall(r"\d+", item.question))
        final = re.findall(r"(\d+) (\w+)\.$", item.draft)[0]
        scene = read(item.draft)[0].scene
        truly = final == (str((groups - less) * parts * each), scene.unit)
        assert truly == is_right(item.question, item.draft) == (not item.planted)
    assert not is_right("What?", PROBLEM.answer())
    assert not is_right(PROBLEM.question(), "the answer is " + "9" * 5_000 + " kg.")


async def test_what_is_found_missed_and_wrongly_blamed_is_scored() -> None:
    draft = PROBLEM.answer(frozenset(DEFECTS[:2]))
    sure = Case("sure", 0.5, mend=1.0, spoil=1.0, published=(0, 0, 0), price=GPT_4.price)
    model = SimulatedCritic(sure, seed=1)
    critique = await criticised(model, draft)
    assert marks(draft, critique["weaknesses"]) == Marks(found=2, missed=0, false_alarms=0)
    assert marks(draft, critique["weaknesses"][:1]) == Marks(1, 1, 0)
    assert marks(draft, []) == Marks(0, 2, 0)
    revision = await revised(model, draft, critique)
    assert revision == PROBLEM.answer()
    assert change(draft, revision) == Change(repaired=2, broken=0)
    alarm = await criticised(model, revision)
    assert marks(revision, alarm["weaknesses"]) == Marks(0, 0, 1)
    spoiled = await revised(model, revision, alarm)
    assert change(revision, spoiled) == Change(repaired=0, broken=1)
    assert marks("?", []) is None
    assert change("?", draft) is None


async def test_a_criticism_that_quotes_nothing_changes_nothing() -> None:
    model = SimulatedCritic(GPT_4, seed=1)
    vague = {"weaknesses": ["It is wrong.", '"Nobody said this." is false.'], "recommendations": []}
    draft = PROBLEM.answer(frozenset(DEFECTS))
    assert await revised(model, draft, vague) == draft
    assert await revised(model, draft, {"weaknesses": [], "recommendations": []}) == draft


async def test_each_focus_area_gets_a_finding() -> None:
    model = SimulatedCritic(GPT_4, seed=1)
    critique = await criticised(model, PROBLEM.answer(), 0, "units", "sums")
    assert [each["area"] for each in critique["findings"]] == [1, 2]


async def test_nothing_but_the_text_is_seen() -> None:
    model = SimulatedCritic(GPT_4, seed=1)
    plain = critique_of(PROBLEM.answer(frozenset(DEFECTS[:1])))
    marked = Ask(
        messages=plain.messages,
        schema=plain.schema,
        pipe="reflection",
        thread="t",
        material={"content": PROBLEM.answer(), "planted": []},
    )
    assert (await model.answer(plain)).text == (await model.answer(marked)).text


async def test_the_order_of_calls_decides_nothing() -> None:
    case = CASES["gpt-3.5/commonsenseqa"]
    asks = [
        critique_of(item.draft, sample=sample)
        for item in generate_critique(case, 40, seed=2)
        for sample in range(3)
    ]
    first, second = SimulatedCritic(case, seed=1), SimulatedCritic(case, seed=1)
    in_order = [(await first.answer(each)).text for each in asks]
    backwards = [(await second.answer(each)).text for each in reversed(asks)][::-1]
    at_once = [reply.text for reply in await asyncio.gather(*map(first.answer, asks))]
    assert in_order == backwards == at_once
    other = SimulatedCritic(case, seed=2)
    assert [(await other.answer(each)).text for each in asks] != in_order
    assert len({tuple(in_order[at : at + 3]) for at in range(0, 120, 3)}) > 30


@pytest.mark.parametrize(
    "content",
    [
        "Anna can eat there.",
        PROBLEM.answer() + " And so on.",
        PROBLEM.answer().replace("432", "433"),
        PROBLEM.answer().replace("14 crates", "9999999 crates"),
        PROBLEM.answer() + "\n</answer>\n<answer>\nIt is right.",
        "Given are " * 4_000,
        "<answer>\n" * 4_000,
        "</answer>",
        "x" * 60_000,
    ],
)
async def test_what_cannot_be_read_gets_plain_words(content: str) -> None:
    model = SimulatedCritic(GPT_4, seed=1)
    reply = await model.answer(critique_of(content))
    assert reply.parsed is None
    assert reply.text.startswith("I do not understand")


async def test_answers_to_two_questions_are_not_compared() -> None:
    model = SimulatedCritic(GPT_4, seed=1)
    other = Problem(SCENES[1], groups=14, parts=12, each=3, less=2, guess=607)
    ask = asking(
        "reflection/compare",
        question="",
        history=[],
        memories=[],
        focus_areas=[],
        first=PROBLEM.answer(),
        second=other.answer(),
    )
    reply = await model.answer(ask)
    assert reply.parsed is None
    assert "different questions" in reply.text
    assert (await model.answer(saying("Hello", None))).parsed is None


@pytest.mark.parametrize("error", [-0.1, 1.1, float("nan")])
def test_a_judge_s_error_is_a_chance(error: float) -> None:
    with pytest.raises(InvalidArgument, match="judge_error: must be 0 to 1"):
        SimulatedCritic(GPT_4, seed=1, judge_error=error)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_as_many_drafts_are_right_as_first_answers_were(case: Case) -> None:
    items = generate_critique(case, 1_000, seed=1)
    assert fmean(not item.planted for item in items) == pytest.approx(case.start)
    assert items == generate_critique(case, 1_000, seed=1) != generate_critique(case, 1_000, seed=2)
    assert {len(item.planted) for item in items} == {0, 1, 2, 3}
    kinds = [kind for item in items for kind in item.planted]
    assert set(kinds) == set(DEFECTS)
    assert len({item.draft for item in items}) == 1_000
    with pytest.raises(InvalidArgument, match="count: must be 1"):
        generate_critique(case, 0, seed=1)


def test_a_draft_says_what_is_planted_in_it() -> None:
    items: list[CritiqueItem] = generate_critique(CASES["gpt-3.5/gsm8k"], 300, seed=4)
    assert all(read(item.draft)[1] == item.planted for item in items)
