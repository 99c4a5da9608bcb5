"""Makes inputs for a tool from its own schema: valid, nearly valid, and wrong in every way.

An input is a function of seed, tool, number and of the ids that exist by then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.support.contracts.references import BESIDE
from tests.support.fuzzing.envelopes import meta, spoilt
from tests.support.fuzzing.values import (
    BEYOND_NUMBERS,
    DATES,
    INJECTIONS,
    NUMBERS,
    Raw,
    hostile,
    plan,
    text,
    written,
)
from tests.support.fuzzing.wrong_values import MIB, Field, arguments_with, fields_of, wrong_values
from tests.support.isolation.tool_calls import LATEST, TOPIC, USES, value_at

KINDS = {
    "valid": 35, "near": 20, "wrong": 15, "hostile": 10, "shape": 8, "meta": 4, "envelope": 8,
}  # fmt: skip
"""How many of a hundred inputs are of which kind."""

RIGHT = 0.9
"""Of ten ids, how many are the owner's and of the kind that belongs there."""

ID_OF = {
    "memoryId": "memory", "memoryIds": "memory", "branch_id": "branch", "thought_id": "thought",
    "checkpoint_id": "checkpoint", "graph_id": "graph", "node_ids": "one",
    "terminal_node_ids": "two", "workspace_id": "workspace", "basin_ids": "basin",
    "add_basins": "spare", "remove_basins": "basin", "model_id": "model",
    "prediction_id": "prediction", "old_node_id": "fact", "target_id": "fact", "start_id": "fact",
    "session_ids": "number", "project": "project", "path": "path", "userId": "user",
}  # fmt: skip
"""By the name of a field, the kind of id that belongs there; others are told by their type."""

RANGES: tuple[dict[str, Any], ...] = (
    {"type": "time_window", "start": 0, "end": LATEST}, {"type": "session", "session_id": 1},
    {"type": "sessions", "session_ids": [1, 2]}, {"type": "time_window", "start": 5, "end": 1},
    {"type": "sessions", "session_ids": []}, {"type": "session", "session_id": 2**63},
)  # fmt: skip


def _range(dice: Random) -> dict[str, Any]:
    return dice.choice(RANGES)


SPECIAL: dict[str, Callable[[Random], Any]] = {"plan": plan, "range_a": _range, "range_b": _range}
"""Fields whose values no schema tells."""


@dataclass(frozen=True)
class Input:
    """One message; `id` is whom its answer is for, None where it may be answered without."""

    tool: str
    number: int
    kind: str
    id: str | None
    body: bytes

    @property
    def waits(self) -> bool:
        """Whether an answer must come: all but a well-formed notification."""
        try:
            message = json.loads(self.body.decode(errors="replace"))
        except (ValueError, RecursionError):
            return True
        notification = isinstance(message, dict) and "id" not in message
        return not (notification and message.get("jsonrpc") == "2.0"
                    and isinstance(message.get("method"), str))  # fmt: skip


@dataclass
class Pool:
    """The ids that exist: the owner's own by kind, the newest of each, and another owner's."""

    own: dict[str, Any]
    other: Mapping[str, Any]

    def draw(self, dice: Random, kind: str) -> Any:
        """Return an id: mostly of the owner and the kind, else of somebody or something else."""
        among = dice.random()
        if among < RIGHT or not self.other:
            return self.own.get(kind, TOPIC)
        if among < (1 + RIGHT) / 2:
            return self.other.get(kind, TOPIC)
        return dice.choice([*self.own.values(), *self.other.values()])

    def learn(self, tool: str, answer: Any) -> None:
        """Take the ids that a tool's structured answer tells."""
        for kind, path in USES[tool].tells.items():
            with suppress(KeyError, IndexError, TypeError):
                self.own[kind] = value_at(answer, path)

    def copy(self) -> Pool:
        """Return a pool of the same ids that learns by itself."""
        return Pool(dict(self.own), self.other)


