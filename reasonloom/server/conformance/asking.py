"""Fixtures that ask their client in the middle of a call, as 2025-11-25 does it."""

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
from reasonloom.server.conformance.fixture import Answered, Asked, Fixture, Nothing, said

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


def require(context: Asked, needed: ClientCapabilities) -> None:
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


async def sampling(request: Prompted, context: Asked) -> Answered:
    """Asks the client's language model."""
    require(context, ClientCapabilities(sampling=SamplingCapability()))
    asked = SamplingMessage(role="user", content=TextContent(text=request.prompt))
    reply = await context.session.create_message(
        [asked], max_tokens=100, related_request_id=context.request_id
    )
    text = reply.content.text if isinstance(reply.content, TextContent) else reply.content.type
    return said(f"LLM response: {text}")


async def needing(request: Nothing, context: Asked) -> Answered:
    """Needs a client that can be asked for a language model."""
    require(context, ClientCapabilities(sampling=SamplingCapability()))
    return said("The client can sample.")


async def elicitation(request: Messaged, context: Asked) -> Answered:
    """Asks the user for a name and an address."""
    return said(f"User response: {await _ask(context, request.message, PERSON)}")


async def defaults(request: Nothing, context: Asked) -> Answered:
    """Asks the user with a default for every kind of value."""
    reply = await _ask(context, "Please review what is filled in", DEFAULTS)
    return said(f"Elicitation completed: {reply}")


async def choices(request: Nothing, context: Asked) -> Answered:
    """Asks the user to choose, in every form of a choice."""
    reply = await _ask(context, "Please choose", CHOICES)
    return said(f"Elicitation completed: {reply}")


async def _ask(context: Asked, message: str, schema: dict[str, Any]) -> str:
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
