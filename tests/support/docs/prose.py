"""Checks the English of the documentation, of commands' help and of tools' descriptions.

`python -m tests.support.docs.prose` prints what proselint and the house style find, and exits 1 if
they find anything. Code is not read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, types
from proselint.tools import LintFile

from tests import ROOT

CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)|<[^>]+>", re.M | re.S)
NOT_OURS = (
    "annotations",
    "dates_times",
    "lexical_illusions",
    "needless_variants",
    "spelling.consistency",
    "typography",
    "weasel_words.very",
)
"""Checks of proselint that misread technical text: "todo" as a tag, headings as repetitions."""

HOUSE = Check(
    check_type=types.PreferredFormsSimple(
        items={
            "a mind": "memory and reasoning tools",
            "anew": "again",
            "at work": "running",
            "beside": "next to",
            "bears": "has",
            "by itself again": "automatically",
            "cure": "fix",
            "go on with": "continue",
            "goes on with": "continues",
            "heed": "follow",
            "lies in": "is in",
            "look after": "manage",
            "shall": "should",
            "stands for": "means",
            "stands in": "is in",
            "stands there": "is there",
            "taken up": "resumed",
            "takes up": "resumes",
            "thereof": "of it",
            "told": "named",
            "what came of": "the results of",
            "whoever": "anyone who",
        }
    ),
    path="house",
    message="Write '{}', not '{}'.",
)


def texts() -> Iterator[tuple[str, str]]:
    """Yield every text that users read, with the name of its place."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        yield str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    commands = ROOT / "reasonloom" / "cli" / "commands.tsv"
    helps = [line.split("\t")[2] for line in commands.read_text(encoding="utf-8").splitlines()]
    yield str(commands.relative_to(ROOT)), "\n".join(helps)


def without_code(text: str) -> str:
    """Return a text with its code and links blanked; lines keep their numbers."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)


def findings() -> list[str]:
    """Return what is wrong, as `place:line: message`."""
    registry = CheckRegistry()
    registry.register_many((*__register__, HOUSE))
    checks = {**dict.fromkeys(NOT_OURS, False), "house": True}
    checks = {**checks, **{n: of for n, of in DEFAULT["checks"].items() if n not in checks}}
    config = {**DEFAULT, "checks": checks}
    return [
        f"{place}:{found.pos[0]}: {found.check_result.message}"
        for place, text in texts()
        for found in LintFile(place, without_code(text)).lint(config)
    ]


if __name__ == "__main__":
    found = findings()
    sys.stderr.write("".join(f"{each}\n" for each in found))
    sys.exit(bool(found))
