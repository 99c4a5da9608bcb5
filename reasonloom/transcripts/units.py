"""Makes of a turn the units that chunks are put together from, none too large for a chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from reasonloom.text.tokens import TokenCounter
from reasonloom.transcripts.cohesion import words
from reasonloom.transcripts.lines import parse_moment
from reasonloom.transcripts.mentions import ERRORS, FILES, distinct
from reasonloom.transcripts.rendering import escape_markers, marker
from reasonloom.transcripts.splitting import split
from reasonloom.transcripts.turns import Kind, Part, Source, Turn

AIM, MOST, LEAST = 800, 1_500, 200
"""Tokens of a chunk: the most to aim at, the most at all, the least to aim at."""

SPARE = 8
"""Tokens left free for a backslash and the end of a line."""


@dataclass(frozen=True)
class Unit:
    """A turn, or a piece of one, as it stands in a chunk.

    Args:
        turn, ordinal: the turn's number, and which piece of it this is, from 0.
        text: the parts with their markers, each ending with a line feed.
        tokens: of the text.
        started_at, ended_at: of its parts.
        files, errors: what it names.
        spawns: sub-agents that were started or reported in it.
        agent: the sub-agent it belongs to.
        source: whose conversation it is.
        asked: words of a new request that is in it.
        border: how much it has to do with the unit before it.
    """

    turn: int
    ordinal: int
    text: str
    tokens: int
    started_at: datetime | None
    ended_at: datetime | None
    files: tuple[str, ...]
    errors: tuple[str, ...]
    spawns: tuple[str, ...]
    agent: str | None
    source: Source
    asked: tuple[str, ...] = ()
    border: float = 0.0

    @cached_property
    def words(self) -> frozenset[str]:
        """What it is about."""
        return words(self.text)

    def wire(self) -> dict[str, Any]:
        """Return the unit as JSON."""
        times = [at.isoformat() if at else None for at in (self.started_at, self.ended_at)]
        return {**asdict(self), "started_at": times[0], "ended_at": times[1]}

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Unit:
        """Return the unit that `wire()` gave."""
        times = {key: parse_moment(wire[key]) for key in ("started_at", "ended_at")}
        lists = {key: tuple(wire[key]) for key in ("files", "errors", "spawns", "asked")}
        return cls(**{**wire, **times, **lists, "source": Source(**wire["source"])})


@dataclass(frozen=True, slots=True)
class Atom:
    """A part, or a piece of one, that is not divided any more."""

    part: Part
    text: str
    tokens: int
    asked: str = ""


def units_of(turn: Turn, *, thinking: bool, count: TokenCounter) -> list[Unit]:
    """Return the turn's units: one if it is within `AIM`, else several, at borders of parts.

    Args:
        turn: what is to be kept.
        thinking: whether what was thought is kept too.
        count: counts tokens.
    """
    parts = [p for p in turn.parts if thinking or p.kind is not Kind.THINKING]
    atoms = [atom for part in parts for atom in _atoms(part, count)]
    groups = _grouped(list(_paired(atoms)))
    return [_unit(turn, ordinal, group) for ordinal, group in enumerate(groups)]


def _atoms(part: Part, count: TokenCounter) -> Iterator[Atom]:
    """Yield the part with its marker; in pieces if it exceeds `AIM`."""
    if part.kind is not Kind.TOOL_USE and not part.text.strip():
        return
    text = escape_markers(part.text)
    whole = f"{marker(part)} {text}\n"
    asked = part.text if part.kind is Kind.USER else ""
    tokens = count(whole)
    if tokens <= AIM:
        yield Atom(part, whole, tokens, asked)
        return
    left_files, left_errors = list(part.files), list(part.errors)
    for number, shown in enumerate(_pieces(part, text, tokens / len(whole), count)):
        facts = [f for f in left_files if f in shown], [e for e in left_errors if e in shown]
        left_files = [f for f in left_files if f not in facts[0]]
        left_errors = [e for e in left_errors if e not in facts[1]]
        held = replace(part, files=tuple(facts[0]), errors=tuple(facts[1]))
        whole = f"{marker(part, continued=number > 0)} {shown}\n"
        yield Atom(held, whole, count(whole), asked if number == 0 else "")


def _pieces(part: Part, text: str, density: float, count: TokenCounter) -> Iterator[str]:
    """Yield the pieces of a text that is too long, each within `MOST` with its marker.

    Where to cut is estimated by the text's mean tokens for a character; what then turns out to
    be denser is split again by counting.
    """
    taken = count(marker(part, continued=True)) + SPARE
    room, most = AIM - taken, MOST - taken

    def rough(piece: str) -> int:
        return round(density * len(piece)) + 1

    for piece, _ in split(text, room, most, rough):
        dense = len(piece) > room // 2 and count(piece) > most
        for bit, _ in split(piece, room, most, count) if dense else [(piece, 0)]:
            if bit.strip():
                yield _headed(bit.strip("\n").rstrip())


def _headed(piece: str) -> str:
    """Return a piece whose first line, cut out of the middle of one, imitates no marker."""
    first, feed, rest = piece.partition("\n")
    return escape_markers(first) + feed + rest if not first.lstrip().startswith("\\") else piece


def _paired(atoms: list[Atom]) -> Iterator[list[Atom]]:
    """Yield the use of a tool with its result where both fit into one unit, else one each."""
    waiting: Atom | None = None
    for atom in atoms:
        if waiting:
            same = atom.part.tool_id is not None and atom.part.tool_id == waiting.part.tool_id
            if same and waiting.tokens + atom.tokens <= AIM:
                yield [waiting, atom]
                waiting = None
                continue
            yield [waiting]
            waiting = None
        if atom.part.kind is Kind.TOOL_USE:
            waiting = atom
        else:
            yield [atom]
    if waiting:
        yield [waiting]


def _grouped(pairs: list[list[Atom]]) -> list[list[Atom]]:
    """Return groups of at most `AIM` tokens; a small last one joins the one before it."""
    groups: list[list[Atom]] = []
    for pair in pairs:
        if groups and _size(groups[-1]) + _size(pair) <= AIM:
            groups[-1] += pair
        else:
            groups.append(list(pair))
    if len(groups) > 1 and _size(groups[-1]) < LEAST:
        last = groups.pop()
        if _size(groups[-1]) + _size(last) <= MOST:
            groups[-1] += last
        else:
            groups.append(last)
    return groups


def _size(atoms: Iterable[Atom]) -> int:
    """Return the tokens of atoms."""
    return sum(atom.tokens for atom in atoms)


def _unit(turn: Turn, ordinal: int, atoms: list[Atom]) -> Unit:
    """Return the unit that a group of atoms is."""
    times = [atom.part.at for atom in atoms if atom.part.at]
    return Unit(
        turn=turn.number,
        ordinal=ordinal,
        text="".join(atom.text for atom in atoms),
        tokens=_size(atoms),
        started_at=times[0] if times else turn.started_at,
        ended_at=times[-1] if times else turn.started_at,
        files=distinct((file for atom in atoms for file in atom.part.files), FILES),
        errors=distinct((error for atom in atoms for error in atom.part.errors), ERRORS),
        spawns=distinct((atom.part.agent or "" for atom in atoms), FILES),
        agent=turn.agent,
        source=turn.source,
        asked=tuple(sorted(words(" ".join(atom.asked[:4_000] for atom in atoms if atom.asked)))),
    )
