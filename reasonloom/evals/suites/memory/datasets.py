"""Maps LoCoMo's file to memories and questions, and does nothing else to it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.memory.collection import Collection, Question, Source, Stored

SESSION = re.compile(r"session_(\d+)\Z")
TURN_ID = re.compile(r"D\d+:\d+")
CATEGORIES: Mapping[int, str] = {
    1: "multi_hop",
    2: "temporal",
    3: "open_domain",
    4: "single_hop",
    5: "adversarial",
}
"""What the numbers in the file mean; several projects label 1, 3 and 4 wrongly."""


def load(source: Source) -> tuple[list[Collection], str]:
    """Return the conversations of a file, and its SHA-256.

    Raises:
        InvalidArgument: the file is not named, not there, or not LoCoMo's.
    """
    if source.data is None:
        raise InvalidArgument("data: name the file, such as locomo10.json", field="data")
    if source.half != "all":
        raise InvalidArgument("half: LoCoMo has no halves; leave it out", field="half")
    try:
        raw = source.data.read_bytes()
        conversations = [_conversation(sample) for sample in _listed(json.loads(raw))]
        return conversations, hashlib.sha256(raw).hexdigest()
    except OSError:
        raise InvalidArgument("data: there is no such file", field="data") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidArgument("data: not a LoCoMo file (locomo10.json)", field="data") from None


def _listed(samples: object) -> list[Any]:
    if not isinstance(samples, list) or not samples:
        raise ValueError("no conversations")  # told as another file by `load`
    return samples


def _conversation(sample: Mapping[str, Any]) -> Collection:
    name = sample["sample_id"]
    turns = tuple(_turns(sample["conversation"]))
    known = {turn.id for turn in turns}
    return Collection(name, turns, tuple(_questions(name, sample["qa"], known)))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Stored]:
    numbers = sorted(int(found.group(1)) for key in conversation if (found := SESSION.match(key)))
    for number in numbers:
        session = f"session_{number}"
        when = conversation.get(f"{session}_date_time") or None
        for turn in conversation[session]:
            yield Stored(turn["dia_id"], _arguments(turn, session, when))


def _arguments(turn: Mapping[str, Any], session: str, when: str | None) -> dict[str, Any]:
    shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return {
        "content": f"{turn['speaker']}: {turn['text']}{shared}",
        "sessionId": session,
        "primarySector": "episodic",
        "metadata": {"tags": [turn["speaker"]], "context": when},
    }


def _questions(name: str, asked: list[Mapping[str, Any]], known: set[str]) -> Iterator[Question]:
    """Yield the questions whose evidence is in the conversation."""
    for number, question in enumerate(asked):
        named = TURN_ID.findall(" ".join(map(str, question.get("evidence", ()))))
        evidence = frozenset(named) & known
        if evidence:
            yield Question(
                id=f"{name}/{number}",
                text=question["question"],
                evidence=evidence,
                category=CATEGORIES[question["category"]],
            )
