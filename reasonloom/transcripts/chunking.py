"""Cuts a stream of turns into chunks of one topic each; chunking can resume with more turns."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from reasonloom.text import tokens
from reasonloom.text.tokens import TokenCounter
from reasonloom.transcripts.cohesion import LONG_PAUSE, score
from reasonloom.transcripts.mentions import ERRORS, FILES, distinct, names
from reasonloom.transcripts.turns import Source, Turn
from reasonloom.transcripts.units import AIM, LEAST, MOST, Unit, units_of

WITHIN = 1.5
"""Score of a border within a turn, so high that it is cut last."""

FEW = 60
"""Minimum tokens of a chunk that ends at a long pause."""

SHARE = 0.5
"""A border whose score is below this share of the mean so far is a change of topic."""

MEAN, WEIGHT = 0.2, 6
"""Prior mean of border scores, and its weight as a number of borders."""

COMPARED = 3
"""Number of units before a border that are compared with the one after it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One or more turns about one topic, or a piece of a turn.

    Args:
        id: hash of the session, the agent, the positions of its turns, the spawns and the text.
        text: the parts with role markers (see `rendering`).
        tokens: tokens of the text with a final line feed, at most `MOST`.
        started_at, ended_at: aware UTC, None if unknown.
        ordinal: the piece of its first turn that it starts with, from 0.
        continues: whether it starts within a turn.
        files, errors, names: those mentioned in it.
        spawns: sub-agents that were started or reported in it.
        agent: the sub-agent whose turns they are, None for the main conversation.
        replaces: the id of the earlier, incomplete version of this chunk.
    """

    id: str
    text: str
    tokens: int
    started_at: datetime | None
    ended_at: datetime | None
    first_turn: int
    last_turn: int
    ordinal: int
    continues: bool
    files: tuple[str, ...]
    errors: tuple[str, ...]
    names: tuple[str, ...]
    spawns: tuple[str, ...]
    agent: str | None
    source: Source
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkerState:
    """The state from which chunking resumes.

    Args:
        open: the units of the open chunks, of the main conversation and of a sub-agent.
        given: ids of emitted chunks that may still change, by position.
        borders: the sum and the number of border scores.
    """

    open: tuple[tuple[Unit, ...], ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    borders: tuple[float, int] = (MEAN * WEIGHT, WEIGHT)

    def wire(self) -> dict[str, Any]:
        """Serialise the state to JSON."""
        units = [[unit.wire() for unit in lane] for lane in self.open]
        return {"open": units, "given": dict(self.given), "borders": list(self.borders)}

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Self:
        """Restore a state from `wire()`."""
        lanes = tuple(tuple(Unit.of(unit) for unit in lane) for lane in wire["open"])
        total, number = wire["borders"]
        return cls(lanes, wire["given"], (total, number))


@dataclass(frozen=True, slots=True)
class FinalChunks:
    """The last chunks, which may still change; the ids of obsolete ones; the new state."""

    chunks: list[Chunk]
    dropped: list[str]
    state: ChunkerState


class Chunker:
    """Chunks the turns of one file: add them in order, then end; resume later with the state.

    The chunks do not depend on how turns are distributed over runs: a chunk that the next turn
    could change is emitted at the end, and again in a later run if it did change.
    """

    def __init__(
        self,
        state: ChunkerState | None = None,
        *,
        thinking: bool = False,
        count: TokenCounter = tokens.count_tokens,
    ) -> None:
        self._state = state or ChunkerState()
        self._given = dict(self._state.given)
        self._sum, self._number = self._state.borders
        self._open = {lane[0].agent: list(lane) for lane in self._state.open}
        self._fixed: ChunkerState | None = None
        self._again: dict[str, str] = {}
        self._thinking, self._count = thinking, count
        self._touched = False

    def add(self, turn: Turn) -> list[Chunk]:
        """Add a turn; return the chunks that it completes or changes."""
        self._touched = True
        if not turn.complete and self._fixed is None:
            self._fixed = self._now()
        made: list[Chunk] = []
        for agent in [a for a in self._open if a not in {turn.agent, turn.source.agent}]:
            made += self._emit(self._open.pop(agent))
        for unit in units_of(turn, thinking=self._thinking, count=self._count):
            made += self._place(unit)
        return made

    def state(self) -> ChunkerState:
        """Return the state to resume from after the added turns, which must be complete."""
        return replace(self._now(), given=dict(self._given))

    def end(self) -> FinalChunks:
        """Return the open chunks, the obsolete ones, and the state to resume from."""
        if not self._touched:
            return FinalChunks([], [], self._state)
        fixed = self._fixed or self._now()
        self._fixed = fixed
        chunks = [chunk for units in self._open.values() for chunk in self._emit(units)]
        state = replace(fixed, given=dict(self._again))
        return FinalChunks(chunks, sorted(self._given.values()), state)

    def _now(self) -> ChunkerState:
        lanes = tuple(tuple(units) for units in self._open.values() if units)
        return ChunkerState(lanes, {}, (self._sum, self._number))

    def _place(self, unit: Unit) -> list[Chunk]:
        """Add a unit to the open chunk, or start a new chunk with it; return the completed ones."""
        units = self._open.setdefault(unit.agent, [])
        if not units:
            units.append(unit)
            return []
        if units[-1].source.session != unit.source.session:
            return self._begin(unit)
        if units[-1].turn == unit.turn:
            unit = replace(unit, border=WITHIN)
        else:
            unit = replace(unit, border=self._border(units, unit))
            change = unit.border < SHARE * self._sum / self._number
            self._sum, self._number = self._sum + min(unit.border, 1.0), self._number + 1
            if change and _enough(units, unit):
                return self._begin(unit)
        return self._fit(unit)

    def _begin(self, unit: Unit) -> list[Chunk]:
        made = self._emit(self._open[unit.agent])
        self._open[unit.agent] = [unit]
        return made

    def _fit(self, unit: Unit) -> list[Chunk]:
        """Add a unit; if the chunk then exceeds `AIM`, cut at its weakest border."""
        made: list[Chunk] = []
        while True:
            units = self._open[unit.agent]
            total = sum(u.tokens for u in units) + unit.tokens
            at = _weakest([*units, unit]) if total > AIM else None
            if at is None or at == len(units):
                break
            made += self._emit(units[:at])
            self._open[unit.agent] = units[at:]
        if at is None and total <= MOST:
            units.append(unit)
            return made
        return [*made, *self._begin(unit)]

    def _border(self, units: Sequence[Unit], unit: Unit) -> float:
        near = units[-COMPARED:]
        return score(
            frozenset().union(*(u.words for u in near)),
            unit.words,
            unit.asked,
            files=([file for u in near for file in u.files], unit.files),
            times=(units[-1].ended_at, unit.started_at),
        )

    def _emit(self, units: Sequence[Unit]) -> list[Chunk]:
        """Return the units as a chunk, or nothing if it was already emitted unchanged."""
        if not units:
            return []
        chunk = _chunk(units)
        place = f"{units[0].turn}.{units[0].ordinal}"
        before = self._given.pop(place, None)
        if self._fixed is not None:
            self._again[place] = chunk.id
        return [] if before == chunk.id else [replace(chunk, replaces=before)]


def _enough(units: Sequence[Unit], unit: Unit) -> bool:
    """Return whether the open chunk is large enough to end before `unit`."""
    ended, begun = units[-1].ended_at, unit.started_at
    paused = ended is not None and begun is not None and begun - ended > LONG_PAUSE
    return sum(u.tokens for u in units) >= (FEW if paused else LEAST)


def _weakest(units: Sequence[Unit]) -> int | None:
    """Return the index of the weakest border that leaves both sides a good size, else None."""
    total, left = sum(unit.tokens for unit in units), 0
    best: tuple[float, int] | None = None
    for at, unit in enumerate(units[1:], start=1):
        left += units[at - 1].tokens
        fits = left >= LEAST and LEAST <= total - left <= MOST
        if fits and (best is None or unit.border <= best[0]):
            best = unit.border, at
    return best[1] if best else None


def _chunk(units: Sequence[Unit]) -> Chunk:
    first, last = units[0], units[-1]
    text = "".join(unit.text for unit in units).rstrip("\n")
    spawns = distinct((agent for unit in units for agent in unit.spawns), FILES)
    places = (first.turn, first.ordinal, last.turn, last.ordinal)
    key = "\0".join([first.source.session or "", first.agent or "", repr(places), *spawns, text])
    return Chunk(
        id=hashlib.sha256(key.encode()).hexdigest()[:32],
        text=text,
        tokens=sum(unit.tokens for unit in units),
        started_at=next((u.started_at for u in units if u.started_at), None),
        ended_at=next((u.ended_at for u in reversed(units) if u.ended_at), None),
        first_turn=first.turn,
        last_turn=last.turn,
        ordinal=first.ordinal,
        continues=first.ordinal > 0,
        files=distinct((file for unit in units for file in unit.files), FILES),
        errors=distinct((error for unit in units for error in unit.errors), ERRORS),
        names=names(text),
        spawns=spawns,
        agent=first.agent,
        source=first.source,
    )
