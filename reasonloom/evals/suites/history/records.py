"""Records of the labelled set: turns of past sessions, chains through them, and moments."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reasonloom.evals.suites.labelled import Labelled, Words

Role = Literal["user", "assistant", "call", "result"]
Language = Literal["en", "de", "fr", "es", "ja"]
Kind = Literal["within", "file", "error", "name", "decision", "resumed", "time", "report"]
LinkedBy = Literal["file", "error", "name", "topic", "decision", "continuation", "time", "report"]
Why = Literal["similar", "same_file", "same_error", "abandoned", "chatter"]
Wording = Literal["other", "plain"]
"""Which question of a chain is used: `other` (paraphrased) or `plain` (half remembered)."""

KINDS: tuple[Kind, ...] = get_args(Kind)
WORDINGS: tuple[Wording, ...] = get_args(Wording)

World = Annotated[str, Field(pattern=r"^h\d\d$")]
SessionId = Annotated[str, Field(pattern=r"^h\d\d-s\d$")]
TurnId = Annotated[str, Field(pattern=r"^h\d\d-s\d-t\d\d$")]
ChainId = Annotated[str, Field(pattern=r"^h\d\d-c\d$")]
MomentId = Annotated[str, Field(pattern=r"^h\d\d-m\d$")]
Text = Annotated[str, Field(pattern=r"(?s)^\S(.*\S)?$")]

TELLING_ROLES: dict[Kind, LinkedBy] = {
    "file": "file", "error": "error", "name": "name", "decision": "decision",
    "resumed": "continuation", "time": "time", "report": "report",
}  # fmt: skip
"""The link that a chain of each kind must have; `within` may have any."""

BOTH: frozenset[LinkedBy] = frozenset({"file", "error", "name"})
LATER: frozenset[LinkedBy] = frozenset({"decision", "continuation"})
WORDLESS: frozenset[LinkedBy] = frozenset({"time", "report"})


class InWorld(Labelled):
    """Fields shared by all records."""

    world: World
    language: Language

    @model_validator(mode="after")
    def _of_its_world(self) -> InWorld:
        if not self.id.startswith(f"{self.world}-"):
            raise ValueError("id: must begin with its world")
        return self


class Turn(InWorld):
    """One line of a session: a message, a tool call, or its result.

    `agent` is the sub-agent that the turn belongs to, null for the session itself; `tool` is the
    tool of a call or a result, else null. `time` is UTC, with a resolution of one second.
    """

    id: TurnId
    project: Words
    session: SessionId
    role: Role
    agent: Words | None
    tool: Words | None
    time: Annotated[datetime, Field(strict=False)]
    text: Text

    @model_validator(mode="after")
    def _agrees(self) -> Turn:
        if not self.id.startswith(f"{self.session}-"):
            raise ValueError("id: must begin with its session")
        if (self.tool is None) is (self.role in {"call", "result"}):
            raise ValueError("tool: must be named for call and result, and null for all others")
        if self.time.utcoffset() is None or self.time.utcoffset():
            raise ValueError("time: must be UTC")
        return self


class Link(BaseModel):
    """The link from one turn of a chain to the next; `what` holds the words that establish it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    by: LinkedBy
    what: Words | None

    @model_validator(mode="after")
    def _agrees(self) -> Link:
        if (self.what is None) is not (self.by in WORDLESS):
            raise ValueError("what: must be null for time and report, and words for all others")
        return self

    def holds(self, earlier: str, later: str) -> bool:
        """Return whether the words occur where a link of this kind requires them."""
        if self.what is None:
            return True
        found = [self.what.casefold() in text.casefold() for text in (earlier, later)]
        if self.by in BOTH:
            return all(found)
        return found[1] if self.by in LATER else any(found)


class Distractor(BaseModel):
    """A turn that seems to belong to a chain, and why it does not."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    turn: TurnId
    why: Why


class Chain(InWorld):
    """A question, and the turns that lead from its problem to its solution, oldest first.

    `plain` is the same question as `question` with one or two of the project's own words. `links`
    has one entry fewer than `chain`: the first leads from the first turn to the second.
    """

    body_field = "question"

    id: ChainId
    kind: Kind
    question: Words
    plain: Words
    chain: Annotated[tuple[TurnId, ...], Field(min_length=2, max_length=6)]
    links: tuple[Link, ...]
    distractors: Annotated[tuple[Distractor, ...], Field(min_length=1)]

    def in_wording(self, wording: Wording) -> str:
        """Return the question in one of its wordings."""
        return self.plain if wording == "plain" else self.question

    @model_validator(mode="after")
    def _agrees(self) -> Chain:
        if list(self.chain) != sorted(set(self.chain)):
            raise ValueError("chain: must be different turns, oldest first")
        if len(self.links) != len(self.chain) - 1:
            raise ValueError("links: must be one fewer than the turns of the chain")
        telling = TELLING_ROLES.get(self.kind)
        if telling is not None and telling not in {link.by for link in self.links}:
            raise ValueError(f"links: one must be by {telling} for {self.kind}")
        if (len({turn.rsplit("-", 1)[0] for turn in self.chain}) == 1) is (self.kind != "within"):
            raise ValueError("chain: must lie in one session for within, and only there")
        if set(self.chain) & {each.turn for each in self.distractors}:
            raise ValueError("distractors: must not be of the chain")
        return self


class Moment(InWorld):
    """A context, the turns of similar past moments, and the turns that followed them."""

    body_field = "context"

    id: MomentId
    context: Words
    moments: Annotated[tuple[TurnId, ...], Field(min_length=1)]
    after: Annotated[tuple[TurnId, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _agrees(self) -> Moment:
        for name, turns in (("moments", self.moments), ("after", self.after)):
            if list(turns) != sorted(set(turns)):
                raise ValueError(f"{name}: must be different turns, oldest first")
        if self.after[0] <= self.moments[-1]:
            raise ValueError("after: must come after the moments")
        return self
