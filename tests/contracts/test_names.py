"""Names in the package are standard terms: parts of the old dialect do not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import reasonloom

ROOT = Path(reasonloom.__file__).parent
BANNED = {"told", "said", "asked", "shown", "apart", "carry", "beside", "stand", "stands"}
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
PUBLISHED = {
    "cli/evals/commands.py": {"asked"},
    "contracts/metacognition.py": {"lenses_asked", "told"},
    "contracts/thought_graph/plans.py": {"apart"},
    "evals/bench/timing.py": {"said"},
    "evals/core/item.py": {"said"},
    "evals/log.py": {"said"},
    "nodes/graph_memory/grounding/judges.py": {"said", "shown"},
    "nodes/metacognition/state.py": {"said"},
    "nodes/thinking/state.py": {"said"},
    "nodes/thought_graph/generate.py": {"asked"},
    "stores/history/soft_deletes.py": {"asked"},
    "stores/migrations/versions/v0004_engine_room.py": {"ASKED_WORDS"},
    "stores/migrations/versions/v0010_history.py": {"APART", "_count_apart"},
    "transcripts/units.py": {"asked"},
}
"""Names that stay, by file: keys of answers, reports, saved states, options and columns."""


def parts_of(name: str) -> set[str]:
    return {part.lower() for part in PART.findall(name)}


def names_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names that a module defines: of functions, classes, parameters, variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def banned_names(path: Path) -> list[str]:
    stays = PUBLISHED.get(path.relative_to(ROOT).as_posix(), set())
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for line, name in names_of(ast.parse(path.read_text(encoding="utf-8")))
        if name not in stays and parts_of(name) & BANNED
    ]


def test_no_name_is_made_of_the_old_dialect() -> None:
    assert [each for path in sorted(ROOT.rglob("*.py")) for each in banned_names(path)] == []


def test_every_exception_is_needed() -> None:
    unused = {
        path: sorted(stays - {name for _, name in names_of(ast.parse((ROOT / path).read_text()))})
        for path, stays in PUBLISHED.items()
    }
    assert not any(unused.values()), unused


@pytest.mark.parametrize("name", ["what_was_told", "ToldChunk", "_asked_for", "stands_beside"])
def test_a_banned_part_is_seen(name: str) -> None:
    assert parts_of(name) & BANNED


@pytest.mark.parametrize("name", ["standard", "carrying", "task", "storytold"])
def test_other_words_that_hold_its_letters_are_let_through(name: str) -> None:
    assert not parts_of(name) & BANNED
