"""Fixtures that answer at once: every kind of content, an error, schemas that are kept whole."""

from __future__ import annotations

from typing import Annotated, Any

from mcp_types import AudioContent, EmbeddedResource, ImageContent, TextResourceContents
from pydantic import Field

from reasonloom.contracts.base import Request
from reasonloom.errors import CallerMistake
from tests.support.conformance_server.fixture import (
    Fixture,
    Nothing,
    ToolContext,
    ToolResult,
    result_of,
)

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)
"""A red picture of one pixel, as PNG in base64."""

CLICK = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="
"""Two silent samples, as WAV in base64."""

PICTURE = ImageContent(data=PIXEL, mime_type="image/png")


async def simple_text(request: Nothing, context: ToolContext) -> ToolResult:
    """Answers a text."""
    return result_of("This is a simple text response for testing.")


async def image(request: Nothing, context: ToolContext) -> ToolResult:
    """Answers a picture."""
    return result_of(PICTURE)


async def audio(request: Nothing, context: ToolContext) -> ToolResult:
    """Answers a sound."""
    return result_of(AudioContent(data=CLICK, mime_type="audio/wav"))


async def embedded(request: Nothing, context: ToolContext) -> ToolResult:
    """Answers a resource within its content."""
    return result_of(_resource("test://embedded-resource", "text/plain", "This is embedded."))


async def mixed(request: Nothing, context: ToolContext) -> ToolResult:
    """Answers a text, a picture and a resource."""
    data = '{"test":"data","value":123}'
    resource = _resource("test://mixed-content-resource", "application/json", data)
    return result_of("Multiple content types test:", PICTURE, resource)


async def failing(request: Nothing, context: ToolContext) -> ToolResult:
    """Fails with an error of ours."""
    raise CallerMistake("This tool intentionally returns an error for testing")


def _resource(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


class Contact(Request):
    """Who is to be reached, and how; the published schema says more."""

    name: str | None = None
    address: dict[str, Any] | None = None
    contactMethod: str | None = None  # noqa: N815 - the suite's name
    phone: str | None = None
    email: str | None = None


CONTACT_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""Words of JSON Schema 2020-12 that must reach the client as they are."""


async def contact(request: Contact, context: ToolContext) -> ToolResult:
    """Has a schema with definitions, compositions and conditions."""
    return result_of(f"Reached by {'phone' if request.phone else 'email'}.")


class Routed(Request):
    """An argument that also travels as a header."""

    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]


async def routed(request: Routed, context: ToolContext) -> ToolResult:
    """Takes an argument whose header must agree with it."""
    return result_of(f"Region: {request.region}")


FIXTURES = (
    Fixture("test_simple_text", simple_text),
    Fixture("test_image_content", image),
    Fixture("test_audio_content", audio),
    Fixture("test_embedded_resource", embedded),
    Fixture("test_multiple_content_types", mixed),
    Fixture("test_error_handling", failing),
    Fixture("json_schema_2020_12_tool", contact, Contact, CONTACT_SCHEMA),
    Fixture("test_header_argument", routed, Routed),
)
