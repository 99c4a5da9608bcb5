"""What is claimed, what stands for it, and the faults that words show: one that is, one near."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from reasonloom.nodes.metacognition.argument import Argument, argument_of
from reasonloom.nodes.metacognition.faults import MOST_FAULTS, faults_of
from reasonloom.nodes.metacognition.spans import sentences_of
from reasonloom.nodes.similarity import Similarity

BY_WORDS = Similarity({}, 0.0)
"""Likeness by shared words: nothing here hangs on the weights of an embedder."""

CASES: dict[str, tuple[str, Sequence[str], str, Sequence[str]]] = {
    "contradiction": (
        "The pump works at night. The pump does not work at night.", (),
        "The pump works at night. The fan does not work at noon.", (),
    ),
    "evidence_clash": (
        "So the test took 40 minutes.", ["The test took 90 minutes."],
        "So the test took 40 minutes.", ["The test took 40 minutes."],
    ),
    "number_mismatch": (
        "We asked them, and 30 of 20 users said yes.", (),
        "We asked them, and 20 of 30 users said yes.", (),
    ),
    "circularity": (
        "This law should stay because it is good. It is a good law that should stay.", (),
        "This law should stay because it is good. Courts used it twice last year.", (),
    ),
    "overconfidence": (
        "Paint dries overnight. The bank will certainly fail.", (),
        "Paint dries overnight. The bank may fail, so we should ask.", (),
    ),
    "unsupported_claim": (
        "Paint dries overnight. So the bank will fail.", (),
        "The bank lost its reserves and will fail soon. So the bank will fail.", (),
    ),
    "hasty_generalisation": (
        "My neighbour had a bad Fiat. All Fiats break.", (),
        "We drove 400 Fiats for a year. All Fiats broke.", (),
    ),
    "correlation_for_cause": (
        "Sales rose after the ad ran. The ad caused the gain.", (),
        "Sales rose after the ad ran. In the control towns without the ad they stayed the same."
        " The ad caused the gain.", (),
    ),
}  # fmt: skip


def taken(text: str, evidence: Sequence[str] = ()) -> Argument:
    return argument_of(sentences_of(text), evidence, BY_WORDS)


def kinds(text: str, evidence: Sequence[str]) -> set[str]:
    return {fault.kind for fault in faults_of(taken(text, evidence))}


@pytest.mark.parametrize("kind", CASES)
def test_a_fault_is_found_and_the_near_case_is_not_called_one(kind: str) -> None:
    faulty, its, near, nears = CASES[kind]
    assert kind in kinds(faulty, its)
    assert kind not in kinds(near, nears)


@pytest.mark.parametrize("kind", CASES)
def test_a_fault_has_its_words_and_a_cure(kind: str) -> None:
    text, evidence, _, _ = CASES[kind]
    fault = next(each for each in faults_of(taken(text, evidence)) if each.kind == kind)
    assert fault.text
    assert fault.cure
    assert fault.where
    for sentence in fault.where:
        assert text[sentence.start : sentence.end] == sentence.text


def test_the_faults_told_are_few() -> None:
    text = " ".join(f"We asked, and {n + 30} of 20 users said yes." for n in range(40))
    assert len(faults_of(taken(text))) == MOST_FAULTS


def test_what_is_said_twice_does_not_support_itself() -> None:
    once = taken("Paint dries overnight. So the bank will fail.").support
    twice = taken("Paint dries overnight. So the bank will fail. So, the bank will fail!").support
    assert twice == once < 0.3


def test_a_claim_is_supported_by_what_speaks_of_it() -> None:
    text = "The valve sticks when it is cold. Lunch was late. So the valve should be replaced."
    claim = taken(text, ["A cold valve was replaced and the noise was gone."]).claims[-1]
    assert claim.text == "So the valve should be replaced."
    assert text[claim.start : claim.end] == claim.text
    assert claim.supported_by[0] == "A cold valve was replaced and the noise was gone."
    assert "Lunch was late." not in claim.supported_by
    assert claim.support > taken(text.replace("valve sticks", "cat sings")).claims[-1].support


@pytest.mark.parametrize(
    ("text", "hedged", "absolute"),
    [
        ("So it may fail.", True, False),
        ("So it will always fail.", False, True),
        ("So it will fail.", False, False),
    ],
)
def test_limits_and_absolutes_of_a_claim_are_told(text: str, hedged: bool, absolute: bool) -> None:
    (claim,) = taken(text).claims
    assert (claim.hedged, claim.absolute) == (hedged, absolute)


@pytest.mark.parametrize("text", ["", "...", "Why?"])
def test_a_text_that_claims_nothing_is_taken_apart_all_the_same(text: str) -> None:
    argument = taken(text)
    faults_of(argument)
    assert 0.0 <= argument.support <= 1.0


def test_much_evidence_is_held_against_the_text_in_good_time() -> None:
    sentence = "The pump {} stopped at noon because the valve was stuck and nobody saw it. "
    text = "".join(sentence.format(n) for n in range(80))
    evidence = ["".join(sentence.format(n * m) for n in range(20)) for m in range(50)]
    begun = time.process_time()
    faults_of(taken(text, evidence))
    assert time.process_time() - begun < 10, "each text is taken apart once, not once a pair"
