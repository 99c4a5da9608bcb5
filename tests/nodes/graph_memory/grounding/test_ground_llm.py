"""memory_ground with a language model: a paraphrase is verified, a plain denial never is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.call import Outcome
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.graph_memory.grounding.judges import JUDGES
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, words_of
from tests.support.memory.graph import add, query

STORED = ("Nadja never drinks coffee after noon.", "The pier is 300 metres long. 🌊")


def entailment_reply(
    relation: str, *numbers: int, uncovered: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {
        "relation": relation,
        "memories": list(numbers),
        "uncovered": list(uncovered),
        "why": "So says the memory.",
    }


Ground = Callable[..., Any]


@pytest.fixture
def ground(settings: Settings, access: Access, embedder: Embedder) -> Ground:
    """Return what grounds a claim with a model that answers so, over what is stored."""

    async def grounded(llm: AnsweringLlm, claim: str, *stored: str) -> Outcome:
        async with open_engine(settings, access=access, embedder=embedder) as engine:
            for text in stored or STORED:
                await add(engine, text)
        alone = settings.model_copy(update={"judges": "separate"})
        async with open_engine(alone, access=access, llm=llm, embedder=embedder) as engine:
            return await call(engine, "memory_ground", {"claim": claim})

    return grounded


def of(memory: str) -> Callable[[Ask], dict[str, Any]]:
    """Return an answer that names the memory with these words as the one that supports."""

    def answer(ask: Ask) -> dict[str, Any]:
        texts: Any = ask.material["memories"]
        number = next(n for n, text in enumerate(texts, 1) if memory in text)
        return entailment_reply("supported", number)

    return answer


async def test_a_paraphrase_is_verified_by_the_lenses(ground: Ground) -> None:
    llm = AnsweringLlm(relation=of("coffee"))
    outcome = await ground(llm, "Nadja keeps her evenings free of caffeine.")
    answer = outcome.answer
    assert (answer["status"], answer["judged_by"], answer["confidence"]) == ("verified", "llm", 0.9)
    assert [each["content"] for each in answer["evidence"]] == [STORED[0]]
    assert llm.counts["relation"] == len(JUDGES)


async def test_the_lenses_are_blind_to_what_the_words_found(ground: Ground) -> None:
    llm = AnsweringLlm(relation=entailment_reply("silent"))
    await ground(llm, "The pier is 300 metres long.")
    for ask in llm.asked["relation"]:
        assert set(ask.material) == {"claim", "memories", "lens"}
        assert "verified" not in words_of(ask)
    assert {ask.material["lens"] for ask in llm.asked["relation"]} == set(JUDGES.values())


async def test_another_figure_is_never_verified_whatever_the_lenses_say(ground: Ground) -> None:
    outcome = await ground(AnsweringLlm(relation=of("pier")), "The pier is 900 metres long.")
    answer = outcome.answer
    assert (answer["status"], answer["contradicted"]) == ("ungrounded", True)
    assert any("do not agree" in note for note in outcome.notes)
    assert answer["confidence"] < 0.8


async def test_what_both_find_is_of_both(ground: Ground) -> None:
    outcome = await ground(AnsweringLlm(relation=of("pier")), "The pier is 300 metres long.")
    assert (outcome.answer["status"], outcome.answer["judged_by"]) == ("verified", "both")


async def test_the_lenses_may_contradict_what_words_verify(ground: Ground) -> None:
    llm = AnsweringLlm(relation=entailment_reply("contradicted", 1))
    answer = (await ground(llm, "The pier is 300 metres long.")).answer
    assert (answer["status"], answer["contradicted"]) == ("ungrounded", True)
    assert answer["evidence"][0]["why"] == "So says the memory."


async def test_silent_lenses_make_of_verified_a_part(ground: Ground) -> None:
    answer = (await ground(AnsweringLlm(relation=entailment_reply("silent")), STORED[1])).answer
    assert (answer["status"], answer["contradicted"]) == ("partial", False)


async def test_partly_names_what_is_left_as_it_stands_in_the_claim(ground: Ground) -> None:
    llm = AnsweringLlm(
        relation=entailment_reply("partly", 1, uncovered=("made of oak", "not in it"))
    )
    answer = (await ground(llm, "The jetty of 300 metres is made of oak.")).answer
    assert (answer["status"], answer["uncovered"]) == ("partial", ["made of oak"])


async def test_agreement_gives_the_confidence(ground: Ground) -> None:
    def told(ask: Ask) -> dict[str, Any]:
        return (
            entailment_reply("silent")
            if ask.material["lens"] == JUDGES["reader"]
            else of("coffee")(ask)
        )

    llm = AnsweringLlm(relation=told)
    answer = (await ground(llm, "Nadja keeps her evenings free of caffeine.")).answer
    assert (answer["status"], answer["confidence"]) == ("verified", pytest.approx(2 / 3, abs=1e-3))


async def test_a_memory_that_was_not_shown_is_no_evidence(ground: Ground) -> None:
    llm = AnsweringLlm(relation=entailment_reply("supported", 7, 99))
    answer = (await ground(llm, "Nadja keeps her evenings free of caffeine.")).answer
    assert (answer["status"], answer["evidence"]) == ("ungrounded", [])


async def test_a_model_that_fails_leaves_the_words(ground: Ground) -> None:
    llm = AnsweringLlm(relation=LlmUnavailable("it is away"))
    outcome = await ground(llm, "The pier is 300 metres long.")
    assert (outcome.answer["status"], outcome.answer["judged_by"]) == ("verified", "words")
    assert sum("it is away" in note for note in outcome.notes) == len(JUDGES)


async def test_each_question_is_recorded_once(ground: Ground, access: Access) -> None:
    await ground(AnsweringLlm(relation=entailment_reply("silent")), "The pier is long.")
    asked = query(access, "SELECT count(*) FROM llm_calls WHERE prompt = 'grounding/entailment'")
    assert asked == [(len(JUDGES),)]


async def test_memories_that_oppose_each_other_are_not_verified_by_the_lenses(
    ground: Ground,
) -> None:
    claim = "Der Mietpreis beträgt 900 Euro."
    llm = AnsweringLlm(relation=of(claim))
    outcome = await ground(llm, claim, claim, "Der Mietpreis beträgt 950 Euro. 💶")
    assert (outcome.answer["status"], outcome.answer["contradicted"]) == ("partial", False)
    assert [each["relation"] for each in outcome.answer["evidence"]] == ["supports", "contradicts"]
