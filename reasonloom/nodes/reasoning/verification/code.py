"""Run the self-testing Python code of an answer and report what fails."""

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
"""Errors caused by the code itself; others (missing package, denied file access, timeout) do not
show whether it is right."""


def find_code_fault(answer: str) -> str:
    """Run the Python blocks of an answer together; return the failure, or "" if there is none.

    Only code with assertions is run, since code without tests shows nothing.

    Raises:
        SandboxUnavailable: code cannot be run safely on this system.
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
