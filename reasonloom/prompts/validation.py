"""The front matter of templates, and load-time checks for faults that rendering would hit."""

import json
import re
from collections.abc import Callable, Iterator
from operator import eq, ge, le
from typing import Any

from jinja2 import Environment, meta, nodes
from jsonschema import Draft202012Validator, SchemaError
from pydantic import BaseModel, ConfigDict, Field
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from reasonloom.errors import PromptMistake

MAX_VERSIONS = 2**15 - 1
"""Highest version, as runs record it in a two-byte column."""


class FrontMatter(BaseModel):
    """The front matter of a template."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    version: int = Field(ge=1, le=MAX_VERSIONS)
    variables: list[str] = Field(default_factory=list)
    output: dict[str, Any] | None = None


STARTER = """---
name: {name}
version: 1
variables: [question]
---
{{% block system %}}
Answer the question. Be brief.
{{% endblock %}}
{{% block user %}}
{{{{ question }}}}
{{% endblock %}}
"""


def first_version(name: str) -> str:
    """Return the text of a new template, which has one variable, `question`."""
    return STARTER.format(name=name)


def next_version(text: str, version: int) -> str:
    """Return a template's text with its version replaced in the front matter."""
    return re.sub(r"(?m)^version:.*$", f"version: {version}", text, count=1)


_FITS: dict[str, Callable[[Any, Any], bool]] = {"type": eq, "minimum": ge, "maximum": le}
"""How the value of a schema keyword must compare to the packaged template's value."""


def check_variables(
    environment: Environment, tree: nodes.Template, declared: set[str], source: str
) -> None:
    """Check that each block uses only variables that the template declares.

    Raises:
        PromptMistake: a block uses an undeclared variable, or the text references another template.
    """
    if any(True for _ in meta.find_referenced_templates(tree)):
        raise PromptMistake(f"{source}: reads another template, which none may")
    known = declared | set(environment.globals)
    for block in tree.find_all(nodes.Block):
        alone = nodes.Template(block.body, lineno=block.lineno)
        alone.set_environment(environment)
        foreign = meta.find_undeclared_variables(alone) - known
        if foreign:
            name = min(foreign)
            raise PromptMistake(
                f"{source}: the block {block.name} uses the variable {name}, which it does not "
                "declare",
                field=name,
            )


def check_output(output: dict[str, Any], source: str) -> None:
    """Validate a template's output as a JSON Schema.

    Raises:
        PromptMistake: it is not JSON, not a schema, or has an unresolvable reference.
    """
    try:
        json.dumps(output, allow_nan=False)
        checker = Draft202012Validator.FORMAT_CHECKER
        Draft202012Validator.check_schema(output, format_checker=checker)
        resolver = Registry().resolver_with_root(DRAFT202012.create_resource(output))
        for reference in _references(output):
            resolver.lookup(reference)
    except SchemaError as error:
        place = ".".join(map(str, ("output", *error.absolute_path)))
        raise PromptMistake(f"{source}: {place}: is no JSON Schema", field=place) from None
    except Unresolvable as error:
        message = f"{source}: output: {error.ref[:80]} refers to nothing"
        raise PromptMistake(message, field="output") from None
    except (TypeError, ValueError, RecursionError):
        raise PromptMistake(f"{source}: output: is no JSON Schema", field="output") from None


def check_succession(successor: FrontMatter, packaged: FrontMatter, source: str) -> None:
    """Check a template against the packaged one that it replaces.

    Raises:
        PromptMistake: it declares a variable that the packaged one does not, or its output
            guarantees less; names the variable or property.
    """
    foreign = sorted(set(successor.variables) - set(packaged.variables))
    if foreign:
        offered = ", ".join(packaged.variables)
        raise PromptMistake(
            f"{source}: declares the variable {foreign[0]}, but {packaged.name} is given {offered}",
            field=foreign[0],
        )
    if packaged.output is None:
        return
    if successor.output is None:
        names = ", ".join(packaged.output.get("required", ()))
        raise PromptMistake(
            f"{source}: lacks an output with the required properties {names}", field="output"
        )
    for name in packaged.output.get("required", ()):
        _check_property(name, successor.output, packaged.output, source)


def _check_property(
    name: str, output: dict[str, Any], packaged: dict[str, Any], source: str
) -> None:
    own = output.get("properties", {}).get(name)
    if own is None or name not in output.get("required", ()):
        raise PromptMistake(
            f"{source}: its output lacks the required property {name}", field=f"output.{name}"
        )
    theirs, own = packaged["properties"][name], own if isinstance(own, dict) else {}
    for word, fits in _FITS.items():
        if word in own and word in theirs and not fits(own[word], theirs[word]):
            raise PromptMistake(
                f"{source}: its output's property {name} must keep to {word} {theirs[word]}",
                field=f"output.{name}.{word}",
            )


def complete_schema(output: dict[str, Any], packaged: dict[str, Any]) -> dict[str, Any]:
    """Return `output` with the packaged bounds of required properties as defaults."""
    theirs, own = packaged.get("properties", {}), dict(output.get("properties", {}))
    for name in packaged.get("required", ()):
        if isinstance(own.get(name), dict):
            own[name] = {**theirs.get(name, {}), **own[name]}
    return {**output, "properties": own}


def _references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference
        for each in part.values():
            yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)
