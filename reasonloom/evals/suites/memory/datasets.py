"""Loads the recall data sets: memories and questions of LoCoMo and of our own sets."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class DatasetMemory:
    """One memory: its id in the data set, and the arguments of `remember` except the user."""

    id: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the ids of the memories that answer it; none if nothing should be found."""

    id: str
    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Collection:
    """The memories of one user in order of creation, and the questions about them."""

    id: str
    memories: tuple[DatasetMemory, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a run's questions: a user's file or folder, and which half of it.

    For a LoCoMo file `dev` is the first half of the conversations, rounded down, and `held` the
    rest; the records of our own sets name their half.
    """

    data: Path | None = None
    half: str = "all"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One recall suite; `load` returns its collections and the SHA-256 of their source.

    Categories in `excluded` are omitted from the overall figures.
    """

    name: str
    load: Callable[[Source], tuple[list[Collection], str]]
    excluded: tuple[str, ...] = ()


HALVES = ("dev", "held", "all")
SESSION = re.compile(r"session_(\d+)\Z")
TURN_ID = re.compile(r"D\d+:\d+")
CATEGORIES: Mapping[int, str] = {
    1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial",
}  # fmt: skip
"""Names of the category numbers; several projects mislabel 1, 3 and 4."""


def load_locomo(source: Source) -> tuple[list[Collection], str]:
    """Load the conversations of a LoCoMo file; the digest covers the file and the half."""
    if source.data is None:
        raise InvalidArgument("data: name the file, such as locomo10.json", field="data")
    _require_half(source.half)
    try:
        raw = source.data.read_bytes()
        conversations = [_conversation(sample) for sample in _listed(json.loads(raw))]
        which = b"" if source.half == "all" else source.half.encode()
        digest = hashlib.sha256(raw + which).hexdigest()
        return _half_of(conversations, source.half), digest
    except OSError:
        raise InvalidArgument("data: there is no such file", field="data") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidArgument("data: not a LoCoMo file (locomo10.json)", field="data") from None


def _require_half(half: str) -> None:
    if half not in HALVES:
        raise InvalidArgument(f"half: must be one of {', '.join(HALVES)}", field="half")


def _half_of(conversations: list[Collection], half: str) -> list[Collection]:
    middle = len(conversations) // 2
    parts = {"dev": conversations[:middle], "held": conversations[middle:], "all": conversations}
    if not parts[half]:
        raise InvalidArgument(
            "half: the file has one conversation only; leave it out", field="half"
        )
    return parts[half]


def _listed(samples: object) -> list[Any]:
    if not isinstance(samples, list) or not samples:
        raise ValueError("no conversations")  # the caller reports it as not a LoCoMo file
    return samples


def _conversation(sample: Mapping[str, Any]) -> Collection:
    name = sample["sample_id"]
    turns = tuple(_turns(sample["conversation"]))
    known = {turn.id for turn in turns}
    return Collection(name, turns, tuple(_questions(name, sample["qa"], known)))


def _turns(conversation: Mapping[str, Any]) -> Iterator[DatasetMemory]:
    numbers = sorted(int(found.group(1)) for key in conversation if (found := SESSION.match(key)))
    for number in numbers:
        session = f"session_{number}"
        when = conversation.get(f"{session}_date_time") or None
        for turn in conversation[session]:
            yield DatasetMemory(turn["dia_id"], _arguments(turn, session, when))


def _arguments(turn: Mapping[str, Any], session: str, when: str | None) -> dict[str, Any]:
    shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return {
        "content": f"{turn['speaker']}: {turn['text']}{shared}",
        "sessionId": session,
        "primarySector": "episodic",
        "metadata": {"tags": [turn["speaker"]], "context": when},
    }


def _questions(
    name: str, questions: list[Mapping[str, Any]], known: set[str]
) -> Iterator[Question]:
    """Yield the questions that have evidence in the conversation."""
    for number, question in enumerate(questions):
        named = TURN_ID.findall(" ".join(map(str, question.get("evidence", ()))))
        evidence = frozenset(named) & known
        if evidence:
            yield Question(
                id=f"{name}/{number}",
                text=question["question"],
                evidence=evidence,
                category=CATEGORIES[question["category"]],
            )


OWN_SETS = ("people", "updates", "team")
"""The labelled sets of this package, each in its own folder with a README."""


def load_own(name: str, source: Source) -> tuple[list[Collection], str]:
    """Load one of our own sets with the questions of one half or both, and its SHA-256."""
    _require_half(source.half)
    if source.data is not None:
        raise InvalidArgument("data: the set comes with the package; leave it out", field="data")
    memories, first = _lines(name, "memories.jsonl")
    questions, second = _lines(name, "questions.jsonl")
    wanted = [each for each in questions if source.half in (each["half"], "all")]
    collection = Collection(name, tuple(map(_stored, memories)), tuple(map(_question, wanted)))
    return [collection], hashlib.sha256(first + second + source.half.encode()).hexdigest()


def _lines(name: str, file: str) -> tuple[list[dict[str, Any]], bytes]:
    raw = (Path(__file__).parent / name / file).read_bytes()
    return [json.loads(line) for line in raw.splitlines()], raw


def _stored(memory: dict[str, Any]) -> DatasetMemory:
    return DatasetMemory(
        memory["key"],
        {
            "content": memory["content"],
            "sessionId": memory["session"],
            "primarySector": memory["sector"],
            "metadata": {"tags": memory["tags"], "context": memory["context"]},
        },
    )


def _question(question: dict[str, Any]) -> Question:
    evidence = frozenset(question["evidence"])
    return Question(question["key"], question["question"], evidence, question["category"])


UNANSWERABLE = "unanswerable.jsonl"
LoadOwn = Callable[[str, Source], tuple[list[Collection], str]]
SEPARATE_CATEGORIES = ("adversarial", "nothing")
"""Categories of questions without an answer, or without a certain one."""


def load_all(source: Source) -> tuple[list[Collection], str]:
    """Load a folder's LoCoMo files and our own sets; each question's category becomes its set."""
    folder = source.data
    files = sorted(folder.glob("*.json")) if folder is not None and folder.is_dir() else []
    if not files:
        raise InvalidArgument("data: name a folder of LoCoMo files (*.json)", field="data")
    collections, digest = _together(files, load_own, source.half)
    return [_as_category(each) for each in collections], digest


def _together(files: Sequence[Path], own: LoadOwn, half: str) -> tuple[list[Collection], str]:
    """Load LoCoMo files and our own sets; the ids begin with the set's name and a slash."""
    loaded = {file.stem: load_locomo(Source(file, half)) for file in files}
    loaded |= {name: own(name, Source(half=half)) for name in OWN_SETS}
    digest = hashlib.sha256("".join(digest for _, digest in loaded.values()).encode())
    collections = [
        replace(
            each,
            id=f"{name}/{each.id}",
            questions=tuple(replace(one, id=f"{name}/{one.id}") for one in each.questions),
        )
        for name, (found, _) in loaded.items()
        for each in found
    ]
    return collections, digest.hexdigest()


def _as_category(collection: Collection) -> Collection:
    category = collection.id.split("/")[0]
    questions = tuple(
        replace(each, category=category)
        for each in collection.questions
        if each.category not in SEPARATE_CATEGORIES
    )
    return replace(collection, questions=questions)


def load_answerable(source: Source) -> tuple[list[Collection], str]:
    """Load our own sets with their unanswerable questions, and a folder's LoCoMo files if given."""
    files = sorted(source.data.glob("*.json")) if source.data else []
    return _together(files, _with_unanswerable, source.half)


def _with_unanswerable(name: str, source: Source) -> tuple[list[Collection], str]:
    (collection,), digest = load_own(name, source)
    lines, raw = _lines(name, UNANSWERABLE)
    more = [
        replace(_question(each), category="nothing")
        for each in lines
        if source.half in (each["half"], "all")
    ]
    questions = (*collection.questions, *more)
    return [replace(collection, questions=questions)], digest + hashlib.sha256(raw).hexdigest()


ALL = Retrieval("retrieval-all", load_all)
RETRIEVAL_SUITES = {
    suite.name: suite
    for suite in (
        Retrieval("locomo", load_locomo, excluded=("adversarial",)),
        *(Retrieval(name, partial(load_own, name), excluded=("nothing",)) for name in OWN_SETS),
    )
}
