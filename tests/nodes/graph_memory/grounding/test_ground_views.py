"""memory_ground with one call for three viewpoints: reasons are kept, and evidence is signed."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.call import Outcome
from reasonloom.llm.coercion import conforms
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.nodes.graph_memory.grounding.test_ground_llm import STORED
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm
from tests.support.memory.graph import add

COLA = "Nadja has a cola in her evenings."
CLAIM = "Nadja keeps her evenings free of caffeine."


def view(name: str, relation: str, *evidence: tuple[str, str, str]) -> dict[str, Any]:
    """Return a view; its evidence names memories by a word of theirs."""
    return {"view": name, "relation": relation, "evidence": evidence, "uncovered": [], "why": "W."}


async def grounded(
    settings: Settings, access: Access, embedder: Embedder, *views: dict[str, Any]
) -> Outcome:
    def answer(ask: Any) -> dict[str, Any]:
        texts = ask.material["memories"]

        def numbered(word: str, relation: str, why: str) -> dict[str, Any]:
            number = next(n for n, text in enumerate(texts, 1) if word in text)
            return {"memory": number, "why": why, "relation": relation}

        found = [{**each, "evidence": [numbered(*e) for e in each["evidence"]]} for each in views]
        assert len(views) < 3 or conforms({"views": found}, ask.schema)
        return {"views": found}

    llm = AnsweringLlm(views=answer)
    async with open_engine(settings, access=access, llm=llm, embedder=embedder) as engine:
        for text in (*STORED, COLA):
            await add(engine, text)
        outcome = await call(engine, "memory_ground", {"claim": CLAIM})
    assert llm.counts["views"] == 1
    return outcome


async def test_supporting_evidence_keeps_the_judges_reasons(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    says = ("coffee", "supports", "It denies coffee after noon.")
    outcome = await grounded(
        settings, access, embedder,
        view("clerk", "supported", says),
        view("opponent", "supported", ("coffee", "supports", "Nothing else is drunk in it.")),
        view("reader", "supported", says),
    )  # fmt: skip
    (evidence,) = outcome.answer["evidence"]
    assert (outcome.answer["status"], evidence["relation"]) == ("verified", "supports")
    assert evidence["why"] == "It denies coffee after noon. Nothing else is drunk in it."


async def test_each_piece_of_evidence_has_its_own_sign(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    both = (("coffee", "supports", "It denies coffee."), ("cola", "opposes", "Cola has caffeine."))
    outcome = await grounded(
        settings, access, embedder,
        *(view(name, "supported", *both) for name in ("clerk", "opponent", "reader")),
    )  # fmt: skip
    signs = {each["content"]: each["relation"] for each in outcome.answer["evidence"]}
    assert signs == {STORED[0]: "supports", COLA: "contradicts"}
    assert (outcome.answer["status"], outcome.answer["contradicted"]) == ("partial", False)
    assert any("oppose each other" in note for note in outcome.notes)


async def test_what_one_judge_calls_opposing_is_outvoted(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    supports = ("coffee", "supports", "It denies coffee.")
    outcome = await grounded(
        settings, access, embedder,
        view("clerk", "supported", supports),
        view("opponent", "supported", ("coffee", "opposes", "Tea has caffeine too.")),
        view("reader", "supported", supports),
    )  # fmt: skip
    (evidence,) = outcome.answer["evidence"]
    assert (evidence["relation"], evidence["why"]) == ("supports", "It denies coffee.")


async def test_a_judge_that_is_missing_is_noted(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    says = ("coffee", "supports", "It denies coffee.")
    outcome = await grounded(
        settings, access, embedder,
        view("clerk", "supported", says), view("reader", "supported", says),
    )  # fmt: skip
    assert outcome.answer["confidence"] == pytest.approx(0.9)
    assert any("the opponent's look at the claim is missing" in note for note in outcome.notes)
