"""kill -9 at any point of any mode: nothing acknowledged is lost, nothing is doubled.

Where a process dies at a point, another one takes its run up, by the call's key or by its lease,
and must come to the rows, the answer and the bill of a process that nobody disturbed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable

import pytest

from reasonloom.stores.access import Access
from tests.support.databases.postgres import TestPostgres
from tests.support.killing.arena import Arena, Rehearsed, arena
from tests.support.killing.guillotine import Choice, Moment
from tests.support.killing.scenes.reasoning import LINEAR, REMEMBER, SCENES, SHORT
from tests.support.killing.scenes.scene import Scene
from tests.support.killing.summary import PROPERTY
from tests.support.killing.victim import BEGUN, TOLD

Point = tuple[int, Moment]
MOMENTS: tuple[Moment, Moment] = ("before", "after")
READ, WRITE, COMMIT, RECORDED, SAVED = "read", "write", "commit", "recorded reply", "saved step"
STRAY = 0.1
"""Share of the points that one call may reach and another not: connections are shared."""

every_scene = pytest.mark.parametrize("scene", SCENES, ids=str)


@pytest.fixture
async def ground(
    postgres: TestPostgres, access: Access, database: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Arena]:
    async with arena(postgres, access, database, tmp_path_factory.mktemp("arena")) as made:
        yield made


async def kill_at(
    ground: Arena, scene: Scene, rehearsed: Rehearsed, points: Iterable[Point]
) -> Counter[str]:
    """Kill at each point and hold what must be true; return where processes died."""
    died: Counter[str] = Counter()
    for number, moment in points:
        staged = await ground.stage(scene, f"{moment} {number}")
        if await ground.strike(staged, the_one(number, rehearsed), moment):
            died[ground.blade.struck] += 1
        await ground.check(staged, rehearsed, by_lease=moment == "after")
    return died


def the_one(number: int, rehearsed: Rehearsed) -> Choice:
    """Choose a point by its number; the acknowledgement by its name.

    Tasks at once share connections, so that one call has a few round trips more than another, and
    what comes last has another number.
    """
    if rehearsed.points[number - 1] == TOLD:
        return lambda _, name: name == TOLD
    return lambda at, _: at == number


def a_few(scene: Scene, rehearsed: Rehearsed) -> list[Point]:
    """Return the points that matter most and one more, of another name from scene to scene.

    What the caller was told must be true; a reply that was recorded must not be paid again;
    what was stored, while nobody was told and no step was saved, must not be stored again, also
    by a node that ended and whose step was not saved.
    """
    points = rehearsed.points
    replied = points.index(RECORDED) if RECORDED in points else None
    stored = (
        points.index(COMMIT, replied)
        if replied
        else max(at for at, name in enumerate(points) if name == COMMIT)
    )
    chosen = [points.index(TOLD), stored]
    chosen += [replied] if replied else []
    names = [name for name in dict.fromkeys(points) if name not in (READ, BEGUN, TOLD)]
    turn = SCENES.index(scene)
    places = [at for at, name in enumerate(points) if name == names[turn % len(names)]]
    other: Point = (places[len(places) // 2] + 1, MOMENTS[turn % 2])
    found = [*((at + 1, MOMENTS[1]) for at in chosen), other]
    if replied:
        found.append((points.index(SAVED, stored) + 1, MOMENTS[0]))
    return list(dict.fromkeys(found))


def every_one(rehearsed: Rehearsed) -> list[Point]:
    """Return every point, before and after; of a read, which leaves no trace, before alone."""
    return [
        (at, moment)
        for at, name in enumerate(rehearsed.points, 1)
        for moment in MOMENTS[: 1 if name == READ else 2]
    ]


@pytest.mark.parametrize("scene", SHORT, ids=str)
async def test_a_kill_loses_and_doubles_nothing(
    ground: Arena, scene: Scene, record_property: Callable[[str, object], None]
) -> None:
    rehearsed = await ground.rehearse(scene)
    points = a_few(scene, rehearsed)
    died = await kill_at(ground, scene, rehearsed, points)
    record_property(PROPERTY, {str(scene): dict(died)})
    assert died.total() >= len(points) - 1


@pytest.mark.faults
@pytest.mark.timeout(3600)
@every_scene
async def test_a_kill_at_every_point_loses_and_doubles_nothing(
    ground: Arena, scene: Scene, record_property: Callable[[str, object], None]
) -> None:
    rehearsed = await ground.rehearse(scene)
    points = every_one(rehearsed)
    died = await kill_at(ground, scene, rehearsed, points)
    record_property(PROPERTY, {str(scene): dict(died)})
    assert set(died) == set(rehearsed.points)
    assert died.total() >= max(scene.least, len(points) * (1 - STRAY))


def test_the_kills_of_all_scenes_are_enough_to_matter() -> None:
    assert sum(scene.least for scene in SCENES) >= 300


async def found_out(ground: Arena, scene: Scene) -> None:
    """Kill a process that tells its caller before it has stored what it tells."""
    rehearsed = await ground.rehearse(scene)
    staged = await ground.stage(scene, "hasty", hasty=True)
    assert await ground.strike(staged, lambda _, name: name == TOLD, "after")
    with pytest.raises(AssertionError, match="acknowledged, and lost"):
        await ground.check(staged, rehearsed)


@pytest.mark.parametrize("scene", [REMEMBER, LINEAR], ids=str)
async def test_an_acknowledgement_before_the_commit_is_found_out(
    ground: Arena, scene: Scene
) -> None:
    await found_out(ground, scene)


@pytest.mark.faults
@every_scene
async def test_an_acknowledgement_before_the_commit_is_found_out_in_every_mode(
    ground: Arena, scene: Scene
) -> None:
    await found_out(ground, scene)
