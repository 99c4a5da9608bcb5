"""The manifests for Kubernetes follow its schemas, name each other rightly, and fit the server."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from reasonloom.server.http.health import LIVE_PATH, READY_PATH
from reasonloom.settings import Settings, variables_of
from reasonloom.workers.worker import GRACE
from tests import ROOT

FOLDER = ROOT / "packaging" / "kubernetes"
OBJECTS: list[dict[str, Any]] = [
    each for path in sorted(FOLDER.glob("*.yaml")) for each in yaml.safe_load_all(path.read_text())
]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
VERSIONS = ("1.30", "1.37")
"""The oldest and the newest Kubernetes whose schemas the manifests must follow."""


def named(kind: str) -> dict[str, Any]:
    (found,) = [each for each in OBJECTS if each["kind"] == kind]
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_manifest_follows_the_schema_of_its_kind(version: str) -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="pip install kubernetes-validate")
    for each in OBJECTS:
        validator.validate(each, version, strict=True)


def test_the_settings_are_settings_and_what_is_named_is_there() -> None:
    known = {name for field in Settings.model_fields for name in variables_of(field)}
    settings, secrets = named("ConfigMap")["data"], named("Secret")["stringData"]
    assert (settings.keys() | secrets.keys()) <= known
    assert {"REASONLOOM_DATABASE_URL", "REASONLOOM_STATE_KEYS"} == secrets.keys()
    pod = named("Deployment")["spec"]["template"]
    folders = {each["name"]: each for each in pod["spec"]["volumes"]}
    tokens = folders["tokens"]["secret"]["secretName"]
    assert f"secret generic {tokens} --from-file=tokens" in PAGE
    for container in (*pod["spec"]["initContainers"], *pod["spec"]["containers"]):
        sources = [next(iter(each.values())) for each in container["envFrom"]]
        assert [each["name"] for each in sources] == ["reasonloom", "reasonloom"]
        assert {each["name"] for each in container["volumeMounts"]} <= folders.keys()
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["resources"]["limits"]["memory"]


def test_the_optional_workers_run_as_the_server_does() -> None:
    (worker,) = yaml.safe_load_all((FOLDER / "optional" / "worker.yaml").read_text())
    server = named("Deployment")["spec"]["template"]["spec"]
    pod = worker["spec"]["template"]["spec"]
    (container,), (serving,) = pod["containers"], server["containers"]
    assert container["args"] == ["worker"]
    for part in ("image", "envFrom", "securityContext"):
        assert container[part] == serving[part]
    assert pod["securityContext"] == server["securityContext"]
    assert pod["terminationGracePeriodSeconds"] > GRACE
    assert worker["spec"]["selector"]["matchLabels"] != named("Service")["spec"]["selector"]


def test_traffic_reaches_the_server_and_only_what_clients_need() -> None:
    pod = named("Deployment")["spec"]["template"]
    (server,) = pod["spec"]["containers"]
    (port,) = server["ports"]
    settings = named("ConfigMap")["data"]
    assert settings["REASONLOOM_HTTP"].endswith(f":{port['containerPort']}")
    assert server["readinessProbe"]["httpGet"] == {"path": READY_PATH, "port": port["name"]}
    assert server["livenessProbe"]["httpGet"]["path"] == LIVE_PATH
    service = named("Service")["spec"]
    for kind in ("Deployment", "PodDisruptionBudget"):
        assert named(kind)["spec"]["selector"]["matchLabels"] == service["selector"]
    assert service["selector"].items() <= pod["metadata"]["labels"].items()
    least = named("PodDisruptionBudget")["spec"]["minAvailable"]
    assert least < named("Deployment")["spec"]["replicas"]
    (rule,) = named("Ingress")["spec"]["rules"]
    assert rule["host"] == settings["REASONLOOM_ALLOWED_HOSTS"]
    assert {each["path"] for each in rule["http"]["paths"]} == {"/mcp", "/.well-known"}
    assert {each["backend"]["service"]["name"] for each in rule["http"]["paths"]} == {"reasonloom"}
