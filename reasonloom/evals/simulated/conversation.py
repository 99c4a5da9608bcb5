"""All that a simulated language model sees of a question, and the forms its answer can take."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reasonloom.evals.simulated.billing import Price
from reasonloom.llm.port import Reply, Usage
from reasonloom.llm.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.messages import BaseMessage

PUZZLED = "I do not understand the question."


def words(messages: Sequence[BaseMessage]) -> tuple[str, str]:
    """Return the system's words and the user's: with the answer's schema, all that a model sees.

    What is not text, or was said by the model itself, is left out.
    """
    said: dict[str, list[str]] = {"system": [], "human": []}
    for message in messages:
        if message.type in said and isinstance(message.content, str):
            said[message.type].append(message.content)
    return "\n".join(said["system"]), "\n".join(said["human"])


def in_json(parsed: dict[str, Any], *, model: str, usage: Usage) -> Reply:
    """Return an answer as the object that was asked for."""
    text = json.dumps(parsed, ensure_ascii=False)
    return Reply(text=text, parsed=parsed, model=model, usage=usage)


def puzzled(question: tuple[str, str], why: str, *, model: str, price: Price) -> Reply:
    """Return the plain text of a model that cannot read the question, and says why.

    `question` is what `words` returned; as it is in no table, its tokens are estimated.
    """
    text = f"{PUZZLED} {why}"
    asked = estimate_tokens("\n".join(question))
    return Reply(
        text=text, parsed=None, model=model, usage=price.usage(asked, estimate_tokens(text))
    )
