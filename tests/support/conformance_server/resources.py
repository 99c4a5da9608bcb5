"""The suite's resources: two that stand still, one that is watched, and a template."""

from __future__ import annotations

import base64
import json
import re

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp_types import Resource, ResourceTemplate

from tests.support.conformance_server.contents import PIXEL

TEMPLATE = "test://template/{id}/data"
FILLED = re.compile(r"test://template/([^/]+)/data")

LISTED = (
    Resource(
        uri="test://static-text",
        name="static-text",
        description="A text that never changes.",
        mime_type="text/plain",
    ),
    Resource(
        uri="test://static-binary",
        name="static-binary",
        description="A picture that never changes.",
        mime_type="image/png",
    ),
    Resource(
        uri="test://watched-resource",
        name="watched-resource",
        description="A text that can be subscribed to.",
        mime_type="text/plain",
    ),
)
TEMPLATES = (
    ResourceTemplate(
        uri_template=TEMPLATE,
        name="template",
        description="An object that holds the id it was asked for.",
        mime_type="application/json",
    ),
)
CONTENTS: dict[str, str | bytes] = {
    "test://static-text": "This is the content of the static text resource.",
    "test://static-binary": base64.b64decode(PIXEL),
    "test://watched-resource": "Nobody writes here.",
}
MIME_TYPES = {resource.uri: resource.mime_type for resource in LISTED}


def find(uri: str) -> list[ReadResourceContents] | None:
    """Return what a fixture's URI holds, None where it is no fixture's."""
    if content := CONTENTS.get(uri):
        return [ReadResourceContents(content=content, mime_type=MIME_TYPES[uri])]
    if filled := FILLED.fullmatch(uri):
        data = {"id": filled[1], "templateTest": True, "data": f"Data for ID: {filled[1]}"}
        return [ReadResourceContents(content=json.dumps(data), mime_type="application/json")]
    return None
