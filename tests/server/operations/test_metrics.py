"""`/metrics` has what a server did, for those who may see it; the access log has its requests."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from reasonloom.server.auth.token_file import append_entry, new_entry
from tests import ROOT
from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import Web, environment, spoken, web
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import TOKENS_OUT, providing

TAINT = "malachite"
LONG = f"Where is the {TAINT}? " + "It was in the tin. " * 500
"""Long enough for the process for heavy calls."""

SCOPES = {"anna": ("read",), "ben of b": ("read", "write"), "prometheus": ("metrics",)}


@dataclass
class Team:
    """A server with tokens and a language model, after some calls, with its metrics."""

    server: Web
    tokens: dict[str, str]
    samples: list[Any] = field(default_factory=list)

    def page(self, owner: str | None, **headers: str) -> httpx.Response:
        """Fetch the metrics with an owner's token."""
        given = {"authorization": f"Bearer {self.tokens[owner]}"} if owner else {}
        url = self.server.url.replace("/mcp", "/metrics")
        return httpx.get(url, headers={**given, **headers}, trust_env=False)

    def value(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's samples with these labels."""
        found = [each for each in self.samples if each.name == name]
        assert found, name
        return sum(float(each.value) for each in found if labels.items() <= each.labels.items())

    def requests(self) -> list[dict[str, Any]]:
        """Return the lines of the access log so far."""
        lines = [json.loads(line) for line in self.server.log.splitlines() if line[0] == "{"]
        return [each for each in lines if each["logger"] == "reasonloom.access"]


@pytest.fixture(scope="module")
def team(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    home = tmp_path_factory.mktemp("metrics")
    answer = {"thought": f"In the {TAINT} tin.", "confidence": 0.9}
    tokens = {}
    for owner, scopes in SCOPES.items():
        tokens[owner], entry = new_entry(owner, scopes, None)
        append_entry(home / "tokens", entry)
    with postgres.clone() as name, providing(answer) as provider:
        env = environment(
            home,
            DATABASE_URL=postgres.address.dsn("postgres", name),
            REASONLOOM_TOKENS=str(home / "tokens"),
            REASONLOOM_TOOLSETS="default,classic",
            **provider.settings | {"OPENAI_API_KEY": "sk-secret-of-the-provider"},
        )
        with web(env, home / "cwd", "--access-log", "json") as server:
            team = Team(server, tokens)
            anna = Asker(server.url, tokens["anna"])
            ben = Asker(server.url, tokens["ben of b"], **{"x-request-id": "from-the-proxy"})
            anna.call("recall", text=TAINT)
            assert anna.send("tools/call", name=TAINT, arguments={}).status_code == 400
            assert anna.send("tools/call", name="remember", arguments={}).status_code == 403
            assert not ben.call("reasoning_linear", content=LONG)["isError"]
            text = team.page("prometheus").text
            families = text_string_to_metric_families(text)
            team.samples = [sample for each in families for sample in each.samples]
            yield team


def test_calls_are_counted_by_tool_and_outcome_with_their_durations(team: Team) -> None:
    for tool, status in (("recall", "ok"), ("unknown", "refused"), ("reasoning_linear", "ok")):
        labels = {"gen_ai_tool_name": tool, "reasonloom_status": status}
        assert team.value("reasonloom_tool_calls_total", **labels) == 1
        assert team.value("mcp_server_operation_duration_seconds_count", **labels) == 1
    assert team.value("reasonloom_runs_total", reasonloom_run_status="done") >= 2


def test_what_the_process_for_heavy_calls_did_is_counted_too(team: Team) -> None:
    """The model was called there: the long content takes the call out of the server."""
    provider = {"gen_ai_provider_name": "litellm"}
    assert team.value("gen_ai_client_operation_duration_seconds_count", **provider) >= 1
    tokens = {**provider, "gen_ai_token_type": "output"}
    assert team.value("gen_ai_client_token_usage_sum", **tokens) >= TOKENS_OUT
    assert team.value("reasonloom_llm_cost_USD_total", **provider) > 0
    assert team.value("reasonloom_heavy_calls", reasonloom_state="active") == 0
    assert team.value("db_client_connection_max") == 5 + 3
    assert team.value("reasonloom_embedder_duration_seconds_count") >= 1


def test_only_the_scope_metrics_opens_the_page(team: Team) -> None:
    refused = team.page("ben of b")
    assert (refused.status_code, refused.json()["scope"]) == (403, "metrics")
    assert team.page(None).status_code == 401
    assert Asker(team.server.url, team.tokens["prometheus"]).tools() == set()
    assert (
        "openmetrics"
        in team.page("prometheus", accept="application/openmetrics-text").headers["content-type"]
    )


def test_the_access_log_has_a_line_for_each_request_and_no_contents(team: Team) -> None:
    lines = [each for each in team.requests() if each["method"] == "tools/call"]
    assert [(each["owner"], each["tool"], each["status"]) for each in lines] == [
        ("anna", "recall", 200),
        ("anna", "other", 400),
        ("anna", "remember", 403),
        ("ben of b", "reasoning_linear", 200),
    ]
    assert [each.get("outcome") for each in lines] == ["ok", "refused", None, "ok"]
    assert lines[-1]["request"] == "from-the-proxy"
    assert {each["client"] for each in lines} == {"127.0.0.1"}
    assert all(each["ms"] > 0 for each in lines)
    assert TAINT not in team.server.log
    assert not any(token in team.server.log for token in team.tokens.values())


def test_a_server_says_where_it_serves_and_what_it_served(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    env = environment(tmp_path / "home", DATABASE_URL=url)
    with web(env, tmp_path / "cwd", "--access-log", "off") as server:
        Asker(server.url, None).call("recall", text="tea")
        page = server.url.replace("/mcp", "/metrics")
        elsewhere = httpx.get(page, headers={"host": "evil.example"}, trust_env=False)
        assert elsewhere.status_code == 421
        assert "reasonloom_tool_calls_total" in httpx.get(page, trust_env=False).text
        begun = server.log
        assert f"serving url={server.url} auth=none database=postgresql://" in begun
        assert f"/{database} llm=offline metrics=/metrics" in begun
    assert "stopped seconds=" in server.log and "calls=1" in server.log
    assert "reasonloom.access" not in server.log
    with spoken(env, tmp_path / "cwd") as quiet:
        quiet.call("recall", {"text": "tea"})
    assert quiet.log == ""


def test_without_the_extra_the_page_names_it(
    postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    (tmp_path / "cwd" / "prometheus_client").mkdir(parents=True)
    (tmp_path / "cwd" / "prometheus_client" / "__init__.py").write_text("raise ImportError")
    env = environment(tmp_path / "home", DATABASE_URL=postgres.address.dsn("postgres", database))
    env["PYTHONPATH"] = f"{tmp_path / 'cwd'}:{env['PYTHONPATH']}"
    with web(env, tmp_path / "cwd", "--cold") as server:
        answer = httpx.get(server.url.replace("/mcp", "/metrics"), trust_env=False)
    assert answer.status_code == 404
    assert "extra otel" in answer.text


RULES = ROOT / "packaging" / "monitoring" / "alerts.yaml"
DASHBOARD = ROOT / "packaging" / "monitoring" / "dashboard.json"
OF_PROMETHEUS = {"up"}
LABELS_OF_PROMETHEUS = {"job", "instance", "le"}


def alert_queries() -> list[str]:
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return [rule["expr"] for rule in group["rules"]]


def dashboard_queries() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    found = [target["expr"] for panel in panels for target in panel["targets"]]
    return [each.replace("$__rate_interval", "5m") for each in found]


def selectors(query: str) -> list[promql_parser.VectorSelector]:
    """Return the selections of metrics in a query."""
    found = []

    def visit(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.MatrixSelector):
            node = node.vector_selector
        if isinstance(node, promql_parser.VectorSelector):
            found.append(node)

    promql_parser.walk(promql_parser.parse(query), visit)
    return found


@pytest.mark.parametrize("queries", [alert_queries, dashboard_queries])
def test_alerts_and_dashboard_name_only_metrics_that_are_there(
    team: Team, queries: Callable[[], list[str]]
) -> None:
    metrics = {each.name for each in team.samples} | OF_PROMETHEUS
    labels = {label for each in team.samples for label in each.labels} | {"error_type"}
    for query in queries():
        assert selectors(query)
        for selector in selectors(query):
            assert selector.name in metrics, query
            used = {each.name for each in selector.matchers.matchers}
            assert used <= labels | LABELS_OF_PROMETHEUS, query


def test_prometheus_takes_the_alerts_and_they_fire() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool is installed: `make proxy`")
    scenes = Path(__file__).with_name("alerts.test.yaml")
    for command in ((promtool, "check", "rules", RULES), (promtool, "test", "rules", scenes)):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
