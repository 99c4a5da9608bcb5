"""Loads and validates worlds of memories and claims; scores the word-overlap baseline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from reasonloom.contracts.memory.export_format import EventType
from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.labelled import (
    Half,
    Labelled,
    Words,
    load_records,
    of_half,
    require_balanced,
    require_unique,
)

HERE = Path(__file__).parent

Kind = Literal[
    "true", "paraphrased", "partly", "negated", "number", "swapped", "unrelated", "superseded"
]
Verdict = Literal["verified", "partial", "ungrounded"]
Language = Literal["en", "de", "fr", "es", "ja"]
Label = Annotated[str, Field(pattern=r"^w\d\d-[mc]\d\d$")]
KINDS: tuple[Kind, ...] = get_args(Kind)

VERDICTS: dict[Kind, Verdict] = {
    "true": "verified", "paraphrased": "verified", "partly": "partial", "negated": "ungrounded",
    "number": "ungrounded", "swapped": "ungrounded", "unrelated": "ungrounded",
    "superseded": "ungrounded",
}  # fmt: skip
"""The right verdict of each kind."""

CONTRADICTED: dict[Kind, tuple[bool, ...]] = dict.fromkeys(KINDS, (False,)) | {
    "negated": (True,),
    "number": (True,),
    "superseded": (True,),
    "swapped": (True, False),
}
"""Whether a current memory contradicts a claim of the kind; a swapped claim may go either way."""


class InWorld(Labelled):
    """Fields shared by memories and claims."""

    id: Label
    world: Words
    language: Language
    text: Words


class Memory(InWorld):
    """A memory to store; `supersedes` is the id of the earlier memory that it corrects."""

    type: EventType
    supersedes: Label | None


class Claim(InWorld):
    """A claim, its right verdict, and the ids of the memories that decide it.

    `uncovered` holds the words of the claim that no memory supports, for `partly` only.
    """

    kind: Kind
    verdict: Verdict
    contradicted: bool
    evidence: tuple[Label, ...]
    uncovered: Words | None

    @property
    def label(self) -> str:
        """The verdict, or `contradicted` if a memory contradicts the claim."""
        return "contradicted" if self.contradicted else self.verdict

    @model_validator(mode="after")
    def _agrees(self) -> Claim:
        if self.verdict != VERDICTS[self.kind]:
            raise ValueError(f"verdict: must be {VERDICTS[self.kind]} for {self.kind}")
        if self.contradicted not in CONTRADICTED[self.kind]:
            raise ValueError(f"contradicted: must not be {self.contradicted} for {self.kind}")
        if bool(self.evidence) is not (self.contradicted or self.verdict != "ungrounded"):
            raise ValueError("evidence: must be empty where nothing decides, and only there")
        if (self.uncovered is None) is (self.kind == "partly"):
            raise ValueError("uncovered: must be words for partly, and null for all others")
        if self.uncovered is not None and self.uncovered not in self.text[:-1]:
            raise ValueError("uncovered: must be words of the text, as they stand there")
        return self


@dataclass(frozen=True)
class World:
    """Memories in storage order, and the claims about them."""

    id: str
    memories: tuple[Memory, ...]
    claims: tuple[Claim, ...]

    @property
    def current(self) -> tuple[Memory, ...]:
        """The memories that are not superseded."""
        old = {memory.supersedes for memory in self.memories}
        return tuple(memory for memory in self.memories if memory.id not in old)


@dataclass(frozen=True)
class GroundingSet:
    """Worlds in file order, and the SHA-256 (hex) of both files by name."""

    worlds: tuple[World, ...]
    sha256: dict[str, str]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of all worlds."""
        return tuple(claim for world in self.worlds for claim in world.claims)


def load_grounding(half: str = "dev", folder: Path = HERE) -> GroundingSet:
    """Load the worlds of a half or of `all`; `folder` may hold another set in this format."""
    memories, first = load_records(folder / "memories.jsonl", Memory)
    claims, second = load_records(folder / "claims.jsonl", Claim)
    for name, items in (("memories.jsonl", memories), ("claims.jsonl", claims)):
        values = (value for item in items for value in (item.id, item.text.casefold()))
        require_unique(values, f"{name}: ")
    _require_whole_worlds(memories, claims)
    _require_corrections(memories)
    for world in _worlds(memories, claims):
        _require_evidence(world)
    require_balanced("claims.jsonl", ((claim.kind, claim.half) for claim in claims), KINDS)
    return GroundingSet(
        tuple(_worlds(of_half(half, memories), of_half(half, claims))),
        {"memories.jsonl": first, "claims.jsonl": second},
    )


