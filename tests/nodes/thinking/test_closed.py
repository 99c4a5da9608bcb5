"""Thinking in parallel on a closed question: answered once, with the count of those who agree."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.thinking.closed import comparable
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.streams import Made, StreamingLlm, insights_by
from tests.support.reasoning.sessions import thinking

ASKED = {"problem": "Is 1001 prime?", "mode": "parallel"}


def answering(**answers: str) -> Any:
    """Let each stream answer as named, and the most confident one be the critical."""

    def stream(material: dict[str, Any]) -> Made:
        name = material["stream"]["name"]
        sure = 0.9 if name == "critical" else 0.6
        return insights_by(material, answer=answers.get(name, ""), confidence=sure)

    return stream


async def test_most_streams_that_agree_are_counted_and_nothing_more_is_asked(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(answering(analytical="No", creative="yes", critical="No.", synthetic="no"))
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "think", ASKED)).answer
    assert found["conclusion"] == "It is about the granite\n\n3 of 4 streams agree: No."
    assert (len(llm.of("stream")), len(llm.of("synthesis"))) == (4, 0)
    assert (found["status"], found["recommendations"]) == ("completed", [])
    assert found["qualityParts"]["agreement"] == 0.75
    assert len(found["streams"]) == 4
    assert all("give that alone as answer" in each.words for each in llm.of("stream"))


@pytest.mark.parametrize(
    "answers",
    [
        {"analytical": "no", "creative": "yes", "critical": "no", "synthetic": "yes"},
        {"analytical": "no", "creative": "no", "critical": "no"},
        dict.fromkeys(STREAMS, "It depends on the river and on " + "the money " * 20),
        {},
    ],
    ids=["even", "one does not answer", "long", "open"],
)
async def test_without_a_majority_of_answers_the_streams_are_brought_together(
    access: Access, embedder: Embedder, answers: dict[str, str]
) -> None:
    llm = StreamingLlm(answering(**answers))
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "think", ASKED)).answer
    assert (found["conclusion"], len(llm.of("synthesis"))) == ("So it is.", 1)


async def test_one_stream_alone_is_not_asked_to_be_counted(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(answering(critical="no"))
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "think", {**ASKED, "mode": "critical"})).answer
    assert found["conclusion"] == "It is about the granite"
    assert "give that alone as answer" not in llm.of("stream")[0].words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12", "12.0"), ("1,200", "1200"), ("Yes.", "yes"), ("Option B", "b"),
        ("the answer is 7", "7"), ("**Postgres**", "postgres"), ("Нет", "нет."),
    ],
)  # fmt: skip
def test_equal_answers_compare_as_equal(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12", "-12"),
        ("1.2", "12"),
        ("1,5", "15"),
        (".5", "5"),
        ("no", "not now"),
        ("C", "C++"),
        ("=", "<"),
    ],
)
def test_different_answers_stay_different(one: str, other: str) -> None:
    assert comparable(one) != comparable(other)
