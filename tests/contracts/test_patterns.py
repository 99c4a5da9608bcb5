"""No regular expression of a caller's is ever run in Python: each is fixed, or was looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import reasonloom

ROOT = Path(reasonloom.__file__).parent
MODULES = {"re", "regex"}
ESCAPED = "escape"
REVIEWED = {
    "llm/embedding/wordllama_vectors.py": "the tokenizer's own signs, escaped",
    "llm/offline/fill.py": "patterns of an answer's schema, which stands in a prompt's template",
    "nodes/thinking/analyze/frameworks/framework.py": "builds the module's own cues",
    "nodes/graph_memory/grounding/reading/mood.py": "rows of a packaged table",
    "nodes/memory/retrieval/text_query.py": "words that were found, escaped",
    "nodes/metacognition/spans.py": "quoted words, escaped, with one fixed gap between",
    "nodes/mental_models/situations.py": "parts of a cue, escaped, with one fixed gap between",
    "nodes/reasoning/routing/cues.py": "builds the module's own cues",
    "stores/statements.py": "the package's own SQL files",
    "text/search_terms.py": "words of a packaged list, escaped",
    "text/sentences.py": "the module's own signs",
    "nodes/memory/injection/rules.py": "builds the module's own rules",
    "nodes/graph_memory/workspaces/words.py": "ranges of characters of Unicode's own table",
}
"""The other patterns that are put together within a function, and what of."""

BESIDE = ("evals",)
"""What only the person at the command line runs, on files of their own."""


def is_fixed(pattern: ast.expr) -> bool:
    """Tell whether a pattern is made of literals, constants, and what is escaped alone."""
    return all(_is_fixed(part) for part in _parts(pattern))


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.JoinedStr(values=values):
            for value in values:
                yield from _parts(value)
        case ast.FormattedValue(value=value):
            yield from _parts(value)
        case ast.BinOp(left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield node


def _is_fixed(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else ""
    escaped = isinstance(node, ast.Call) and ast.unparse(node.func) == "re.escape"
    return isinstance(node, ast.Constant) or name.strip("_").isupper() or escaped


def patterns(source: str) -> Iterator[tuple[int, ast.expr]]:
    """Yield the line and the pattern of every call of `re` and `regex` within a function.

    What a module does when it is imported, no caller has a part in.
    """
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    within = [node for node in ast.walk(ast.parse(source)) if isinstance(node, functions)]
    for node in {each for function in within for each in ast.walk(function)}:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func
        if (
            isinstance(called, ast.Attribute)
            and isinstance(called.value, ast.Name)
            and called.value.id in MODULES
            and called.attr != ESCAPED
        ):
            yield node.lineno, node.args[0]


def free(source: str) -> list[int]:
    return [line for line, pattern in patterns(source) if not is_fixed(pattern)]


def test_every_pattern_is_written_in_the_code() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] not in BESIDE and free(path.read_text(encoding="utf-8"))
    }
    assert found - set(REVIEWED) == set()


def test_a_pattern_from_elsewhere_would_be_seen() -> None:
    inside = "def f(x):\n    return "
    for taken in ("re.compile(x.text)", "regex.search(f'{A}{x}', y)", "re.sub('|'.join(x), '', y)"):
        assert free(inside + taken) == [2]
    for ours in ("re.search('a', x)", "re.compile(rf'{A}b')", "re.sub(re.escape(x), '', y)"):
        assert free(inside + ours) == []
