"""A prompt with another text: what it declares stays, and whatever would break it is found."""

from __future__ import annotations

from jinja2 import meta

from reasonloom.errors import PromptMistake
from reasonloom.prompts.front_matter import FrontMatter, next_version
from reasonloom.prompts.registry import packaged_templates
from reasonloom.prompts.template import ENVIRONMENT, PromptTemplate


def with_body(base: PromptTemplate, body: str, version: int) -> PromptTemplate:
    """Return a template of another version with another text, checked.

    Raises:
        PromptMistake: the text is no template, lacks a block, uses a variable that is not
            declared, or loses one that the base uses.
    """
    front, _, _ = base.text.partition(base.body)
    text = f"{next_version(front, version)}{body.strip()}\n"
    name = base.about.name
    template = PromptTemplate(text, f"{name}.v{version}.md", _packaged(name))
    template.check()
    lost = sorted(used(base.body) - used(template.body))
    if lost:
        raise PromptMistake(
            f"{template.source}: no longer uses the variable {lost[0]}", field=lost[0]
        )
    return template


def used(body: str) -> set[str]:
    """Return the variables that a template's text uses."""
    return meta.find_undeclared_variables(ENVIRONMENT.parse(body))


def _packaged(name: str) -> FrontMatter | None:
    found = [template.about for known, _, template in packaged_templates() if known == name]
    return found[-1] if found else None
