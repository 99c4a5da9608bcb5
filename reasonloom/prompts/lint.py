"""Finds all that is wrong with a folder of prompts, not only the first of it."""

from __future__ import annotations

from pathlib import Path

from jinja2 import meta

from reasonloom.errors import PromptMistake
from reasonloom.prompts.registry import packaged_templates, template_files, templates
from reasonloom.prompts.template import ENVIRONMENT, PromptTemplate


def lint(root: Path) -> list[tuple[str, str]]:
    """Return file and fault of every template below `root`: mistakes, and what is never used.

    Raises:
        PromptMistake: the folder does not exist, or holds no template.
    """
    files = list(template_files(root)) if root.is_dir() else []
    if not files:
        raise PromptMistake("the folder holds no prompts, such as linear/continue.v2.md")
    packaged = {name: template.about for name, _, template in packaged_templates()}
    found: list[tuple[str, str]] = []
    for path in files:
        try:
            _, _, template = next(templates(root, packaged, [path]))
        except PromptMistake as mistake:
            place = path.relative_to(root).as_posix()
            found.append((place, mistake.message.removeprefix(f"{place}: ")))
        else:
            found += [(template.source, what) for what in _doubts(template)]
    return found


def _doubts(template: PromptTemplate) -> list[str]:
    """Return what can be used, and is not as it should be."""
    used = meta.find_undeclared_variables(ENVIRONMENT.parse(template.body))
    unused = [name for name in template.about.variables if name not in used]
    return [f"declares the variable {name} and never uses it" for name in unused]
