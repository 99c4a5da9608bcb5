"""The answer of a run is read by its id, as JSON: whole, or plainly refused."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mcp import Client, StdioServerParameters

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.tool import IDEMPOTENCY_KEY
from reasonloom.settings import load_settings
from tests.server.http.test_closed_streams import leave
from tests.support.clients.processes import PATIENCE, command, environment, spoken, web
from tests.support.clients.sdk import Held, held
from tests.support.databases.postgres import TestPostgres

FACT = "The last train home leaves at 22:40, from the western platform."
ASKED = {"content": "When does the last train home leave?"}
RUN = "SELECT id::text FROM reasonloom.runs WHERE tool = 'reasoning_linear' AND input = %s::jsonb"
LOCK = "LOCK TABLE reasonloom.memories IN ACCESS EXCLUSIVE MODE"


@pytest.fixture
def url(postgres: TestPostgres) -> Iterator[str]:
    with postgres.clone() as name:
        yield postgres.address.dsn("postgres", name)


@pytest.fixture
def env(url: str, tmp_path: Path) -> dict[str, str]:
    """The environment of servers whose runs are taken up soon after their carrier is gone."""
    return environment(
        tmp_path / "home", DATABASE_URL=url, REASONLOOM_LEASE_SECONDS="1",
        REASONLOOM_TOOLSETS="classic",
    )  # fmt: skip


def call_of(tool: str, arguments: Mapping[str, Any], key: str) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments, "_meta": {IDEMPOTENCY_KEY: key}}
    return {"jsonrpc": "2.0", "id": "broken", "method": "tools/call", "params": params}


def remembered(call: Callable[[str, dict[str, Any]], Any]) -> None:
    """Store the fact that the question is about."""
    where = {"userId": "local", "sessionId": "s", "primarySector": "semantic"}
    call("remember", {"content": FACT, **where})


def begun(url: str) -> str:
    """Return the id of the run that the question began, as soon as there is one."""
    until = time.monotonic() + PATIENCE
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() < until:
            if row := connection.execute(RUN, (json.dumps(ASKED),)).fetchone():
                return str(row[0])
            time.sleep(0.05)
    raise AssertionError("the call began no run")


@contextmanager
def reading_over_stdio(
    env: dict[str, str], url: str, folder: Path, key: str
) -> Iterator[tuple[Held, str]]:
    """Yield another client, and the run of a call whose server was killed meanwhile."""
    with psycopg.connect(url) as holder, spoken(env, folder) as server:
        remembered(server.call)
        holder.execute(LOCK)
        server.send(call_of("reasoning_linear", ASKED, key))
        run = begun(url)
        server.child.kill()
        server.ended()
    program, *arguments = command()
    parameters = StdioServerParameters(command=program, args=arguments, env=env, cwd=folder)
    with held(parameters, "auto") as client:
        yield client, run


@contextmanager
def reading_over_http(
    env: dict[str, str], url: str, folder: Path, key: str
) -> Iterator[tuple[Held, str]]:
    """Yield another client, and the run of a call whose stream was closed meanwhile."""
    with web(env, folder) as site, held(site.url, "legacy") as client:
        remembered(client.call)
        opened = {"content-type": "application/json"}
        message = {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}
        site.exchange(json.dumps(message).encode())
        headers = {**opened, **(site._session or {})}
        with psycopg.connect(url) as holder:
            holder.execute(LOCK)
            leave(site, headers, json.dumps(call_of("reasoning_linear", ASKED, key)).encode())
            run = begun(url)
            assert client.data(f"reasonloom://run/{run}") == {
                "run_id": run, "tool": "reasoning_linear", "status": "running",
            }  # fmt: skip
        yield client, run


@pytest.mark.parametrize("reading", [reading_over_stdio, reading_over_http])
def test_after_a_broken_stream_the_answer_is_read_by_the_runs_id(
    reading: Callable[..., Any], env: dict[str, str], url: str, folder: Path
) -> None:
    key = uuid.uuid4().hex
    with reading(env, url, folder, key) as (client, run):
        uri = f"reasonloom://run/{run}"
        client.tools()  # a server opens its database, and takes up runs, after that
        until = time.monotonic() + PATIENCE
        while (told := client.data(uri))["status"] != "done":
            assert time.monotonic() < until, told
            time.sleep(0.1)
        assert told["answer"]["content"].startswith(f"“{FACT}” (mem-")
        again = client.call("reasoning_linear", ASKED, meta={IDEMPOTENCY_KEY: key})
        assert told["answer"] == again.structured_content
        assert again.structured_content["run_id"] == run


@asynccontextmanager
async def serving(url: str, **more: Any) -> AsyncIterator[Client]:
    settings = load_settings(
        **{"database_url": url, "llm": "offline", "toolsets": "all,extras", **more}
    )
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield client


async def read(client: Client, run: str) -> tuple[str, str]:
    """Return the page of a run, and its JSON."""
    contents = (await client.read_resource(f"reasonloom://run/{run}")).contents
    assert [each.mime_type for each in contents] == ["text/markdown", "application/json"]
    page, data = (str(each.text) for each in contents)  # type: ignore[union-attr]
    return page, data


async def test_each_form_is_kept(url: str) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("remember", {"content": FACT, "userId": "local", "sessionId": "s",
                      "primarySector": "semantic"}),
        ("recall", {"userId": "local", "text": "train home", "limit": 3}),
        ("think", {"problem": "Which train home?", "mode": "analytical"}),
    ]  # fmt: skip
    async with serving(url, answers="full") as client:
        said = [(await client.call_tool(*call)).structured_content for call in calls]
    async with serving(url) as client:  # runs that only read are recorded by now
        for (tool, _), structured in zip(calls, said, strict=True):
            assert structured
            run = structured["metadata"]["runId"]
            told = json.loads((await read(client, run))[1])
            answer = told.pop("answer")
            assert told == {"run_id": run, "tool": tool, "status": "done"}
            for each in (answer, structured):
                del each["metadata"]["timestamp"], each["metadata"]["processingTime"]
            assert answer == structured


async def test_a_run_without_an_answer_tells_its_error(url: str) -> None:
    async with serving(url) as client:
        lost = {"content": "Go on.", "session_id": str(uuid.uuid4())}
        failed = await client.call_tool("reasoning_linear", lost)
        assert failed.is_error
        listed = (await client.list_resources()).resources
        run = next(str(each.uri) for each in listed if "://run/" in str(each.uri))
        told = json.loads((await read(client, run.rpartition("/")[2]))[1])
    assert (told["status"], told["error"]["type"]) == ("failed", "SessionNotFound")
    assert "answer" not in told


async def test_what_is_too_long_is_refused_and_never_cut(url: str) -> None:
    problem = "; ".join(f"raise wall {number} of house {number}" for number in range(200))
    async with serving(url, answer_characters=10_000) as client:
        refused = await client.call_tool("breakdown", {"problem": problem})
        assert refused.structured_content
        run = refused.structured_content["error"].split("run ", 1)[1].split(" ")[0]
        page, data = await read(client, run)
    assert "Cut" in page
    told = json.loads(data)
    assert set(told) == {"error"}
    assert told["error"]["type"] == "AnswerTooLarge"
    assert "at most 10,000 (REASONLOOM_ANSWER_CHARACTERS)" in told["error"]["message"]
    async with serving(url) as client:
        whole = json.loads((await read(client, run))[1])
    assert whole["answer"]["data"]
    assert len(json.dumps(whole)) > 10_000
