"""The schemas kept for a fast start are those of the contracts; `make snapshots` writes them."""

from __future__ import annotations

from reasonloom.contracts.schema import KEPT, publish
from tests.support.published_schemas import published_models, published_schemas


def test_the_kept_schemas_are_those_of_the_contracts() -> None:
    assert KEPT.read_text(encoding="utf-8") == published_schemas()


def test_a_kept_schema_is_the_caller_s_own() -> None:
    model, answer = next(published_models())
    publish(model, answer=answer).clear()
    assert publish(model, answer=answer)
