"""Runs that wait for the calling model are tasks that require input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.clients.processes import command, web
from tests.support.clients.tasks import HANDSHAKE, MODERN, task_client
from tests.support.llms.drawn_replies import drawn_reply

LINEAR = "reasoning_linear"
IMMEDIATE = "io.modelcontextprotocol/model-immediate-response"


@pytest.fixture
def calling(env: dict[str, str]) -> dict[str, str]:
    """The environment of servers whose callers are the model."""
    return {**env, "REASONLOOM_LLM": "caller"}


async def sampled(*_: Any) -> Any:
    raise AssertionError("requests come within tasks")


def response(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a client's language model says to a question."""
    assert request["method"] == "sampling/createMessage"
    text = request["params"]["messages"][0]["content"]["text"]
    schema = json.loads(text.rpartition("\n")[2])
    said = json.dumps(drawn_reply(text, schema, 1))
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": said}}


async def test_the_clients_model_answers_a_task_of_the_extension(
    calling: dict[str, str], folder: Path
) -> None:
    with web(calling, folder) as site:
        async with task_client(site.url, MODERN, sampling_callback=sampled) as client:
            asking = await client.begin(LINEAR, content="Shall the mill be rebuilt?")
            questions = asking["structuredContent"]
            assert questions["status"] == "needs_answers"
            run_id = questions["run_id"]
            task = await client.get(run_id)
            assert task["status"] == "input_required"
            assert list(task["inputRequests"]) == [each["id"] for each in questions["questions"]]
            with pytest.raises(MCPError, match=r"inputResponses\.r1q1: must be"):
                await client.ask("tasks/update", run_id, inputResponses={"r1q1": {"action": "no"}})
            misfit = {**response(task["inputRequests"]["r1q1"])}
            misfit["content"] = {"type": "text", "text": "no object"}
            with pytest.raises(MCPError, match=r"inputResponses\.r1q1: .*other responses"):
                await client.ask("tasks/update", run_id, inputResponses={"r1q1": misfit})
            while task["status"] == "input_required":
                said = {key: response(each) for key, each in task["inputRequests"].items()}
                ignored = {"never": {"role": "nobody"}}
                await client.ask("tasks/update", run_id, inputResponses=said | ignored)
                task = await client.until(run_id, "input_required")
            assert task["status"] == "completed"
            assert task["result"]["structuredContent"]["content"]


async def test_a_client_without_a_model_is_told_which_tool_takes_the_replies(
    calling: dict[str, str], folder: Path
) -> None:
    with web(calling, folder) as site:
        async with task_client(site.url, MODERN) as client:
            asking = await client.begin(LINEAR, content="Shall the mill be rebuilt?")
            task = await client.get(asking["structuredContent"]["run_id"])
            assert (task["status"], task["inputRequests"]) == ("input_required", {})
            assert "reasoning_answer takes the replies" in task["statusMessage"]


async def test_a_task_of_the_handshake_brings_its_questions_at_once(
    calling: dict[str, str], folder: Path
) -> None:
    parts = command()
    server = StdioServerParameters(command=parts[0], args=parts[1:], env=calling)
    async with task_client(server, HANDSHAKE) as client:
        task = await client.begin(LINEAR, content="Shall the mill be rebuilt?")
        assert task["status"] == "input_required"
        next_, body = task["_meta"][IMMEDIATE].split("\n", 1)
        assert "then call reasoning_answer" in next_
        again = await client.ask("tasks/result", task["taskId"])
        assert json.loads(body)["questions"] == again["structuredContent"]["questions"]
        asking: Any = again["structuredContent"]
        while asking.get("status") == "needs_answers":
            given = [
                {"id": each["id"], "reply": drawn_reply("", each["reply_schema"], 1)}
                for each in asking["questions"]
            ]
            answer = {"run_id": asking["run_id"], "answers": given}
            asking = (await client.client.call_tool("reasoning_answer", answer)).structured_content
        assert (await client.get(task["taskId"]))["status"] == "completed"
        result = await client.result(task["taskId"])
        assert result["structuredContent"] == asking


@pytest.mark.parametrize("revision", [MODERN, HANDSHAKE])
async def test_a_waiting_task_that_is_cancelled_takes_no_replies(
    calling: dict[str, str], folder: Path, revision: str
) -> None:
    with web(calling, folder) as site:
        async with task_client(site.url, HANDSHAKE) as first:
            task_id = (await first.begin(LINEAR, content="Shall the mill be rebuilt?"))["taskId"]
        async with task_client(site.url, revision) as client:
            await client.ask("tasks/cancel", task_id)
            task = await client.get(task_id)
            assert task["status"] == "cancelled"
            assert task["statusMessage"] == "its client has cancelled it"
            answer = {"run_id": task_id, "answers": [{"id": "r1q1", "reply": {}}]}
            refused: Any = await client.client.call_tool("reasoning_answer", answer)
            assert refused.is_error
            assert "is abandoned: its client has cancelled it" in refused.content[0].text
