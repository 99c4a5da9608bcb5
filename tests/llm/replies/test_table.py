"""How many malformed replies are read as they should be."""

from __future__ import annotations

import pytest

from reasonloom.llm.interfaces import Reply
from reasonloom.llm.off_schema import as_requested
from reasonloom.llm.structured_output import read_object
from reasonloom.prompts.registry import PromptRegistry
from tests.llm.replies.table import LATER, TABLE, Malformed

PROMPTS = PromptRegistry()
VERSIONS = {"tree/judge": 2, "grounding/entailment": 1}
"""Of prompts whose later versions ask for more than the replies of the table hold."""


def read(reply: Malformed) -> Reply:
    schema = PROMPTS.get(reply.prompt, VERSIONS.get(reply.prompt)).schema
    assert schema is not None
    return as_requested(Reply(reply.text, read_object(reply.text, schema), "m"), schema)


def test_the_kinds_differ() -> None:
    assert len({reply.kind for reply in TABLE}) == len(TABLE) >= 60


@pytest.mark.parametrize("reply", [*TABLE, *LATER], ids=lambda reply: reply.kind)
def test_a_malformed_reply_is_read_as_it_should_be(reply: Malformed) -> None:
    assert read(reply).parsed == reply.wanted
