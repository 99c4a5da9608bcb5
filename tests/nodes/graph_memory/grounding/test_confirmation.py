"""The reader confirms what words show, and finds a paraphrase that they cannot see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reasonloom.nodes.graph_memory.grounding.confirmation import (
    DOUBT,
    MOST_LETTERS,
    confirm_verdict,
    excerpt,
)
from reasonloom.nodes.graph_memory.grounding.verdict import Verdict, Witness, weigh_evidence

OPEN = Verdict("ungrounded", 0.3, False, (), (), (), False)
DENIED = Verdict(
    "ungrounded", 0.5, True, (Witness(1, "contradicts", (), "another word"),), (), (), True
)


async def test_what_the_reader_sees_denied_too_stays_contradicted() -> None:
    current = {1: "The sauna is closed on Mondays."}
    claim = "The sauna is open on Mondays."
    assert await confirm_verdict(DENIED, claim, current) == DENIED


async def test_a_contradiction_of_words_alone_is_dropped() -> None:
    current = {1: "Wanda speaks Polish at home and Spanish at work."}
    found = await confirm_verdict(DENIED, "Wanda owns a small sailing boat.", current)
    assert (found.status, found.contradicted) == ("ungrounded", False)


async def test_swapped_words_contradict_though_the_reader_does_not_see_it() -> None:
    current = {1: "Rafael booked the flat for Inga."}
    words = weigh_evidence("Inga booked the flat for Rafael.", current, {}, threshold=0.3)
    assert (words.contradicted, words.swapped) == (True, True)
    assert await confirm_verdict(words, "Inga booked the flat for Rafael.", current) == words


async def test_a_paraphrase_is_verified_and_names_its_memory() -> None:
    current = {1: "The kiln is fired on Fridays.", 2: "Joana gave up smoking two years ago."}
    found = await confirm_verdict(OPEN, "Joana no longer smokes.", current)
    assert (found.status, [each.id for each in found.witnesses]) == ("verified", [2])


@pytest.mark.parametrize(
    "kept",
    [
        replace(DENIED, superseded=(4,)),
        Verdict("partial", 1.0, False, (Witness(1, "contradicts", (), "950"),), (), (), False),
        Verdict("verified", 1.0, False, (Witness(1, "supports", (), None),), (), (), False),
    ],
)
async def test_corrections_and_opposed_or_repeated_claims_are_left_alone(kept: Verdict) -> None:
    current = {1: "Wanda speaks Polish at home and Spanish at work."}
    assert await confirm_verdict(kept, "Wanda speaks Polish at home.", current) == kept


VERIFIED = Verdict("verified", 1.0, False, (Witness(1, "supports", (), None),), (), (), False)


async def test_words_that_do_not_seem_to_say_it_verify_nothing() -> None:
    current = {1: "rename of the export folder: proposed"}
    found = await confirm_verdict(VERIFIED, "The export folder has been renamed.", current)
    assert (found.status, found.contradicted) == ("ungrounded", False)
    assert found.witnesses == (Witness(1, "related", (), DOUBT),)


async def test_an_unconfirmed_contradiction_that_lacks_no_word_stays_the_reason() -> None:
    current = {1: "Wanda speaks Polish at home and Spanish at work."}
    found = await confirm_verdict(DENIED, "Wanda owns a small sailing boat.", current)
    assert found.witnesses == (Witness(1, "related", (), "another word"),)
    lacking = replace(DENIED, uncovered=("sailing",))
    found = await confirm_verdict(lacking, "Wanda owns a small sailing boat.", current)
    assert found.witnesses == ()


async def test_a_claim_that_a_memory_repeats_is_not_doubted() -> None:
    current = {1: "Ole said: Wanda sells fish, and nobody believed him."}
    assert await confirm_verdict(VERIFIED, "Wanda sells fish.", current) == VERIFIED


async def test_another_figure_is_no_paraphrase() -> None:
    current = {1: "Joana gave up smoking two years ago."}
    found = await confirm_verdict(OPEN, "Joana has not smoked for nine years.", current)
    assert found.status == "ungrounded"


async def test_another_language_is_left_to_words() -> None:
    current = {1: "Joana hat vor zwei Jahren mit dem Rauchen aufgehört."}
    assert await confirm_verdict(OPEN, "Joana raucht seit zwei Jahren nicht mehr.", current) == OPEN


def test_of_a_long_memory_the_nearest_sentences_are_read() -> None:
    filler = "The mill stands by the river. " * 40
    read = excerpt(f"{filler}The ferry leaves at nine. {filler}", "When the ferry leaves")
    assert "ferry leaves at nine" in read
    assert len(read) <= MOST_LETTERS + 40
