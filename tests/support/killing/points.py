"""The named points at which a server is killed, found in the points that a call reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.killing.guillotine import Choice, Moment
from tests.support.killing.proxies import REQUEST
from tests.support.killing.scenes.graph_memory import CONVERSATION_LOG
from tests.support.killing.scenes.reasoning import CONSOLIDATE, LINEAR, REMEMBER
from tests.support.killing.scenes.scene import Scene
from tests.support.killing.victim import CALL, TOLD

READ, WRITE, COMMIT, RECORDED, SAVED = "read", "write", "commit", "recorded reply", "saved step"


@dataclass(frozen=True)
class Point:
    """The nth place of a name in a call, from 1, or from -1 where it is counted from the end.

    Attributes:
        opening: whether it is reached while the server opens its database, before it is ready.
    """

    scene: Scene
    name: str
    nth: int
    moment: Moment
    opening: bool = False

    def __str__(self) -> str:
        if self.opening:
            return f"opening, {self.moment} {self.name} {self.nth}"
        place = {1: "first ", -1: "last "}.get(self.nth, f"{self.nth}th ")
        alone = self.name in (REQUEST, CALL, TOLD)
        return f"{self.scene}, {self.moment} {'' if alone else place}{self.name}"

    def choice(self, reached: Sequence[str]) -> Choice:
        """Choose this point among those that an undisturbed call has `reached`."""
        told = list(reached)[list(reached).index(REQUEST) : list(reached).index(TOLD) + 1]
        wanted = self.nth if self.nth > 0 else told.count(self.name) + 1 + self.nth
        seen, begun = 0, self.opening

        def falls(_: int, name: str) -> bool:
            nonlocal seen, begun
            begun |= name == REQUEST
            seen += begun and name == self.name
            return begun and name == self.name and seen == wanted

        return falls


def points_of(scene: Scene, *places: tuple[str, int, str]) -> tuple[Point, ...]:
    """Return points of a scene; `ba` stands for before and after."""
    moments: dict[str, Moment] = {"b": "before", "a": "after"}
    return tuple(
        Point(scene, name, nth, moments[each]) for name, nth, when in places for each in when
    )


POINTS = (
    Point(REMEMBER, READ, 1, "before", opening=True),
    Point(REMEMBER, READ, 3, "after", opening=True),
    *points_of(
        REMEMBER, (REQUEST, 1, "ba"), (WRITE, 1, "a"), (WRITE, -1, "ba"), (COMMIT, -1, "ba"),
        (TOLD, 1, "ba"),
    ),
    *points_of(
        LINEAR, (COMMIT, 1, "ba"), (SAVED, 1, "a"), (CALL, 1, "ba"), (RECORDED, 1, "ba"),
        (SAVED, -1, "ba"), (COMMIT, -1, "ba"), (TOLD, 1, "ba"),
    ),
    *points_of(CONVERSATION_LOG, (WRITE, -1, "a"), (COMMIT, -1, "ba")),
    *points_of(CONSOLIDATE, (RECORDED, 1, "a"), (WRITE, -1, "a"), (COMMIT, -1, "ba")),
)  # fmt: skip
"""Where a campaign kills: at the door, as the database opens, around what is paid and stored."""