def _worlds(memories: Iterable[Memory], claims: Sequence[Claim]) -> list[World]:
    kept: dict[str, list[Memory]] = {}
    for memory in memories:
        kept.setdefault(memory.world, []).append(memory)
    return [
        World(name, tuple(own), tuple(claim for claim in claims if claim.world == name))
        for name, own in kept.items()
    ]


def _require_whole_worlds(memories: Sequence[Memory], claims: Sequence[Claim]) -> None:
    halves: dict[str, Half] = {}
    for item in (*memories, *claims):
        if halves.setdefault(item.world, item.half) != item.half:
            why = f"{item.world} is in both halves"
            raise InvalidArgument(f"{item.id}: {why}", field="data")
    stored, claimed = ({item.world for item in items} for items in (memories, claims))
    for name, absent in (("memories.jsonl", claimed - stored), ("claims.jsonl", stored - claimed)):
        if absent:
            raise InvalidArgument(f"{name}: there is nothing of {min(absent)}", field="data")


def _require_corrections(memories: Sequence[Memory]) -> None:
    open_to: dict[str, str] = {}
    for memory in memories:
        old = memory.supersedes
        if old is not None and open_to.pop(old, None) != memory.world:
            why = "supersedes: must be an earlier memory of its world, corrected once"
            raise InvalidArgument(f"memories.jsonl, {memory.id}: {why}", field="data")
        open_to[memory.id] = memory.world


def _require_evidence(world: World) -> None:
    current = {memory.id: memory for memory in world.current}
    for claim in world.claims:
        if not current.keys() >= set(claim.evidence):
            why = "evidence: must be current memories of its world"
            raise InvalidArgument(f"claims.jsonl, {claim.id}: {why}", field="data")
        corrects = any(current[each].supersedes for each in claim.evidence)
        if claim.kind == "superseded" and not corrects:
            why = "evidence: must hold the memory that corrects"
            raise InvalidArgument(f"claims.jsonl, {claim.id}: {why}", field="data")


WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*")
UNSPACED = re.compile(r"[぀-ヿ一-鿿]+")
STEPS = [step / 20 for step in range(22)]


@dataclass(frozen=True)
class OverlapScore:
    """A claim and the share (0 to 1) of its words found in the best memory."""

    claim: Claim
    share: float


@dataclass(frozen=True)
class Thresholds:
    """Minimum shares for `verified` and `partial`; above 1 means never."""

    verified: float
    partial: float

    def verdict(self, share: float) -> Verdict:
        """Return the verdict for a share."""
        if share >= self.verified:
            return "verified"
        return "partial" if share >= self.partial else "ungrounded"


def overlap_scores(worlds: Sequence[World]) -> list[OverlapScore]:
    """Return each claim with its share, computed from current memories only."""
    return [
        OverlapScore(claim, max(_share(claim.text, memory.text) for memory in world.current))
        for world in worlds
        for claim in world.claims
    ]


def best_thresholds(claims: Sequence[OverlapScore]) -> Thresholds:
    """Return the thresholds, in steps of 0.05, with the best balanced accuracy."""
    tried = [Thresholds(high, low) for high, low in product(STEPS, STEPS) if low <= high]
    return max(tried, key=lambda each: balanced_accuracy(claims, each))


def balanced_accuracy(claims: Sequence[OverlapScore], by: Thresholds) -> float:
    """Return the mean, over the three verdicts, of the share judged right."""
    hits: dict[Verdict, list[bool]] = {}
    for each in claims:
        hits.setdefault(each.claim.verdict, []).append(by.verdict(each.share) == each.claim.verdict)
    return sum(sum(own) / len(own) for own in hits.values()) / len(hits)


def _share(claim: str, memory: str) -> float:
    wanted, held = set(_words(claim)), set(_words(memory))
    return len(wanted & held) / len(wanted)


def _words(text: str) -> Iterator[str]:
    """Yield words; scripts without spaces are split into character bigrams."""
    for word in WORD.findall(text.casefold()):
        if UNSPACED.match(word):
            yield from (word[n : n + 2] for n in range(max(1, len(word) - 1)))
        else:
            yield word
