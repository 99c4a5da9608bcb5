"""The longest text that a field takes costs a server at most two seconds of processor time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reasonloom.llm.interfaces import Embedder
from tests.support.clients.processes import Spoken
from tests.support.databases.postgres import TestPostgres
from tests.support.fuzzing.processor_cost import (
    LOOP_SECONDS,
    TEXTS,
    Costly,
    MeteredServer,
    costs_of_longest,
    loop_seconds,
    of_length,
)
from tests.support.fuzzing.world import inhabited
from tests.support.isolation.tool_calls import USES

MOST_SECONDS = 2.0
"""Processor time of one call, on a processor as fast as the one of `LOOP_SECONDS`."""

KINDS = ("prose", "Chinese")
"""The dearest kinds of all; `make fuzz FUZZ=--cost` tries the others."""

CHECKS = {"detect_emotion": "text", "detect_bias": "reasoning", "evaluate": "reasoning"}


def is_dear(cost: Costly, server: MeteredServer) -> bool:
    """Tell whether a call costs too much, also when it is made again.

    What a server does in the background meanwhile, and a busy machine, make a call look dear.
    """
    most = MOST_SECONDS * max(1.0, loop_seconds() / LOOP_SECONDS)
    return cost.seconds > most and all(
        server.cost(cost.tool, cost.arguments, cost.label).seconds > most for _ in range(2)
    )


@pytest.mark.timeout(1800)
def test_no_text_of_the_greatest_length_costs_much(
    postgres: TestPostgres, embedder: Embedder, tmp_path: Path
) -> None:
    with inhabited(postgres, tmp_path, embedder) as world:
        server = MeteredServer(world.env, tmp_path / "server")
        try:
            schemas = {tool["name"]: tool["inputSchema"] for tool in server.tools()}
            found = [
                cost
                for tool in USES
                for cost in costs_of_longest(server, world.pool, tool, schemas[tool], KINDS)
            ]
            evidence = [f"{n} {of_length(TEXTS['prose'], 90_000)}" for n in range(50)]
            much = {"reasoning": of_length(TEXTS["prose"], 90_000), "evidence": evidence}
            found.append(server.cost("assess_confidence", much, "50 items of evidence"))
            dear = [each for each in found if is_dear(each, server)]
        finally:
            server.stop()
    assert [str(each) for each in dear] == []
    assert {each.tool for each in found} > {"remember", "evaluate", "memory_ground", "think"}
    answered = [each for each in found if not each.answer["result"]["isError"]]
    assert len(answered) > 90, "most of the others are long ids of nothing"


@pytest.mark.parametrize(("length", "read"), [(1_000, None), (1_001, "1,000"), (90_000, "1,000")])
def test_much_evidence_is_read_in_part_and_that_is_said(
    speaker: Spoken, length: int, read: str | None
) -> None:
    items = [f"{n} {of_length(TEXTS['prose'], length)}"[:length] for n in range(50)]
    given = {"reasoning": "Ben is right, so the keeper lied.", "evidence": items}
    told = json.dumps(speaker.call("assess_confidence", given))
    note = f"only the first {read} characters of each item of evidence were read"
    assert (note in told) == (read is not None)
    assert "of each item of evidence" in told or read is None


@pytest.mark.parametrize("tool", CHECKS)
def test_a_check_of_a_long_text_says_what_it_read(tool: str, speaker: Spoken) -> None:
    short, long = (
        json.dumps(speaker.call(tool, {CHECKS[tool]: of_length(TEXTS["prose"], length)}))
        for length in (2_000, 100_000)
    )
    assert "passages, evenly spread" not in short
    assert "the classifier read 60 of " in long
