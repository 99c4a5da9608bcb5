"""A whole number is one however it is written: 2.0 is taken wherever 2 is, 2.5 nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from reasonloom.contracts.base import Request
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS

REQUESTS = {
    line.name: line.request for toolset in (*TOOLSETS, *EXTRA_TOOLSETS) for line in toolset.tools
}


def whole_fields(kind: type[Request]) -> Iterator[tuple[str, Any, int]]:
    """Yield each field that takes a whole number, with its type and a number that it takes."""
    for name, field in kind.model_fields.items():
        adapter: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation(), config={"strict": True})
        for number in (1, 2, 1_000, 30_000):
            try:
                taken = adapter.validate_python(number)
            except ValidationError:
                continue
            if type(taken) is int:
                yield name, adapter, number
            break


@pytest.mark.parametrize("tool", REQUESTS)
def test_a_whole_number_may_be_written_with_a_point(tool: str) -> None:
    for name, adapter, number in whole_fields(REQUESTS[tool]):
        taken = adapter.validate_python(float(number))
        assert (name, type(taken), taken) == (name, int, number)
        with pytest.raises(ValidationError):
            adapter.validate_python(number + 0.5)


def test_there_are_such_fields() -> None:
    assert sum(len(list(whole_fields(kind))) for kind in REQUESTS.values()) > 20
