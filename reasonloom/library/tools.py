"""The tools for LangChain's agents."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from reasonloom.contracts.base import Answer
from reasonloom.contracts.example_calls import example_line, parse_leniently
from reasonloom.contracts.schema import publish
from reasonloom.errors import CallerMistake, ReasonloomError
from reasonloom.library.modes import text_of
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.library.tool_table import USER
from reasonloom.server.toolsets.toolset import ToolLine


def agent_tool(calls: ToolCalls, line: ToolLine) -> StructuredTool:
    """Return a tool whose message is the answer's text, and whose artifact is the answer.

    The model sees no user id: the tool acts for the loom's user. A deliberate error becomes the
    message, so that the model can correct its call.
    """
    fields = line.request.model_fields
    user_key = (fields[USER].alias or USER) if USER in fields else None
    requires_user = user_key is not None and fields[USER].is_required()
    schema = publish(line.request)
    properties = {name: each for name, each in schema["properties"].items() if name != user_key}
    required = [name for name in schema.get("required", ()) if name != user_key]
    schema = {**schema, "properties": properties, "required": required}

    async def run(**arguments: Any) -> tuple[str, Answer]:
        if user_key in arguments:
            raise ToolException(f"{user_key}: unknown field")
        calls.require_usable()  # no message to a model helps here
        if requires_user:
            arguments[str(user_key)] = calls.user
        try:
            request = parse_leniently(line.request, arguments)
            answer = calls.read(line, await calls.run(line, request))
        except ReasonloomError as error:
            if isinstance(error, CallerMistake) and error.example:
                error.example.pop(str(user_key), None)
            raise ToolException(error.message + example_line(error, line.name)) from error
        notes = answer.call.notes if answer.call else ()
        return "\n".join([text_of(answer), *(f"[Note: {note}]" for note in notes)]), answer

    def run_blocking(**arguments: Any) -> tuple[str, Answer]:
        return calls.wait_for(run(**arguments))

    return StructuredTool.from_function(
        run_blocking,
        run,
        line.name,
        " ".join((line.request.__doc__ or "").split()),
        args_schema={"title": line.name, **schema},
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
