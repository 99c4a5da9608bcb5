"""Runs the Python of an answer that tests itself, and tells what fails."""

from __future__ import annotations

import re
import textwrap

from reasonloom.nodes.reasoning.verification.sandbox import run_python

BLOCK = re.compile(r"^[ \t]*```(?:python3?|py)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.I | re.M | re.S)
ASSERTION = re.compile(r"^\s*assert\b", re.M)
LONGEST_CODE = 20_000
FAULTS = frozenset({
    "AssertionError", "AttributeError", "IndentationError", "IndexError", "KeyError", "NameError",
    "RecursionError", "SyntaxError", "TabError", "TypeError", "UnboundLocalError", "ValueError",
    "ZeroDivisionError",
})  # fmt: skip
"""Errors that are the code's own; others (a missing package, a refused file, no time) tell nothing
of whether it is right."""


def find_code_fault(answer: str) -> str:
    """Return what fails when the Python blocks of an answer are run together, empty if nothing.

    Only code with assertions is run: what tests nothing shows nothing.

    Raises:
        SandboxUnavailable: code cannot be run safely here.
    """
    source = "\n".join(textwrap.dedent(each) for each in BLOCK.findall(answer))
    if not ASSERTION.search(source) or len(source) > LONGEST_CODE:
        return ""
    ran = run_python(source)
    if ran.kind not in FAULTS:
        return ""
    lines = source.splitlines()
    at = f" at `{lines[ran.line - 1].strip()}`" if 0 < ran.line <= len(lines) else ""
    return f"the Python fails when it is run: {ran.error}{at}"
