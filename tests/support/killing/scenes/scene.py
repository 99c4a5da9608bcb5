"""What a scene of killing is: a call, what goes before it, and what must be true after it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.databases.rows import Census, effects
from tests.support.killing import victim
from tests.support.killing.victim import Make


class Lost(AssertionError):
    """What was acknowledged is not there, or not all of it."""


class HalfStored(AssertionError):
    """Some effects of a call are there and others are not."""


class Doubled(AssertionError):
    """Something is there twice under one key, or was paid twice, or answered in two ways."""


class NotResumed(AssertionError):
    """A run that was cut short could not be finished."""


Prepare = Callable[[Engine, str], Awaitable[dict[str, Any]]]
"""Makes what the call needs for an owner; returns the call's request."""

After = Callable[[Engine, str, dict[str, Any]], Awaitable[None]]
"""Looks at what an owner has, once the answer is there."""

Midway = Callable[[Access, str, Census, Census, Census], None]
"""Looks at what a kill left of an owner: rows prepared, rows now, rows of the whole."""


async def no_more(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Ask for nothing beyond the rows and the answer."""


def all_or_nothing(
    access: Access, owner: str, prepared: Census, now: Census, whole: Census
) -> None:
    """Hold that all effects are stored, or none."""
    if effects(now) not in (effects(prepared), effects(whole)):
        raise HalfStored("half-stored")


@dataclass(frozen=True)
class Scene:
    """A mode that is killed while it answers one call.

    Attributes:
        least: kills that a test at every point must come to, so that it cannot pass idle.
        adds: rows that the call adds to some tables; the rest is held against a rehearsal.
        calls: replies of the language model that the call pays for.
        make: makes the call, and makes it again after a kill.
    """

    name: str
    tool: str
    graph: str
    prepare: Prepare
    adds: dict[str, int]
    least: int
    calls: int = 0
    make: Make = victim.call
    midway: Midway = all_or_nothing
    after: After = no_more

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Given:
    """A preparation that is none: the request is there from the start."""

    request: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, engine: Engine, owner: str) -> dict[str, Any]:
        """Return the request, of a call within the owner's default space."""
        named = {"userId": owner} if "userId" in self.request else {}
        return {**self.request, **named}
