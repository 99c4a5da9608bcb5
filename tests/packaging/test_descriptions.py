"""What describes us to others says the same everywhere, and names what is there."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from reasonloom.errors import Conflict
from reasonloom.graphs import for_langgraph
from reasonloom.graphs.graph import load_graph
from reasonloom.server.catalogue import choose
from reasonloom.settings import Settings, load_settings, variables_of

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LANGGRAPH = json.loads((ROOT / "langgraph.json").read_text())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
VARIABLES = {name for field in Settings.model_fields for name in variables_of(field)}


def described(name: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((ROOT / name).read_text())
    return said


def test_the_version_is_one() -> None:
    server = described("server.json")
    manifest = described("packaging/mcpb/manifest.json")
    versions = [server["version"], manifest["version"]]
    versions += [package["version"] for package in server["packages"]]
    assert set(versions) == {PROJECT["version"]}


def test_the_registry_is_told_what_it_takes() -> None:
    server = described("server.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 1 <= len(server["description"]) <= 100
    assert f"mcp-name: {server['name']}" in (ROOT / "README.md").read_text()
    (package,) = server["packages"]
    assert package["identifier"] == PROJECT["name"]
    told = {each["name"]: each for each in package["environmentVariables"]}
    assert set(told) <= VARIABLES
    assert told["REASONLOOM_DATABASE_URL"]["isSecret"]
    toolsets = told["REASONLOOM_TOOLSETS"]["default"]
    assert choose(load_settings(toolsets=toolsets)).tools


def test_the_bundle_names_what_it_holds() -> None:
    manifest = described("packaging/mcpb/manifest.json")
    assert (ROOT / manifest["server"]["entry_point"]).is_file()
    assert manifest["compatibility"]["runtimes"]["python"] == PROJECT["requires-python"]
    configured = manifest["server"]["mcp_config"]
    assert configured["args"][-2] in PROJECT["scripts"]
    assert set(configured["env"]) <= VARIABLES
    asked = {f"${{user_config.{name}}}" for name in manifest["user_config"]}
    assert set(configured["env"].values()) == asked


@pytest.mark.parametrize("name", LANGGRAPH["graphs"])
def test_langgraph_opens_a_graph_and_may_not_run_it(name: str) -> None:
    place, _, builder = LANGGRAPH["graphs"][name].partition(":")
    assert ROOT / place == Path(for_langgraph.__file__)
    build = getattr(for_langgraph, builder)
    drawn = build(SimpleNamespace(execution_runtime=None)).get_graph()
    assert set(drawn.nodes) - {"__start__", "__end__"} == set(load_graph(name).build().nodes)
    with pytest.raises(Conflict, match=name):
        build(SimpleNamespace(execution_runtime=object()))


def test_the_image_is_built_in_one_stage_and_run_in_another_without_rights() -> None:
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    stages = [number for number, (word, _) in enumerate(steps) if word == "FROM"]
    assert len(stages) == 2
    last = dict(steps[stages[1] :])
    assert last["USER"] not in ("0", "root")
    assert json.loads(last["ENTRYPOINT"])[0] in PROJECT["scripts"]
    assert last["VOLUME"] in last["RUN"]
    sent = (ROOT / ".dockerignore").read_text()
    for word, rest in steps[: stages[1]]:
        for name in rest.split()[:-1] if word == "COPY" else ():
            assert (ROOT / name).exists()
            assert f"!{name}" in sent


def test_the_composed_services_name_what_is_there() -> None:
    services, ignored = COMPOSE["services"], (ROOT / ".gitignore").read_text()
    for service in services.values():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (ROOT / source).exists()
        assert (ROOT / f"{service['env_file']}.example").is_file()
    assert "packaging/*.env" in ignored
    assert services["reasonloom"]["depends_on"]["database"]["condition"] == "service_healthy"
    assert services["database"]["healthcheck"]["test"]
    login = (ROOT / "packaging" / "server.env.example").read_text()
    roles = (ROOT / "packaging" / "postgres" / "10-roles.sh").read_text()
    assert "//reasonloom_login:" in login
    assert "CREATE ROLE reasonloom_login LOGIN NOSUPERUSER" in roles
