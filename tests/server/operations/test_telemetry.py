"""Spans and metrics reach a collector that is named, without contents; else nothing is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.support.clients.otel_collector import Collector, attributes, collecting
from tests.support.clients.processes import Spoken, environment, spoken, web
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import MODEL, TOKENS_IN, TOKENS_OUT, providing

TAINT = "malachite"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
MEMORY = {
    "content": f"The {TAINT} is in the tin.",
    "userId": "local",
    "sessionId": "s",
    "primarySector": "semantic",
}
USED = """
import asyncio, sys
{before}
from mcp import Client
from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.telemetry.start import start_telemetry
from reasonloom.settings import load_settings

async def main(settings):
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        assert not (await client.call_tool("remember", {memory!r})).is_error

settings = load_settings()
set_up_log(settings)
start_telemetry(settings)
asyncio.run(main(settings))
beyond = ("opentelemetry.exporter", "opentelemetry.instrumentation", "opentelemetry.proto",
          "reasonloom.server.telemetry.span_filter")
print([name for name in sys.modules if name.startswith(beyond)])
"""


@dataclass
class Exported:
    """What a server sent to a collector, and what it answered before."""

    collector: Collector
    run: str
    log: str


def calls_of(server: Spoken) -> str:
    """Make calls that succeed, fail and are refused; return the run's id of the first."""
    first = server.call("remember", MEMORY, {"traceparent": PARENT})
    server.call("recall", {"userId": "local", "text": TAINT})
    assert server.call("forget", {"userId": "local", "memoryId": f"{TAINT}-1"})["isError"]
    assert server.call("remember", {**MEMORY, TAINT: TAINT})["isError"]
    thought = server.call("reasoning_linear", {"content": f"Where is the {TAINT}?"})
    assert not thought["isError"], thought
    for method, name in (("tools/call", TAINT), ("prompts/get", TAINT), (TAINT, TAINT)):
        assert "error" in server.request(method, {"name": name, "arguments": {}})
    return str(first["structuredContent"]["metadata"]["runId"])


@pytest.fixture(scope="module")
def told(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exported]:
    """A server over stdio that has ended, with all that it sent."""
    home = tmp_path_factory.mktemp("told")
    answer = {"thought": f"In the {TAINT} tin.", "confidence": 0.9}
    with postgres.clone() as name, collecting() as collector, providing(answer) as provider:
        env = environment(
            home,
            REASONLOOM_TOOLSETS="classic",
            DATABASE_URL=postgres.address.dsn("postgres", name),
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            **provider.settings | {"OPENAI_API_KEY": "sk-secret-of-the-provider"},
        )
        with spoken(env, home / "cwd") as server:
            run = calls_of(server)
            server.close_stdin()
            server.ended(20)
        yield Exported(collector, run, server.log)


def one(spans: list[Any]) -> Any:
    (span,) = spans
    return span


def test_a_call_is_a_span_with_its_tool_its_run_and_its_status(told: Exported) -> None:
    outer = told.collector.named("tools/call remember")[0]
    inner = one(told.collector.named("run remember"))
    assert outer.kind == Span.SPAN_KIND_SERVER
    assert outer.trace_id.hex() == TRACE  # the caller's trace goes on
    assert inner.parent_span_id == outer.span_id
    assert attributes(outer)["reasonloom.run.id"] == told.run
    assert attributes(inner) == {
        "gen_ai.tool.name": "remember",
        "reasonloom.run.id": told.run,
        "reasonloom.run.resumed": False,
        "reasonloom.run.status": "done",
    }
    assert outer.status.code == Status.STATUS_CODE_UNSET


def test_a_call_that_fails_says_so_by_a_kind_alone(told: Exported) -> None:
    outer, inner = (one(told.collector.named(f"{name} forget")) for name in ("tools/call", "run"))
    assert outer.status.code == inner.status.code == Status.STATUS_CODE_ERROR
    assert outer.status.message == inner.status.message == ""
    assert attributes(inner)["reasonloom.run.status"] == "failed"
    assert attributes(inner)["error.type"] == "MemoryNotFound"
    refused = told.collector.named("tools/call remember")[1]
    assert attributes(refused)["error.type"] == "tool_error"


