"""A language model that has something valid to say to every prompt, for counting what is asked."""

from __future__ import annotations

import json

from reasonloom.llm.port import Ask, Reply, Usage
from tests.support.contracts.references import least_request
from tests.support.llms.scripted_replies import said


class ReadyLlm:
    """Says what the tests' paid model says; where that does not fit, the least the schema takes."""

    name = "ready"
    offline = False

    async def answer(self, ask: Ask) -> Reply:
        """Answer at once."""
        schema = ask.schema or {}
        answer = said(ask)
        if not set(schema.get("required", ())) <= answer.keys():
            answer = least_request(schema)
        return Reply(json.dumps(answer), answer, self.name, Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Hold nothing."""
