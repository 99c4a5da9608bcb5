"""Kills servers and Postgres by kill -9, many times, and tells what it found.

python -m tests.support.killing --times 40 --seed 7
python -m tests.support.killing --only postgres --postgres 20
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import math
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.databases.postgres import TestPostgres, running_server
from tests.support.killing.arena import Rehearsed
from tests.support.killing.points import POINTS, Point
from tests.support.killing.postgres import PostgresKills, kill_postgres
from tests.support.killing.scenes.scene import Doubled, HalfStored, Lost, NotResumed
from tests.support.killing.server_arena import MODES, ServerArena, server_arena

COLUMNS = ("kills", "cold", "lost", "half", "doubled", "unresumed", "else", "unreached")
KINDS: dict[type[Exception], str] = {
    Lost: "lost", HalfStored: "half", Doubled: "doubled", NotResumed: "unresumed",
}  # fmt: skip
BAD = ("lost", "half", "doubled", "unresumed", "else")
MOST_TRIES = 3
"""Times that a point is tried which a call did not reach: tasks at once share connections."""


@dataclass(frozen=True)
class Kill:
    """One kill that is to be: where, which time, of a cold start or not, by which client."""

    point: Point
    time: int
    fresh: bool
    mode: str

    @property
    def owner(self) -> str:
        """The owner for whom the call is made."""
        return f"{self.point} {self.time}"


@dataclass
class Tally:
    """What was found at each point, by the names of `COLUMNS`, and what was wrong."""

    points: dict[str, Counter[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    tell: bool = False

    def add(self, point: Point, column: str) -> None:
        """Count one more of a column at a point."""
        self.points.setdefault(str(point), Counter())[column] += 1

    @property
    def whole(self) -> Counter[str]:
        """The sums of all points."""
        return sum(self.points.values(), Counter())

    def lines(self) -> Iterable[str]:
        """Return the table, a line for each point and one of the sums."""
        yield f"{'point':44}" + "".join(f"{name:>10}" for name in COLUMNS)
        for name, found in [*self.points.items(), ("in all", self.whole)]:
            yield f"{name:44}" + "".join(f"{found[each]:10}" for each in COLUMNS)


def planned(points: Sequence[Point], times: int, colds: int, seed: int) -> list[Kill]:
    """Return the kills, round by round, each in the order of a seed; cold starts spread evenly."""
    chance = random.Random(seed)  # noqa: S311 - an order, no secret
    whole = times * len(points)
    rounds = [chance.sample(points, len(points)) for _ in range(times)]
    order = [(point, time) for time, round_ in enumerate(rounds) for point in round_]
    return [
        Kill(point, time, (at + 1) * colds // whole > at * colds // whole, chance.choice(MODES))
        for at, (point, time) in enumerate(order)
    ]


async def kill(ground: ServerArena, order: Kill, rehearsed: Rehearsed, tally: Tally) -> None:
    """Kill once and hold what must be true; count what is found."""
    point = order.point
    ground.mode = order.mode
    begun = time.monotonic()
    for attempt in range(MOST_TRIES):
        staged = await ground.stage(point.scene, f"{order.owner} {attempt}")
        choice = point.choice(rehearsed.points)
        try:
            fell = await ground.strike(
                staged, choice, point.moment, fresh=order.fresh, opening=point.opening
            )
            tally.add(point, "kills" if fell else "unreached")
            if fell and order.fresh:
                tally.add(point, "cold")
            await ground.check(staged, rehearsed, by_lease=point.moment == "after")
        except Exception as error:  # noqa: BLE001 - whatever is wrong is counted and told
            tally.add(point, KINDS.get(type(error), "else"))
            tally.faults.append(f"{order.owner} ({order.mode}): {type(error).__name__} {error}")
            return
        finally:
            if tally.tell:
                print(f"{time.monotonic() - begun:6.1f} s  {order.owner}", flush=True)
        if fell:
            return


async def kill_servers(
    postgres: TestPostgres, kills: Sequence[Kill], *, seconds: float = math.inf, tell: bool = False
) -> Tally:
    """Carry out kills one after another, until `seconds` are over; return what was found."""
    until = time.monotonic() + seconds
    scenes = {str(each.point.scene): each.point.scene for each in kills}
    reached = {str(each.point) for each in kills}
    tally = Tally({str(each): Counter() for each in POINTS if str(each) in reached}, tell=tell)
    with postgres.clone() as name, tempfile.TemporaryDirectory(prefix="rl") as folder:
        access = postgres.access(name)
        async with server_arena(postgres, access, name, Path(folder)) as ground:
            rehearsed = {name: await ground.rehearse(scene) for name, scene in scenes.items()}
            for order in kills:
                if time.monotonic() < until:
                    await kill(ground, order, rehearsed[str(order.point.scene)], tally)
    return tally


def of_servers(asked: argparse.Namespace) -> bool:
    """Kill servers as asked and print what was found; tell whether nothing was wrong."""
    points = [each for each in POINTS if asked.points in str(each)]
    kills = planned(points, asked.times, asked.colds, asked.seed)
    begun = time.monotonic()
    with running_server() as postgres:
        tally = asyncio.run(kill_servers(postgres, kills, seconds=asked.seconds, tell=asked.tell))
    print(*tally.lines(), sep="\n")
    print(*tally.faults, sep="\n")
    wrong = sum(tally.whole[each] for each in BAD)
    print(
        f"seed {asked.seed}: {tally.whole['kills']} servers killed at {len(points)} points, "
        f"{tally.whole['cold']} of them cold starts, {wrong} faults, "
        f"{time.monotonic() - begun:.0f} s"
    )
    return not wrong and all(found["kills"] == asked.times for found in tally.points.values())


def of_postgres(asked: argparse.Namespace) -> bool:
    """Kill Postgres as asked and print what was found; tell whether nothing was wrong."""
    with tempfile.TemporaryDirectory(prefix="rl") as folder:
        Path(folder).chmod(0o755)
        found: PostgresKills = asyncio.run(kill_postgres(Path(folder), asked.postgres, asked.seed))
    print(*found.lines(), sep="\n")
    return not found.wrong


def main(arguments: Sequence[str]) -> int:
    """Kill as asked; return 0 where nothing was lost, halved, doubled or left."""
    parser = argparse.ArgumentParser(prog="killing", description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=40, help="kills at each point")
    parser.add_argument("--colds", type=int, default=100, help="least cold starts in all")
    parser.add_argument("--points", default="", help="only points whose name holds this")
    parser.add_argument("--postgres", type=int, default=20, help="kills of Postgres")
    parser.add_argument("--only", choices=("servers", "postgres"))
    parser.add_argument("--seconds", type=float, default=math.inf, help="kill no more after these")
    parser.add_argument("--seed", type=int, default=7, help="order of the kills")
    parser.add_argument("--tell", action="store_true", help="tell of each kill as it is done")
    asked = parser.parse_args(arguments)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # a dead server ends no session
    print(f"seed {asked.seed}", flush=True)
    done = [of_servers(asked)] if asked.only != "postgres" else []
    done += [of_postgres(asked)] if asked.only != "servers" else []
    return 0 if all(done) else 1
