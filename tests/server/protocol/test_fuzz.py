"""A sample of `make fuzz`: inputs of every kind for every tool over both transports."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from tests.support.databases.postgres import TestPostgres
from tests.support.fuzzing.command import fuzz_all
from tests.support.fuzzing.inputs import KINDS, Input, Maker, Pool
from tests.support.fuzzing.judge import ALLOWED, Judge, Reply
from tests.support.fuzzing.wires import PATIENCE
from tests.support.fuzzing.world import WIRES, inhabited
from tests.support.isolation.tool_calls import USES

SEED = 11
EACH = 10
"""Inputs for each tool over each transport: 840 together, where the whole takes hours."""

REQUESTS = {line.name: line.request for each in (*TOOLSETS, *EXTRA_TOOLSETS) for line in each.tools}
NOBODY = Pool({}, {})
LISTED = [
    {
        "name": "recall",
        "outputSchema": {
            "type": "object",
            "properties": {"count": {"type": "integer"}},
            "required": ["count"],
        },
    }
]


@pytest.mark.timeout(600)
def test_no_input_breaks_a_tool(postgres: TestPostgres, embedder: Embedder, tmp_path: Path) -> None:
    """Of time, only what never answers counts here: what is slow, `make fuzz` tells."""
    with inhabited(postgres, tmp_path, embedder) as world:
        judges = fuzz_all(world, list(WIRES), list(USES), range(EACH), SEED, slow=PATIENCE)
    for judge in judges.values():
        assert judge.violations == []
        assert set(judge.tallies) == set(REQUESTS)
        assert sum(each.inputs for each in judge.tallies.values()) >= 200
        assert sum(each.answered for each in judge.tallies.values()) >= 40
        assert sum(each.refused for each in judge.tallies.values()) >= 40


def inputs(tool: str, number: int, seed: int = SEED) -> list[Input]:
    maker = Maker(seed, tool, publish(REQUESTS[tool]), NOBODY)
    return [maker.make(each) for each in range(number)]


@pytest.mark.parametrize("tool", ["recall", "memory_temporal", "reasoning_got_run"])
def test_an_input_can_be_made_again_and_every_kind_is_made(tool: str) -> None:
    made = inputs(tool, 100)
    assert made == inputs(tool, 100)
    assert made != inputs(tool, 100, seed=SEED + 1)
    assert {each.kind for each in made} == set(KINDS)
    assert all(each.id is not None or each.kind == "envelope" for each in made)


def test_many_inputs_pass_the_door_and_many_do_not() -> None:
    passed: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for tool, request in REQUESTS.items():
        for each in inputs(tool, 12):
            if each.kind not in ("valid", "near", "wrong"):
                continue
            arguments = json.loads(each.body)["params"]["arguments"]
            every[each.kind] += 1
            try:
                passed[each.kind] += isinstance(arguments, dict) and bool(
                    parse_request(request, arguments)
                )
            except InvalidArgument:
                continue
    assert passed["valid"] > every["valid"] * 0.5
    assert 0 < passed["near"] < every["near"]
    assert passed["wrong"] < every["wrong"] * 0.1


def answer(result: dict[str, Any] | None = None, **more: Any) -> str:
    message = {"jsonrpc": "2.0", "id": "f1", **({"result": result} if result else {}), **more}
    return json.dumps(message)


FINE = {"isError": False, "content": [], "structuredContent": {"count": 1}}
REFUSED = {"isError": True, "content": [{"type": "text", "text": "no"}]}


def failing(code: int, message: str = "no") -> str:
    return answer(error={"code": code, "message": message})


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(None, 30.0), "no answer"),
        (Reply(answer(FINE), 5.1), "answered after"),
        (Reply(answer(FINE), 0.1, 500), "HTTP 500"),
        (Reply(answer(FINE | {"structuredContent": {}}), 0.1), "not of its schema"),
        (Reply(answer(FINE | {"structuredContent": {"count": "1"}}), 0.1), "not of its schema"),
        (Reply(answer(FINE).replace("f1", "f2"), 0.1), "under the id"),
        (Reply(answer(FINE).replace(": 1", ": NaN"), 0.1), "no strict JSON"),
        (Reply(answer(FINE)[:-1], 0.1), "no strict JSON"),
        (Reply(failing(-32603), 0.1), "-32603"),
        (Reply(failing(-32602, 'Traceback: File "x.py"'), 0.1), "shows"),
        (Reply(answer(REFUSED, note="SELECT owner FROM owners"), 0.1), "shows"),
        (Reply(answer(REFUSED, note="Internal error (reference 1)"), 0.1), "shows"),
        (Reply(answer(REFUSED, note="psycopg.errors.DataError"), 0.1), "shows"),
        (Reply(answer(FINE, note="a hunter2 b"), 0.1), "shows a secret"),
        (Reply(answer({"tools": []}), 0.1), "no result of a tool"),
    ],
)
def test_what_is_wrong_is_told(reply: Reply, told: str) -> None:
    judge = Judge(LISTED, ["hunter2"])
    (found, *_) = judge.note(Input("recall", 1, "valid", "f1", b"{}"), reply)
    assert told in found
    assert judge.violations


@pytest.mark.parametrize(
    "reply", [Reply(answer(FINE), 4.9), Reply(answer(REFUSED), 0.1),
              *(Reply(failing(code), 0.1) for code in ALLOWED)],
)  # fmt: skip
def test_what_is_right_is_counted_alone(reply: Reply) -> None:
    judge = Judge(LISTED, ["hunter2"])
    assert judge.note(Input("recall", 1, "valid", "f1", b"{}"), reply) == []
    tally = judge.tallies["recall"]
    assert tally.answered + tally.refused + sum(tally.codes.values()) == tally.inputs == 1


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        (b'{"jsonrpc":"2.0","method":"x"}', False),
        (b'{"jsonrpc":"2.0","method":"x","id":1}', True),
        (b'{"jsonrpc":"1.0","method":"x"}', True),
        (b'{"jsonrpc":"2.0","method":7}', True),
        (b"[]", True),
        (b"{", True),
    ],
)
def test_only_a_notification_goes_without_an_answer(body: bytes, waits: bool) -> None:
    given = Input("recall", 1, "envelope", None, body)
    assert given.waits is waits
    judge = Judge(LISTED, [])
    assert bool(judge.note(given, Reply(None, 0.02, 202))) is waits
