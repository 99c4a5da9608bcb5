"""Tells which variables a template cannot do without, for those who fill it in by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes

from reasonloom.prompts.template import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reasonloom.prompts.template import PromptTemplate


def required(template: PromptTemplate) -> set[str]:
    """Return the variables of a template that it neither asks for first nor walks through.

    `{% if doubt %}` and `{% for memory in memories %}` do well without: nothing is said then.
    """
    tree = ENVIRONMENT.parse(template.body)
    return set(template.about.variables) - set(_spared(tree))


def _spared(tree: nodes.Template) -> Iterator[str]:
    places = [each.test for each in tree.find_all(nodes.If)]
    places += [each.iter for each in tree.find_all(nodes.For)]
    for place in places:
        found = [place] if isinstance(place, nodes.Name) else place.find_all(nodes.Name)
        yield from (name.name for name in found)
