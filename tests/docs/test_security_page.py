"""The page of security names tests that are there, and what is pinned is pinned."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from reasonloom.settings import Settings, variables_of
from tests import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
RISKS_OF = PAGE[PAGE.index("## Risks") : PAGE.index("## Memories that want to steer")]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROW = re.compile(r"^\| (?!---|risk )(.+?) \| (.+?) \| (.+) \|$", re.M)
RISKS = (
    "injection", "oisoning", "hidden characters", "another's data", "stolen token", "stale token",
    "deputy", "rebinding", "SQL", "regular expression", "paths", "oversized", "nesting", "walks",
    "secrets", "dependency", "replayed", "Mermaid",
)  # fmt: skip


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, functions)}


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED.findall(PAGE))))
def test_a_test_that_is_named_is_there(file: str, name: str) -> None:
    assert name.startswith("test_")
    assert name in names_in(ROOT / file)


def test_every_risk_has_a_control_and_a_test() -> None:
    rows = ROW.findall(RISKS_OF)
    assert len(rows) >= 30
    for risk, control, shown in rows:
        assert control.strip(), risk
        assert NAMED.search(shown), risk
        assert not NAMED.sub("", shown).strip(" ,"), risk


@pytest.mark.parametrize("risk", RISKS)
def test_no_known_risk_is_left_out(risk: str) -> None:
    told = [f"{first} {control}".casefold() for first, control, _ in ROW.findall(RISKS_OF)]
    assert any(risk.casefold() in each for each in told)


def test_the_setting_it_names_is_one() -> None:
    known = {name for field in Settings.model_fields for name in variables_of(field)}
    assert set(re.findall(r"\bREASONLOOM_[A-Z_]+\b", PAGE)) <= known


@pytest.mark.parametrize("name", ["requirements.lock", "packaging/audit.lock"])
def test_every_dependency_is_pinned_with_a_hash(name: str) -> None:
    lock = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    pinned = [
        line for line in lock.splitlines() if line.strip() and not line.startswith((" ", "#"))
    ]
    assert len(pinned) > 25
    for line in pinned:
        assert re.match(r"[\w.-]+(\[[\w,-]+\])?==\S+", line), line
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", line), line
    assert f"--require-hashes -r {name}" in (ROOT / "Makefile").read_text("utf-8")
