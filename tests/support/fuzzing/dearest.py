"""Searches the dearest input of each tool: hypothesis steers by the server's processor time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import seed as seeded
from hypothesis import strategies as st

from tests.support.fuzzing.inputs import Pool
from tests.support.fuzzing.processor_cost import (
    MAX_LENGTH,
    TEXTS,
    Costly,
    MeteredServer,
    known,
    longest,
    of_length,
    refused_length,
    renew,
    short,
    text_fields,
)
from tests.support.fuzzing.world import World
from tests.support.fuzzing.wrong_values import UNTOLD, Field, fields_of
from tests.support.isolation.tool_calls import USES

LENGTHS = st.sampled_from([100, 1_000, 4_000, 20_000, MAX_LENGTH]) | st.integers(1, MAX_LENGTH)
NUMBERS = {"minimum": 0, "maximum": 1_000_000}


class Search:
    """The search for one tool's dearest input."""

    def __init__(
        self, server: MeteredServer, pool: Pool, tool: str, schema: dict[str, Any]
    ) -> None:
        self._server = server
        self._pool = pool
        self._tool = tool
        self._schema = schema
        self._lengths: dict[str, int] = {}
        self.dearest: Costly | None = None

    def run(self, examples: int, seed: int) -> Costly | None:
        """Return the dearest of so many inputs; None where the tool takes no arguments."""
        texts = list(text_fields(self._schema))
        changes = [
            *(st.tuples(st.just(each), st.sampled_from(list(TEXTS)), LENGTHS) for each in texts),
            *(
                st.tuples(st.just(each), st.none(), values)
                for each in fields_of(self._schema)
                if (values := _values(each)) is not None
            ),
        ]
        if not changes:
            return None

        @seeded(seed)
        @settings(
            max_examples=examples, deadline=None, database=None, derandomize=False,
            phases=[Phase.generate, Phase.target], suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(st.lists(st.one_of(changes), min_size=1, max_size=4))
        def look(chosen: list[tuple[Field, str | None, Any]]) -> None:
            target(self._cost(chosen), label=self._tool)

        look()
        return self.dearest

    def _cost(self, chosen: Sequence[tuple[Field, str | None, Any]]) -> float:
        renew(self._server, self._pool, self._tool)
        base = USES[self._tool].arguments(known(self._pool))
        cost = self._send(self._changed(base, chosen))
        if (most := refused_length(cost.answer)) is not None:
            for field, kind, _ in chosen:
                if kind and field.name in str(cost.answer):
                    self._lengths[field.name] = most
            cost = self._send(self._changed(base, chosen))
        if self.dearest is None or cost.seconds > self.dearest.seconds:
            again = self._send(cost.arguments)  # the background's work is not in both
            cost = min(cost, again, key=lambda each: each.seconds)
            if self.dearest is None or cost.seconds > self.dearest.seconds:
                self.dearest = cost
        return cost.seconds

    def _changed(
        self, base: dict[str, Any], chosen: Sequence[tuple[Field, str | None, Any]]
    ) -> dict[str, Any]:
        made = deepcopy(base)
        for field, kind, value in chosen:
            if kind:
                most = min(value, self._lengths.get(field.name, MAX_LENGTH))
                value = of_length(TEXTS[kind], most)  # noqa: PLW2901
            elif field.schema["type"] == "array":
                value = _repeated(made, field, value)  # noqa: PLW2901
            if value is not None:
                made = longest(made, field, value)
        return made

    def _send(self, arguments: dict[str, Any]) -> Costly:
        return self._server.cost(self._tool, arguments, short(arguments))


def _values(field: Field) -> st.SearchStrategy[Any] | None:
    """Return values of a field that is no free text; None for one that is not varied."""
    schema = field.schema
    low, high = (schema.get(name, bound) for name, bound in NUMBERS.items())
    match schema.get("type"):
        case "boolean":
            return st.booleans()
        case "string" if "enum" in schema:
            return st.sampled_from(schema["enum"])
        case "integer":
            return st.integers(int(low), int(high))
        case "number":
            return st.floats(low, high)
        case "array":
            return st.integers(1, schema.get("maxItems", UNTOLD[schema["items"]["type"]]))
    return None


def _repeated(arguments: Mapping[str, Any], field: Field, count: int) -> list[Any] | None:
    """Return the first item of a list of the arguments so many times; None where it has none."""
    place: Any = arguments
    for step in field.path:
        place = place.get(step) if isinstance(place, dict) else None
    return place[:1] * count if place else None


def print_dearest(
    world: World, folder: Path, tools: Sequence[str], examples: int, seed: int
) -> None:
    """Print the dearest input found for each tool, the dearest tool first."""
    server = MeteredServer(world.env, folder)
    found = []
    try:
        schemas = {tool["name"]: tool["inputSchema"] for tool in server.tools()}
        for tool in tools:
            dearest = Search(server, world.pool, tool, schemas[tool]).run(examples, seed)
            found += [dearest] if dearest else []
    finally:
        server.stop()
    for each in sorted(found, key=lambda each: -each.seconds):
        print(f"{each.tool:32}{each.seconds * 1000:7.0f} ms  {each.label}")
