"""A library on the database of a test."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.llm.interfaces import Embedder
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.answering import AnsweringLlm

THOUGHT = {"thought": "Eat at the mill.", "confidence": 0.8}


@pytest.fixture
def llm() -> AnsweringLlm:
    """A language model that answers each thought alike, and counts."""
    return AnsweringLlm(thought=THOUGHT)


@pytest.fixture
def options(
    postgres: TestPostgres, database: str, embedder: Embedder, llm: AnsweringLlm
) -> dict[str, Any]:
    """The arguments of `open` for this test's database."""
    url = postgres.address.dsn("postgres", database)
    return {"user": "anna", "database_url": url, "embedder": embedder, "llm": llm}
