"""Fixtures that query their client in the middle of a call, as 2025-11-25 does it."""

from __future__ import annotations

import json
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    ElicitationCapability,
    MissingRequiredClientCapabilityErrorData,
    SamplingCapability,
    SamplingMessage,
    TextContent,
)

from reasonloom.contracts.base import Content, Request
from tests.support.conformance_server.fixture import (
    Fixture,
    Nothing,
    ToolContext,
    ToolResult,
    result_of,
)

PERSON = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
    "required": [],
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [
    {"const": "value1", "title": "First Option"},
    {"const": "value2", "title": "Second Option"},
    {"const": "value3", "title": "Third Option"},
]
CHOICES = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
    "required": [],
}


class Prompted(Request):
    """What the client's language model is asked."""

    prompt: Content


class Messaged(Request):
    """What the user is asked."""

    message: Content


def require(context: ToolContext, needed: ClientCapabilities) -> None:
    """Go on only where the client has declared what is needed of it.

    Raises:
        MCPError: it has not (-32021); names what is missing.
    """
    if context.session.check_client_capability(needed):
        return
    data = MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
    named = needed.model_dump(by_alias=True, mode="json", exclude_none=True)
    raise MCPError(
        code=MISSING_REQUIRED_CLIENT_CAPABILITY,
        message=f"The client did not declare the capability {', '.join(named)}",
        data=data.model_dump(by_alias=True, mode="json", exclude_none=True),
    )


async def sampling(request: Prompted, context: ToolContext) -> ToolResult:
    """Asks the client's language model."""
    require(context, ClientCapabilities(sampling=SamplingCapability()))
    message = SamplingMessage(role="user", content=TextContent(text=request.prompt))
    reply = await context.session.create_message(
        [message], max_tokens=100, related_request_id=context.request_id
    )
    text = reply.content.text if isinstance(reply.content, TextContent) else reply.content.type
    return result_of(f"LLM response: {text}")


async def needing(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs a client that can be asked for a language model."""
    require(context, ClientCapabilities(sampling=SamplingCapability()))
    return result_of("The client can sample.")


async def elicitation(request: Messaged, context: ToolContext) -> ToolResult:
    """Asks the user for a name and an address."""
    return result_of(f"User response: {await _ask(context, request.message, PERSON)}")


async def defaults(request: Nothing, context: ToolContext) -> ToolResult:
    """Asks the user with a default for every kind of value."""
    reply = await _ask(context, "Please review what is filled in", DEFAULTS)
    return result_of(f"Elicitation completed: {reply}")


async def choices(request: Nothing, context: ToolContext) -> ToolResult:
    """Asks the user to choose, in every form of a choice."""
    reply = await _ask(context, "Please choose", CHOICES)
    return result_of(f"Elicitation completed: {reply}")


async def _ask(context: ToolContext, message: str, schema: dict[str, Any]) -> str:
    require(context, ClientCapabilities(elicitation=ElicitationCapability()))
    reply = await context.session.elicit_form(message, schema, context.request_id)
    content = json.dumps(reply.content, ensure_ascii=False)
    return f"action={reply.action}, content={content}"


FIXTURES = (
    Fixture("test_sampling", sampling, Prompted),
    Fixture("test_missing_capability", needing),
    Fixture("test_elicitation", elicitation, Messaged),
    Fixture("test_elicitation_sep1034_defaults", defaults),
    Fixture("test_elicitation_sep1330_enums", choices),
)
