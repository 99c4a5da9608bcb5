"""A user who is asked by a form, for the SDK's client."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp_types import ElicitResult, ErrorData


class Person:
    """A user who replies to every form alike, None for never; keeps the questions."""

    def __init__(self, reply: ElicitResult | ErrorData | None) -> None:
        self.reply = reply
        self.questions: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        self.questions.append(params.message)
        if self.reply is None:
            await asyncio.sleep(60)
        return self.reply or ElicitResult(action="cancel")
