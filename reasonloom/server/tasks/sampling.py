"""The questions of waiting runs as requests to the client's language model, and its responses."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    SamplingMessage,
    TextContent,
)
from pydantic import ValidationError

if TYPE_CHECKING:
    from reasonloom.stores.runs.questions import QuestionRow

REPLY_FORM = "Reply with one JSON object of this schema, and nothing else:\n{schema}"
RESPONSE_FORM = (
    'inputResponses.{key}: must be {{"role": "assistant", "model": "...", "content": '
    '{{"type": "text", "text": "..."}}}}'
)


def sampling_requests(opened: Sequence[QuestionRow], most_tokens: int) -> dict[str, Any]:
    """Return open questions as requests `sampling/createMessage`, by their ids."""
    return {each.id: _request(each, most_tokens) for each in opened}


def _request(question: QuestionRow, most_tokens: int) -> dict[str, Any]:
    text = question.user_text
    if question.schema is not None:
        text += "\n\n" + REPLY_FORM.format(schema=json.dumps(question.schema))
    message = SamplingMessage(role="user", content=TextContent(text=text))
    params = CreateMessageRequestParams(
        messages=[message],
        system_prompt=question.system_text or None,
        max_tokens=min(question.most_tokens, most_tokens),
    )
    request = CreateMessageRequest(params=params)
    return request.model_dump(by_alias=True, mode="json", exclude_none=True)


def given_replies(responses: Mapping[str, Any], opened: Collection[str]) -> dict[str, str]:
    """Return the texts of the responses to open questions.

    Raises:
        MCPError: a response is not a message with text.
    """
    return {key: _text(key, each) for key, each in responses.items() if key in opened}


def _text(key: str, response: Any) -> str:
    try:
        content = CreateMessageResult.model_validate(response, by_name=False).content
    except ValidationError:
        content = None
    if not isinstance(content, TextContent):
        raise MCPError(code=INVALID_PARAMS, message=RESPONSE_FORM.format(key=key[:40]))
    return content.text