def test_statements_are_spans_within_the_run_without_values(told: Exported) -> None:
    inner = one(told.collector.named("run remember"))
    within = [each for each in told.collector.spans if each.parent_span_id == inner.span_id]
    statements = [str(attributes(each).get("db.statement", "")) for each in within]
    assert any("INSERT INTO memories" in each for each in statements), statements
    assert any("%(" in each for each in statements)


def test_a_language_models_call_names_model_tokens_and_cost(told: Exported) -> None:
    run = one(told.collector.named("run reasoning_linear"))
    asked = told.collector.named("chat litellm")[0]
    assert asked.trace_id == run.trace_id
    assert asked.kind == Span.SPAN_KIND_CLIENT
    said = attributes(asked)
    assert said.pop("reasonloom.llm.cost_usd") > 0
    assert said == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "litellm",
        "gen_ai.request.model": f"openai/{MODEL}",
        "gen_ai.response.model": MODEL,
        "gen_ai.usage.input_tokens": TOKENS_IN,
        "gen_ai.usage.output_tokens": TOKENS_OUT,
    }


def test_metrics_count_calls_durations_tokens_and_cost(told: Exported) -> None:
    calls = {
        (of["gen_ai.tool.name"], of["reasonloom.status"]): value
        for of, value in told.collector.points("reasonloom.tool.calls")
    }
    assert calls == {
        ("remember", "ok"): 1,
        ("remember", "error"): 1,
        ("recall", "ok"): 1,
        ("forget", "error"): 1,
        ("reasoning_linear", "ok"): 1,
        ("unknown", "refused"): 1,
    }
    timed = told.collector.points("mcp.server.operation.duration")
    assert sum(count for _, count in timed) == sum(calls.values())
    tokens = told.collector.points("gen_ai.client.token.usage")
    assert {of["gen_ai.token.type"] for of, _ in tokens} == {"input", "output"}
    ((of, usd),) = told.collector.points("reasonloom.llm.cost")
    assert usd > 0
    assert of["gen_ai.request.model"] == f"openai/{MODEL}"
    assert told.collector.points("gen_ai.client.operation.duration")


def test_nothing_that_was_said_or_is_secret_leaves(told: Exported) -> None:
    sent = b"".join(told.collector.raw)
    assert len(told.collector.spans) > 20
    assert TAINT.encode() not in sent
    assert b"secret" not in sent
    assert one([each for each in told.collector.spans if each.name == "prompts/get"])
    assert all(each["service.name"] == "reasonloom" for each in told.collector.resources)
    assert TAINT not in told.log


def test_a_server_over_http_tells_the_same(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    with collecting() as collector:
        env = environment(
            tmp_path / "home",
            REASONLOOM_TOOLSETS="classic",
            DATABASE_URL=postgres.address.dsn("postgres", database),
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            OTEL_SERVICE_NAME="ours",
        )
        params = {"name": "remember", "arguments": MEMORY}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        with web(env, tmp_path / "cwd") as server:
            assert "result" in server.exchange(json.dumps(request).encode())
        assert one(collector.named("run remember"))
        assert {each["service.name"] for each in collector.resources} == {"ours"}
        assert TAINT.encode() not in b"".join(collector.raw)


def used(
    postgres: TestPostgres, database: str, tmp_path: Path, before: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Make a call in a process of its own, which prints what it has loaded."""
    url = postgres.address.dsn("postgres", database)
    return subprocess.run(
        [sys.executable, "-c", USED.format(before=before, memory=MEMORY)],
        env=environment(tmp_path / "home", REASONLOOM_TOOLSETS="classic", DATABASE_URL=url, **more),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_where_none_is_named_nothing_is_loaded(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    assert used(postgres, database, tmp_path).stdout == "[]\n"


def test_without_the_extra_a_server_says_so_and_serves(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    missing = "sys.modules['opentelemetry.exporter.otlp.proto.http'] = None"
    named = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    done = used(postgres, database, tmp_path, missing, **named)
    assert "with its extra otel" in done.stderr


def test_a_collector_that_is_away_holds_nobody_up(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    env = environment(
        tmp_path / "home",
        REASONLOOM_TOOLSETS="classic",
        DATABASE_URL=postgres.address.dsn("postgres", database),
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1",
    )
    with spoken(env, tmp_path / "cwd") as server:
        assert not server.call("remember", MEMORY)["isError"]
        server.child.terminate()
        assert server.ended(9) == 0
        assert TAINT not in server.log
