"""What memories contradict in an answer: other figures, and next to nothing that is right."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from reasonloom.nodes.reasoning.verification.memories import find_contradictions
from reasonloom.text.sentences import sentences_in
from tests import ROOT

TASKS = ROOT / "reasonloom" / "evals" / "suites" / "reasoning" / "reason"
KINDS = ("plan", "scattered", "conflict", "design", "debug")
NUMBER = re.compile(r"(?<![\w.,:])\d+(?![\w.,:])")
RESTORE = "The restore of the payments database takes 40 minutes."


def labelled(*contents: str, note: str = "fact") -> list[dict[str, Any]]:
    return [
        {"id": number, "content": content, "label": f"[M{number}, 2026-11-17, {note}]"}
        for number, content in enumerate(contents, 1)
    ]


async def test_another_figure_is_found() -> None:
    text = "We can go on. The restore of the payments database takes 25 minutes."
    (found,) = await find_contradictions(text, labelled("The office is in Kiel.", RESTORE))
    assert (found.memory_id, found.memory) == (2, RESTORE)
    assert found.sentence.endswith("25 minutes.")


@pytest.mark.parametrize(
    "text",
    [
        RESTORE,
        "The restore of the payments database takes long.",
        "The restore of the orders database takes 25 minutes.",
        "A dump of the payments database should take 25 minutes if we buy disks.",
        "There are 25 ways to do it.",
        "",
    ],
)
async def test_what_memory_does_not_contradict_is_no_fault(text: str) -> None:
    assert await find_contradictions(text, labelled(RESTORE)) == []


async def test_a_figure_that_another_memory_has_is_a_choice_between_them() -> None:
    text = "The restore of the payments database takes 25 minutes."
    other = "With the new disks a restore is done in 25 minutes."
    assert await find_contradictions(text, labelled(RESTORE, other)) == []


@pytest.mark.parametrize("note", ["fact, superseded by M2", "conversation"])
async def test_what_holds_no_longer_and_what_somebody_said_contradict_nothing(note: str) -> None:
    text = "The restore of the payments database takes 25 minutes."
    assert await find_contradictions(text, labelled(RESTORE, note=note)) == []


def tasks(half: int) -> list[dict[str, Any]]:
    lines = [line for kind in KINDS for line in (TASKS / f"{kind}.jsonl").open(encoding="utf-8")]
    return [task for task in map(json.loads, lines) if int(task["id"][-2:]) % 2 == half]


def altered(sentence: str) -> str | None:
    found = NUMBER.search(sentence)
    if not found:
        return None
    return f"{sentence[: found.start()]}{int(found[0]) + 3}{sentence[found.end() :]}"


@pytest.mark.calibration
@pytest.mark.parametrize(("half", "alarms", "share"), [(1, 0, 0.6), (0, 2, 0.5)])
async def test_right_answers_raise_no_alarm_and_altered_facts_do(
    half: int, alarms: int, share: float
) -> None:
    """The bars were chosen on half 1 of the reasoning bench."""
    raised, found = 0, []
    for task in tasks(half):
        memories = labelled(*(each["content"] for each in task["memories"]))
        raised += bool(await find_contradictions(task["right"], memories))
        for memory in task["memories"]:
            if memory["needed"]:
                texts = map(altered, sentences_in(memory["content"])[:2])
                found += [bool(await find_contradictions(text, memories)) for text in texts if text]
    print(half, raised, sum(found), len(found))
    assert raised <= alarms
    assert sum(found) >= share * len(found)