class Maker:
    """Makes the inputs of one tool."""

    def __init__(self, seed: int, tool: str, schema: dict[str, Any], pool: Pool) -> None:
        self._seed = seed
        self._tool = tool
        self._schema = schema
        self._pool = pool
        self._fields = list(fields_of(schema))
        self._typed = [each for each in self._fields if "type" in each.schema]

    def make(self, number: int) -> Input:
        """Return the input of a number."""
        dice = Random(f"{self._seed}/{self._tool}/{number}")  # noqa: S311 - the same again
        (kind,) = dice.choices(list(KINDS), list(KINDS.values()))
        identifier = f"f{number}"
        arguments = self._arguments(dice, kind)
        beside = meta(dice) if kind == "meta" else None
        body = _message(identifier, self._tool, arguments, beside)
        if kind == "envelope":
            return Input(self._tool, number, kind, None, spoilt(dice, body))
        return Input(self._tool, number, kind, identifier, body.encode())

    def _arguments(self, dice: Random, kind: str) -> str:
        valid = self._valid(dice, self._schema)
        valid = {**BESIDE.get(self._tool, {}), **valid}
        if kind == "near" and self._typed:
            field = dice.choice(self._typed)
            return self._placed(valid, field, self._near(dice, field.schema))
        if kind == "hostile" and self._fields:
            return self._placed(valid, dice.choice(self._fields), hostile(dice))
        if kind == "wrong" and self._typed:
            return self._wrong(dice)
        if kind == "shape":
            return _misshapen(dice, valid)
        return written(valid)

    def _wrong(self, dice: Random) -> str:
        field = dice.choice(self._typed)
        wrong = [raw for _, raw in wrong_values(field) if len(raw) < MIB or dice.random() < 0.05]
        return arguments_with(self._schema, field.path, dice.choice(wrong))

    def _valid(self, dice: Random, schema: dict[str, Any]) -> dict[str, Any]:
        required = schema.get("required", ())
        return {
            name: self._value(dice, name, inner)
            for name, inner in schema.get("properties", {}).items()
            if name in required or dice.random() < 0.3
        }

    def _value(self, dice: Random, name: str, schema: dict[str, Any]) -> Any:
        if special := SPECIAL.get(name):
            return special(dice)
        if choices := schema.get("enum"):
            return dice.choice(choices)
        match schema["type"]:
            case "string":
                return self._text(dice, name, schema)
            case "array":
                least, most = schema.get("minItems", 0), min(schema.get("maxItems", 4), 4)
                size = dice.randint(least, most)
                return [self._value(dice, name, schema["items"]) for _ in range(size)]
            case "object":
                made = self._valid(dice, schema)
                return made or {text(dice, "key")[:20]: text(dice, TOPIC)}
        return self._number(dice, name, schema)

    def _text(self, dice: Random, name: str, schema: dict[str, Any]) -> Any:
        if schema.get("format") == "date-time" or name in ("from", "to", "before", "after"):
            return dice.choice(DATES)
        kind = _kind_of(name, "session", "node")
        return self._pool.draw(dice, kind) if kind else text(dice, TOPIC)

    def _number(self, dice: Random, name: str, schema: dict[str, Any]) -> Any:
        if kind := _kind_of(name, "number", "fact"):
            return self._pool.draw(dice, kind)
        if schema["type"] == "boolean":
            return dice.random() < 0.5
        low, high = schema.get("minimum", 0), min(schema.get("maximum", 1_000), 10_000)
        return dice.randint(low, high) if schema["type"] == "integer" else dice.uniform(low, high)

    def _near(self, dice: Random, schema: dict[str, Any]) -> Raw:
        """Return a value at a bound of the field, or hardly beyond it."""
        if schema["type"] in ("number", "integer"):
            steps = (0, 1, -1, 0.001, -0.001)
            bounds = [schema[each] + step for each in ("minimum", "maximum") if each in schema
                      for step in steps]  # fmt: skip
            return Raw(dice.choice((*map(json.dumps, bounds), *NUMBERS, *BEYOND_NUMBERS)))
        if schema["type"] == "string":
            most = schema.get("maxLength", 1_000)
            size = dice.choice((0, 1, most - 1, most, most + 1, 10_000, 100_001))
            return Raw(json.dumps(dice.choice(("x", "é", "\u2003", "🙂", *INJECTIONS))[:1] * size))
        if schema["type"] == "array":
            size = dice.choice((0, 1, 2, 20, 21, 50, 51, 101, 500, 1_001))
            item = self._value(dice, "", schema["items"])
            return Raw(written([item] * size))
        return Raw(dice.choice(("{}", "null", "[]", "true", "false", "0", "1", '""')))

    @staticmethod
    def _placed(valid: dict[str, Any], field: Field, value: Raw) -> str:
        """Return valid arguments with a value at a field's path."""
        place: Any = valid
        for step in field.path[:-1]:
            if isinstance(place, dict) and not isinstance(place.get(step), dict | list):
                place[step] = {}
            place = place[step] if isinstance(place, dict) else place
        if isinstance(place, dict):
            place[field.path[-1]] = value
            return written(valid)
        place[:] = [value]
        return written(valid)


def _kind_of(name: str, session: str, node: str) -> str | None:
    """Return the kind of id that a field takes, None for one that takes none."""
    alike = {"session_id": session, "session_ids": session, "node_id": node,
             "current_session_id": "talk"}  # fmt: skip
    return alike.get(name) or ID_OF.get(name)


def _message(identifier: str, tool: str, arguments: str, meta: str | None = None) -> str:
    more = f',"_meta":{meta}' if meta else ""
    params = f'{{"name":"{tool}","arguments":{arguments}{more}}}'
    return f'{{"jsonrpc":"2.0","id":"{identifier}","method":"tools/call","params":{params}}}'


def _misshapen(dice: Random, valid: dict[str, Any]) -> str:
    """Return arguments that lack one, have one too many, have one twice, or are no object."""
    names = list(valid)
    how = dice.randrange(5)
    if how == 0:
        return dice.choice(("null", "[]", "[1]", '"{}"', "0", "true", "{}", '{"arguments":{}}'))
    if how == 1 and names:
        del valid[dice.choice(names)]
    elif how == 2 and names:
        twice = dice.choice(names)
        other = dice.choice((written(valid[twice]), hostile(dice).json))
        return f"{written(valid)[:-1]},{json.dumps(twice)}:{other}}}"
    elif how == 3 and names:
        name = dice.choice(names)
        valid[dice.choice((name.upper(), name + "s", name[:-1], f" {name}", f"{name}\u0000"))] = 1
    else:
        valid[dice.choice((*INJECTIONS, "__class__", "x" * 1_000, "\ud800", "constructor"))] = 1
    return written(valid)
