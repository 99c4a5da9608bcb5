"""Runs MCP's public conformance suite and its Inspector; as a module it installs and scores.

Both are npm packages, kept in a folder of the virtual environment, with a Node 22 of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests import ROOT
from tests.support.clients.processes import WITH_FIXTURES, command, environment, web

PACKAGES = (
    "node@22",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
)
KEPT = Path(sys.prefix) / "conformance"
MODULES = KEPT / "node_modules"
NODE = MODULES / "node" / "bin" / "node"
SUITE = MODULES / "@modelcontextprotocol" / "conformance"
INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build"
EXPECTED_FAILURES = ROOT / "tests" / "server" / "protocol" / "expected_failures.yaml"

REVISIONS: Mapping[str, int] = {"2025-11-25": 30, "2026-07-28": 37}
"""How many scenarios each revision's frozen set scores."""

SERVED = (WITH_FIXTURES, "--toolsets", "all,extras")
TOOLS = 91
"""Tools that are not the suite's: the seventy of the references, and our own extras."""

CATALOGUES = (
    ("--toolsets", "all,extras"),
    *(("--as", name) for name in (
        "langbase-reasoning", "thoughtmcp", "agentic-memory", "causantic", "mental-models",
    )),
)  # fmt: skip
TASK_SCENARIOS = (
    "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields",
    "tasks-request-state-removal", "tasks-mrtr-input", "tasks-request-headers",
    "tasks-dispatch-and-envelope", "tasks-required-task-error", "tasks-mrtr-composition",
)  # fmt: skip
"""The scenarios of the extension for tasks, without the one that skips itself."""

LONGEST = 300.0


@dataclass(frozen=True)
class Score:
    """How a server does: the scored scenarios that pass, and what is wrong with the others."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    exit_code: int


def installed() -> bool:
    """Tell whether Node 22, the suite and the Inspector are there."""
    return all(path.exists() for path in (NODE, SUITE, INSPECTOR))


def install() -> None:
    """Install what is not there yet.

    Raises:
        SystemExit: there is no npm, or the registry does not answer.
    """
    if installed():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing: the suite needs it to be installed (any Node has one)")
    KEPT.mkdir(exist_ok=True)
    (KEPT / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    said = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", *PACKAGES],
        cwd=KEPT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not installed():
        raise SystemExit(f"npm could not install the suite:\n{said.stdout}{said.stderr}")


def score(url: str, revision: str, results: Path) -> Score:
    """Run the scenarios of a revision; what each of them found is left in `results`."""
    ended = _node(
        SUITE / "dist" / "index.js", "server", "--url", url, "--requirements", revision,
        "--expected-failures", str(EXPECTED_FAILURES), "--output-dir", str(results),
    )  # fmt: skip
    required = yaml.safe_load((SUITE / "requirements" / f"{revision}.yaml").read_text())["server"]
    faults = {scenario: _faults(scenario, results) for scenario in required}
    return Score(
        passed=tuple(each for each in required if not faults[each]),
        failed=tuple(f"{each}: {'; '.join(faults[each])}" for each in required if faults[each]),
        exit_code=ended.returncode,
    )


def task_faults(url: str, results: Path) -> dict[str, list[str]]:
    """Run the scenarios of the extension for tasks; return the faults of those that have some."""
    for scenario in TASK_SCENARIOS:
        _node(
            SUITE / "dist" / "index.js", "server", "--url", url, "--scenario", scenario, "--force",
            "--spec-version", "2026-07-28", "--output-dir", str(results),
        )  # fmt: skip
    found = {scenario: _faults(scenario, results) for scenario in TASK_SCENARIOS}
    return {scenario: faults for scenario, faults in found.items() if faults}


def _faults(scenario: str, results: Path) -> list[str]:
    """Return what a scenario complained of; a warning and a silence count as complaints."""
    found = [
        check
        for path in results.glob(f"server-{scenario}-2*/checks.json")
        for check in json.loads(path.read_text(encoding="utf-8"))
    ]
    if not any(check["status"] == "SUCCESS" for check in found):
        return ["nothing was found to be right", *(str(check["id"]) for check in found)]
    wrong = [check for check in found if check["status"] in ("FAILURE", "WARNING")]
    return [f"{check['id']} ({check.get('errorMessage')})" for check in wrong]


def inspect(env: Mapping[str, str], *flags: str) -> tuple[int, int, str]:
    """List the tools strictly; return the exit code, how many there are, and all findings."""
    given = [word for name in env for word in ("-e", f"{name}={env[name]}")]
    ended = _node(
        INSPECTOR / "index.js", "--cli", *given, "--connect-timeout", "120000",
        "--method", "tools/list", "--strict", "--", *command(*flags),
    )  # fmt: skip
    if ended.returncode and not ended.stdout.strip():
        return ended.returncode, 0, ended.stderr
    return ended.returncode, len(json.loads(ended.stdout)["tools"]), ended.stderr.strip()


def _node(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        catalogue = str(Path(folder) / "catalogue.json")
        return subprocess.run(
            [str(NODE), str(script), *arguments],
            env={**os.environ, "MCP_CATALOG_PATH": catalogue, "NO_COLOR": "1"},
            cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False,
        )  # fmt: skip


def _report(home: Path) -> bool:
    """Print the scores of a server on an empty embedded database; return whether all is right."""
    right = True
    with web(environment(home / "data"), home / "cwd", *SERVED) as server:
        for revision, wanted in REVISIONS.items():
            found = score(server.url, revision, home / revision)
            print(f"{revision}: {len(found.passed)}/{wanted} scored scenarios pass")
            print(*(f"  {fault}\n" for fault in found.failed), sep="", end="")
            right = right and len(found.passed) == wanted and found.exit_code == 0
        faults = task_faults(server.url, home / "tasks")
        print(f"tasks: {len(TASK_SCENARIOS) - len(faults)}/{len(TASK_SCENARIOS)} scenarios pass")
        print(*(f"  {name}: {each}\n" for name, each in faults.items()), sep="", end="")
        right = right and not faults
    for flags in CATALOGUES:
        code, tools, findings = inspect({"REASONLOOM_HOME": str(home / "data")}, *flags)
        print(f"inspector --strict, {' '.join(flags)}: {tools} tools, {findings or 'no finding'}")
        right = right and code == 0 and tools > 0 and not findings
    return right


def main() -> None:
    """Install what is needed, score our server, and end with 1 where anything is wrong."""
    install()
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # started by root, the embedded Postgres runs as another user
        try:
            right = _report(home)
        finally:
            subprocess.run(
                [sys.executable, "-m", "reasonloom", "db", "stop"],
                env=environment(home / "data"), capture_output=True, check=False,
            )  # fmt: skip
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
