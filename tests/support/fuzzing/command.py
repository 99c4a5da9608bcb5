"""`make fuzz`: thousands of inputs for every tool over stdio and HTTP, against real servers.

Prints the seed, a table and what is wrong, each with what was sent.
"""

from __future__ import annotations

import argparse
import logging
import os
import secrets
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.settings import Settings
from tests.support.databases.postgres import running_server
from tests.support.fuzzing.dearest import print_dearest
from tests.support.fuzzing.inputs import Input, Maker, Pool
from tests.support.fuzzing.judge import SLOW, Judge, Reply, table
from tests.support.fuzzing.wires import PATIENCE, Wire
from tests.support.fuzzing.world import WIRES, World, inhabited
from tests.support.isolation.tool_calls import USES

log = logging.getLogger(__name__)
MOST_SHOWN = 40
ROUNDS = 20
"""Rounds of all tools after which it is told how many inputs are to go."""


def fuzz(
    world: World,
    transport: str,
    tools: Sequence[str],
    numbers: Sequence[int],
    seed: int,
    *,
    slow: float = SLOW,
) -> Judge:
    """Send inputs to each tool in turn, number by number; return what came of them.

    What an answer made is what the next inputs name. A server that ends is a violation of the
    input that ended it; another one is started. What a new server loads at its first call is
    loaded before. `slow` is the most seconds for an answer.
    """
    waiting = [(tool, number) for number in numbers for tool in tools]
    waiting.reverse()
    pool, judge = world.pool.copy(), None
    while waiting:
        with world.wire(transport) as wire:
            listed = {tool["name"]: tool for tool in wire.tools()}
            judge = judge or Judge(listed.values(), world.secrets, slow)
            makers = {tool: Maker(seed, tool, listed[tool]["inputSchema"], pool) for tool in tools}
            wire.warm()
            while waiting and wire.server.alive:
                tool, number = waiting.pop()
                _exchange(wire, makers[tool].make(number), judge, pool)
                if len(waiting) % (ROUNDS * len(tools)) == 0:
                    log.info("%s: %d to go", transport, len(waiting))
            _look_at_log(judge, wire.server.log, world)
    assert judge
    return judge


def _exchange(wire: Wire, given: Input, judge: Judge, pool: Pool) -> None:
    """Send one input; judge what comes back, and take the ids that it tells."""
    try:
        reply = wire.exchange(given)
    except (AssertionError, OSError, httpx.HTTPError) as error:
        judge.note(given, Reply(None, PATIENCE))
        judge.tallies[given.tool].violations.append(f"{given.tool} {given.number}: {error!r}"[:500])
        wire.server.stop()
        return
    judge.note(given, reply)
    if judge.newest is not None:
        pool.learn(given.tool, judge.newest)


def fuzz_all(
    world: World,
    transports: Sequence[str],
    tools: Sequence[str],
    numbers: Sequence[int],
    seed: int,
    *,
    slow: float = SLOW,
) -> dict[str, Judge]:
    """Fuzz over several transports at once; return what came of it by transport."""
    with ThreadPoolExecutor() as pool:
        begun = {
            each: pool.submit(fuzz, world, each, tools, numbers, seed, slow=slow)
            for each in transports
        }
        return {each: judge.result() for each, judge in begun.items()}


def _look_at_log(judge: Judge, log: str, world: World) -> None:
    """Hold that what a server wrote to stderr has no traceback and no password."""
    found = [f"log: {word[:12]}" for word in ("Traceback", world.secrets[0]) if word in log]
    if found and judge.tallies:
        next(reversed(judge.tallies.values())).violations += found
        sys.stderr.write(log[-20_000:])


def main() -> int:
    """Fuzz as the command line says; return 1 where anything is wrong."""
    logging.basicConfig(format="%(message)s")
    log.setLevel(logging.INFO)
    given = _arguments()
    os.environ["REASONLOOM_LLM"] = "offline"
    print(f"seed {given.seed}, {len(given.numbers)} inputs for each of {len(given.tools)} tools")
    embedder = choose_embedder(Settings())
    with (
        tempfile.TemporaryDirectory(prefix="fuzz") as folder,
        running_server() as postgres,
        inhabited(postgres, Path(folder), embedder) as world,
    ):
        if given.cost:
            print_dearest(world, Path(folder) / "cost", given.tools, given.inputs, given.seed)
            return 0
        judges = fuzz_all(world, given.transports, given.tools, given.numbers, given.seed)
    return _tell(judges, given.seed)


def _tell(judges: Mapping[str, Judge], seed: int) -> int:
    wrong = []
    for transport, judge in judges.items():
        print(f"\n{transport}\n{table(judge.tallies)}")
        wrong += [f"{transport}: {each}" for each in judge.violations]
    print("\n".join(["", *wrong[:MOST_SHOWN], f"{len(wrong)} violations; seed {seed}"]))
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.support.fuzzing")
    parser.add_argument("--inputs", type=int, default=10_000, help="for each tool")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--transport", choices=[*WIRES, "both"], default="both")
    parser.add_argument("--tools", default=",".join(USES))
    parser.add_argument("--cost", action="store_true", help="the dearest input of each tool")
    given = parser.parse_args()
    given.transports = list(WIRES) if given.transport == "both" else [given.transport]
    given.tools = given.tools.split(",")
    given.numbers = range(given.inputs)
    return given
