"""Reads the past sessions with their chains and moments, and refuses a set not of that form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.history.data import require_sound
from reasonloom.evals.suites.history.records import WORDINGS, Chain, Moment, Turn, Wording
from reasonloom.evals.suites.metacognition.labels import of_half, records

HERE = Path(__file__).parent
TURNS, CHAINS, MOMENTS = "turns.jsonl", "chains.jsonl", "moments.jsonl"


@dataclass(frozen=True)
class Session:
    """A session of a world and its turns, oldest first."""

    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class World:
    """The sessions of one project, oldest first, and what is asked about them."""

    id: str
    project: str
    sessions: tuple[Session, ...]
    chains: tuple[Chain, ...]
    moments: tuple[Moment, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of all sessions, oldest first."""
        return tuple(turn for session in self.sessions for turn in session.turns)


@dataclass(frozen=True)
class HistorySet:
    """Worlds in the order of their file, and the SHA-256 of the three files in hex, by name."""

    worlds: tuple[World, ...]
    sha256: dict[str, str]

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The chains of all worlds."""
        return tuple(chain for world in self.worlds for chain in world.chains)

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The moments of all worlds."""
        return tuple(moment for world in self.worlds for moment in world.moments)


def history(half: str = "dev", folder: Path = HERE) -> HistorySet:
    """Return the worlds of a half or of `all`; `folder` holds other files of this form.

    Raises:
        InvalidArgument: another half, or a file that is not there or not of this form.
    """
    turns, told = records(TURNS, Turn, folder / TURNS)
    chains, asked = records(CHAINS, Chain, folder / CHAINS)
    moments, awaited = records(MOMENTS, Moment, folder / MOMENTS)
    require_sound(turns, chains, moments)
    raw = {TURNS: told, CHAINS: asked, MOMENTS: awaited}
    hashes = {name: hashlib.sha256(each).hexdigest() for name, each in raw.items()}
    worlds = _worlds(of_half(half, turns), of_half(half, chains), of_half(half, moments))
    return HistorySet(worlds, hashes)


def wording(name: str) -> Wording:
    """Return the wording of that name.

    Raises:
        InvalidArgument: there is none.
    """
    for each in WORDINGS:
        if each == name:
            return each
    raise InvalidArgument(f"asked: must be one of {', '.join(WORDINGS)}", field="asked")


def _worlds(
    turns: Iterable[Turn], chains: Sequence[Chain], moments: Sequence[Moment]
) -> tuple[World, ...]:
    kept: dict[str, dict[str, list[Turn]]] = {}
    for turn in turns:
        kept.setdefault(turn.world, {}).setdefault(turn.session, []).append(turn)
    return tuple(
        World(
            name,
            next(iter(sessions.values()))[0].project,
            tuple(Session(each, tuple(said)) for each, said in sessions.items()),
            tuple(chain for chain in chains if chain.world == name),
            tuple(moment for moment in moments if moment.world == name),
        )
        for name, sessions in kept.items()
    )
