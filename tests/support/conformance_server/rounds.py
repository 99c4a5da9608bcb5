"""Fixtures that ask their client by an unfinished answer, as 2026-07-28 does it.

A call that lacks something answers what it needs; the client calls again with it. The state that
travels in between is sealed by the server, so a fixture sees only what it has written itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)

from tests.support.conformance_server.fixture import (
    Fixture,
    Nothing,
    ToolContext,
    ToolResult,
    result_of,
)

Question = ElicitRequest | CreateMessageRequest | ListRootsRequest


def elicit(message: str, field: str, kind: str = "string") -> ElicitRequest:
    """Return a question for one value of the user's."""
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(text: str, most: int) -> CreateMessageRequest:
    """Return a question for the client's language model, of so many tokens at most."""
    message = SamplingMessage(role="user", content=TextContent(text=text))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=most)
    )


def needs(questions: Mapping[str, Question], state: str | None = None) -> InputRequiredResult:
    """Return the unfinished answer that asks these questions."""
    return InputRequiredResult(input_requests=dict(questions), request_state=state)


def user_reply(context: ToolContext, key: str, field: str) -> str | None:
    """Return what the user has said, None where that is still missing."""
    reply = (context.input_responses or {}).get(key)
    if not isinstance(reply, ElicitResult) or reply.action != "accept":
        return None
    value = (reply.content or {}).get(field)
    return None if value is None else str(value)


def sampled(context: ToolContext, key: str) -> str | None:
    """Return what the client's language model has said, None where that is still missing."""
    reply = (context.input_responses or {}).get(key)
    if isinstance(reply, CreateMessageResult) and isinstance(reply.content, TextContent):
        return reply.content.text
    return None


def rooted(context: ToolContext, key: str) -> str | None:
    """Return the client's roots, None where they are still missing."""
    reply = (context.input_responses or {}).get(key)
    if isinstance(reply, ListRootsResult):
        return ", ".join(str(root.uri) for root in reply.roots)
    return None


ASK_NAME = elicit("What is your name?", "name")
ASK_ROOTS = ListRootsRequest()
CONFIRM = elicit("Please confirm", "ok", "boolean")


async def by_user(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs the user's name."""
    name = user_reply(context, "user_name", "name")
    return result_of(f"Hello, {name}!") if name else needs({"user_name": ASK_NAME})


async def streaming(request: Nothing, context: ToolContext) -> ToolResult:
    """Reports progress, then needs the user's name."""
    await context.report_progress(1, 2, "About to ask")
    return await by_user(request, context)


async def by_model(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs the client's language model."""
    text = sampled(context, "capital_question")
    question = sample("What is the capital of France?", 100)
    return result_of(text) if text else needs({"capital_question": question})


async def by_roots(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs the client's roots."""
    roots = rooted(context, "client_roots")
    return needs({"client_roots": ASK_ROOTS}) if roots is None else result_of(f"Roots: {roots}")


async def with_state(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs a confirmation, and the state that it sent with the question."""
    confirmed = user_reply(context, "confirm", "ok") and context.request_state == "to confirm"
    return result_of("state-ok") if confirmed else needs({"confirm": CONFIRM}, "to confirm")


async def of_many(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs the user, the language model and the roots at once."""
    name = user_reply(context, "user_name", "name")
    greeting, roots = sampled(context, "greeting"), rooted(context, "client_roots")
    if name and greeting and roots is not None and context.request_state == "three asked":
        return result_of(f"{greeting} {name}, from {roots}")
    greet = sample("Generate a greeting", 50)
    questions: dict[str, Question] = {
        "user_name": ASK_NAME,
        "greeting": greet,
        "client_roots": ASK_ROOTS,
    }
    return needs(questions, "three asked")


async def in_steps(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs a name, and after it a colour; the state keeps the name."""
    state = context.request_state or ""
    color = user_reply(context, "step2", "color")
    if state.startswith("named ") and color:
        return result_of(f"{state.removeprefix('named ')} likes {color}.")
    name = user_reply(context, "step1", "name")
    if state == "unnamed" and name:
        question = elicit("Step 2: What is your favorite color?", "color")
        return needs({"step2": question}, f"named {name}")
    return needs({"step1": elicit("Step 1: What is your name?", "name")}, "unnamed")


async def within_capabilities(request: Nothing, context: ToolContext) -> ToolResult:
    """Needs of its client only what that has declared it can do."""
    able = context.client_capabilities
    offers: dict[str, tuple[object, Question]] = {
        "greeting": (able and able.sampling, sample("Generate a greeting", 50)),
        "user_name": (able and able.elicitation, ASK_NAME),
        "client_roots": (able and able.roots, ASK_ROOTS),
    }
    replies = context.input_responses or {}
    missing: dict[str, Question] = {
        key: question
        for key, (declared, question) in offers.items()
        if declared is not None and key not in replies
    }
    return needs(missing) if missing else result_of("All answered.")


FIXTURES = (
    Fixture("test_input_required_result_elicitation", by_user),
    Fixture("test_streaming_elicitation", streaming),
    Fixture("test_input_required_result_sampling", by_model),
    Fixture("test_input_required_result_list_roots", by_roots),
    Fixture("test_input_required_result_request_state", with_state),
    Fixture("test_input_required_result_tampered_state", with_state),
    Fixture("test_input_required_result_multiple_inputs", of_many),
    Fixture("test_input_required_result_multi_round", in_steps),
    Fixture("test_input_required_result_capabilities", within_capabilities),
)
