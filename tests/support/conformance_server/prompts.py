"""The suite's prompts: plain, with arguments, with a resource, with a picture, unfinished."""

from __future__ import annotations

from mcp.server.mcpserver.prompts.base import Prompt, UserMessage
from mcp_types import EmbeddedResource, InputRequiredResult, TextResourceContents

from tests.support.conformance_server.contents import PICTURE
from tests.support.conformance_server.fixture import ToolContext
from tests.support.conformance_server.rounds import elicit, needs, user_reply

Messages = list[UserMessage]


async def simple() -> Messages:
    """Says one sentence."""
    return [UserMessage("This is a simple prompt for testing.")]


async def with_arguments(arg1: str, arg2: str) -> Messages:
    """Says its two arguments."""
    return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]


async def with_resource(resourceUri: str) -> Messages:  # noqa: N803 - the suite's name
    """Holds a resource under the URI it is given."""
    text = "Embedded resource content for testing."
    held = TextResourceContents(uri=resourceUri, mime_type="text/plain", text=text)
    return [
        UserMessage(EmbeddedResource(resource=held)),
        UserMessage("Please process the embedded resource above."),
    ]


async def with_picture() -> Messages:
    """Holds a picture."""
    return [UserMessage(PICTURE), UserMessage("Please analyze the image above.")]


async def unfinished(context: ToolContext) -> Messages | InputRequiredResult:
    """Needs to know from the user what it is about."""
    about = user_reply(context, "user_context", "context")
    if about is None:
        question = elicit("What context should the prompt use?", "context")
        return needs({"user_context": question})
    return [UserMessage(f"Use this context: {about}")]


PROMPTS = (
    Prompt.from_function(simple, "test_simple_prompt"),
    Prompt.from_function(with_arguments, "test_prompt_with_arguments"),
    Prompt.from_function(with_resource, "test_prompt_with_embedded_resource"),
    Prompt.from_function(with_picture, "test_prompt_with_image"),
    Prompt.from_function(unfinished, "test_input_required_result_prompt"),
)
