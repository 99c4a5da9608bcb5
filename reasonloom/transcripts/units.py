"""Splits a turn into the units that chunks are built from, none too large for a chunk."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from reasonloom.text.tokens import TokenCounter
from reasonloom.transcripts.cohesion import words
from reasonloom.transcripts.lines import parse_moment
from reasonloom.transcripts.mentions import ERRORS, FILES, distinct
from reasonloom.transcripts.rendering import escape_markers, marker
from reasonloom.transcripts.splitting import split
from reasonloom.transcripts.turns import Kind, Part, Source, Turn

AIM, MOST, LEAST = 800, 1_500, 200
"""Tokens of a chunk: preferred maximum, hard maximum, preferred minimum."""

SPARE = 8
"""Tokens reserved for an escaping backslash and the final line feed."""


@dataclass(frozen=True)
class Unit:
    """A turn, or a piece of one, within a chunk.

    Args:
        turn, ordinal: the number of the turn, and of the piece within it, from 0.
        text: the parts with their markers, each ending with a line feed.
        files, errors: those mentioned in it.
        spawns: sub-agents that were started or reported in it.
        agent: the sub-agent it belongs to.
        asked: the words of a new request in it.
        border: its cohesion with the unit before it.
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
        """The topical words of the text."""
        return words(self.text)

    def wire(self) -> dict[str, Any]:
        """Serialise the unit to JSON."""
        times = [at.isoformat() if at else None for at in (self.started_at, self.ended_at)]
        return {**asdict(self), "started_at": times[0], "ended_at": times[1]}

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Self:
        """Restore a unit from `wire()`."""
        times = {key: parse_moment(wire[key]) for key in ("started_at", "ended_at")}
        lists = {key: tuple(wire[key]) for key in ("files", "errors", "spawns", "asked")}
        return cls(**{**wire, **times, **lists, "source": Source(**wire["source"])})


@dataclass(frozen=True, slots=True)
class Atom:
    """A part, or a piece of one, that is not split further."""

    part: Part
    text: str
    tokens: int
    request: str = ""


def units_of(turn: Turn, *, thinking: bool, count: TokenCounter) -> list[Unit]:
    """Return the turn's units: one if it fits into `AIM` tokens, else several of whole parts.

    With `thinking`, thoughts are included; `count` counts tokens.
    """
    parts = [p for p in turn.parts if thinking or p.kind is not Kind.THINKING]
    atoms = [atom for part in parts for atom in _atoms(part, count)]
    groups = _grouped(list(_paired(atoms)))
    return [_unit(turn, ordinal, group) for ordinal, group in enumerate(groups)]


def _atoms(part: Part, count: TokenCounter) -> Iterator[Atom]:
    """Yield the part with its marker, split if it exceeds `AIM`."""
    if part.kind is not Kind.TOOL_USE and not part.text.strip():
        return
    text = escape_markers(part.text)
    whole = f"{marker(part)} {text}\n"
    request = part.text if part.kind is Kind.USER else ""
    tokens = count(whole)
    if tokens <= AIM:
        yield Atom(part, whole, tokens, request)
        return
    left_files, left_errors = part.files, part.errors
    for number, piece in enumerate(_pieces(part, text, tokens / len(whole), count)):
        files = tuple(each for each in left_files if each in piece)
        errors = tuple(each for each in left_errors if each in piece)
        left_files = tuple(each for each in left_files if each not in files)
        left_errors = tuple(each for each in left_errors if each not in errors)
        whole = f"{marker(part, continued=number > 0)} {piece}\n"
        held = replace(part, files=files, errors=errors)
        yield Atom(held, whole, count(whole), request if number == 0 else "")


def _pieces(part: Part, text: str, density: float, count: TokenCounter) -> Iterator[str]:
    """Yield the pieces of a long text, each within `MOST` tokens including its marker.

    Cuts are estimated from the text's mean tokens per character; pieces that turn out denser are
    split again by counting tokens.
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
    """Escape the first line of a piece, which a cut may have made look like a marker."""
    first, feed, rest = piece.partition("\n")
    return escape_markers(first) + feed + rest if not first.lstrip().startswith("\\") else piece


def _paired(atoms: list[Atom]) -> Iterator[list[Atom]]:
    """Yield a tool use with its result if both fit into one unit, other atoms alone."""
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
    """Group up to `AIM` tokens; a small last group is merged into the one before it."""
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
    return sum(atom.tokens for atom in atoms)


def _unit(turn: Turn, ordinal: int, atoms: list[Atom]) -> Unit:
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
        asked=tuple(
            sorted(words(" ".join(atom.request[:4_000] for atom in atoms if atom.request)))
        ),
    )
