"""What describes us to others says the same everywhere, and names what is there."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from mcp import Client, StdioServerParameters

from reasonloom.cli.install.entry import is_secret
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import Settings, load_settings, variables_of
from tests import ROOT
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LANGGRAPH = json.loads((ROOT / "langgraph.json").read_text())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
KEYS = {"LANGBASE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}
"""What providers are asked with, where the language model is no offline one."""

APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""SHA-256 of the Apache License 2.0 as apache.org gives it."""

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
    assert set(told) <= VARIABLES | KEYS
    assert {name for name, each in told.items() if each.get("isSecret")} == {
        name for name in told if is_secret(name, "")
    }
    assert set(told) >= KEYS
    toolsets = told["REASONLOOM_TOOLSETS"]["default"]
    assert choose(load_settings(toolsets=toolsets)).tools


def test_the_bundle_names_what_it_holds() -> None:
    manifest = described("packaging/mcpb/manifest.json")
    assert (ROOT / manifest["server"]["entry_point"]).is_file()
    assert manifest["compatibility"]["runtimes"]["python"] == PROJECT["requires-python"]
    assert set(manifest["compatibility"]["platforms"]) == {"darwin", "linux"}
    configured, asked = manifest["server"]["mcp_config"], manifest["user_config"]
    assert configured["args"][-2] in PROJECT["scripts"]
    assert set(configured["env"]) <= VARIABLES | KEYS
    assert set(configured["env"].values()) == {f"${{user_config.{name}}}" for name in asked}
    for name, value in configured["env"].items():
        option = asked[value.removeprefix("${user_config.").removesuffix("}")]
        assert option.get("sensitive", False) == is_secret(name, "")
        # Without a default a host may hand on the text of the reference itself.
        assert isinstance(option["default"], str)
        assert option["required"] is False


def test_the_bundle_and_the_registry_ask_for_the_same_keys() -> None:
    (package,) = described("server.json")["packages"]
    told = {each["name"]: each for each in package["environmentVariables"]}
    configured = described("packaging/mcpb/manifest.json")["server"]["mcp_config"]["env"]
    assert {name for name in told if name in KEYS} == set(configured) & KEYS == KEYS
    assert set(configured) <= set(told)
    for name, option in given_by_the_bundle().items():
        assert told[name].get("default", "") == option
    page = (ROOT / "docs" / "install.md").read_text()
    assert all(f"`{name}`" in page for name in KEYS)


def given_by_the_bundle() -> dict[str, str]:
    """Return the environment that a host makes of the manifest where nobody fills anything in."""
    manifest = described("packaging/mcpb/manifest.json")
    return {
        name: manifest["user_config"][value.removeprefix("${user_config.").removesuffix("}")][
            "default"
        ]
        for name, value in manifest["server"]["mcp_config"]["env"].items()
    }


@pytest.mark.parametrize("llm", ["offline", ""])
async def test_a_bundle_with_nothing_filled_in_starts(
    llm: str, postgres: TestPostgres, database: str, tmp_path: Path
) -> None:
    dsn = postgres.address.dsn("postgres", database)
    env = environment(tmp_path, DATABASE_URL=dsn, **given_by_the_bundle() | {"REASONLOOM_LLM": llm})
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "reasonloom", "serve"], env=env
    )
    async with Client(server) as client:
        answer = await client.call_tool("reason", {"text": "What is known of tea?"})
    assert answer.is_error is False


def test_the_wheel_and_the_bundle_carry_every_licence(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    runpy.run_path(str(ROOT / "packaging" / "bundle.py"))["stage"](tmp_path / "bundle")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    build = f"from hatchling.build import build_wheel; build_wheel({str(wheels)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path / "bundle", check=True)
    with ZipFile(next(wheels.iterdir())) as wheel:
        names = wheel.namelist()
        (metadata,) = (wheel.read(name).decode() for name in names if name.endswith("/METADATA"))
        apache = wheel.read("reasonloom/llm/classifier/LICENSE")
    assert "License-Expression: MIT AND Apache-2.0\n" in metadata
    for place in PROJECT["license-files"]:
        assert f"License-File: {place}\n" in metadata
        assert any(name.endswith(f".dist-info/licenses/{place}") for name in names)
        assert (tmp_path / "bundle" / place).read_bytes() == (ROOT / place).read_bytes()
    assert hashlib.sha256(apache).hexdigest() == APACHE
    assert described("packaging/mcpb/manifest.json")["license"] == PROJECT["license"]
    readme = (ROOT / "README.md").read_text()
    assert all(f"]({place})" in readme for place in PROJECT["license-files"][:2])


def test_the_image_is_built_in_one_stage_and_run_in_another_without_rights() -> None:
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    stages = [number for number, (word, _) in enumerate(steps) if word == "FROM"]
    assert len(stages) == 2
    last = dict(steps[stages[1] :])
    assert last["USER"] not in ("0", "root")
    assert json.loads(last["ENTRYPOINT"])[0] in PROJECT["scripts"]
    assert last["VOLUME"] in last["RUN"]
    assert json.loads(last["HEALTHCHECK"].partition("CMD ")[2])[-1] in last["COPY"]
    sent = (ROOT / ".dockerignore").read_text()
    for word, rest in steps:
        for name in rest.split()[:-1] if word == "COPY" and "--from" not in rest else ():
            assert (ROOT / name).exists()
            assert f"!{name}" in sent


def test_the_image_installs_by_hashes_alone() -> None:
    commands = re.split(r"&&|\nRUN ", (ROOT / "Dockerfile").read_text().replace("\\\n", " "))
    (extras,) = re.findall(r"for name in \((.*?)\)", " ".join(commands))
    assert set(json.loads(f"[{extras}]")) == {"encryption", "otel", "studio", "workers"}
    installs = [each for each in commands if "pip install" in each]
    assert len(installs) >= 3
    for each in installs:
        assert "--require-hashes" in each or "--no-deps --no-build-isolation" in each, each
    lock = (ROOT / "packaging" / "audit.lock").read_text()
    assert re.search(r"^pip==.*\n    --hash=[^#]*# via", lock, re.M), (
        "what the image's sed looks for"
    )


def test_licences_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "packaging" / "licences.py"), run_name="__main__")
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    licences = {name: licence for name, _, licence in rows}
    assert len(rows) > 50
    assert licences["psycopg"] == "LGPL-3.0-only"
    assert rows == sorted(rows)


def test_the_composed_services_name_what_is_there() -> None:
    services, ignored = COMPOSE["services"], (ROOT / ".gitignore").read_text()
    for service in services.values():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (ROOT / source).exists()
        assert "env_file" not in service or (ROOT / f"{service['env_file']}.example").is_file()
        assert set(service.get("environment", ())) <= VARIABLES | {"POSTGRES_DB", "REASONLOOM_HOST"}
    assert "packaging/*.env" in ignored
    assert services["reasonloom"]["depends_on"]["database"]["condition"] == "service_healthy"
    assert services["database"]["healthcheck"]["test"]
    (front,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    assert services["server"]["environment"]["REASONLOOM_TRUSTED_PROXIES"] == front["subnet"]
    assert [name for name, each in services.items() if "ports" in each] == ["proxy"]
    login = (ROOT / "packaging" / "server.env.example").read_text()
    roles = (ROOT / "packaging" / "postgres" / "10-roles.sh").read_text()
    assert "//reasonloom_login:" in login
    assert "CREATE ROLE reasonloom_login LOGIN NOSUPERUSER" in roles
