"""What a folder of templates can get wrong is told when it is loaded, by file and fault."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reasonloom.cli.doctor import Finding, _prompts
from reasonloom.errors import PromptMistake
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.prompts.template import PromptTemplate
from reasonloom.settings import Settings
from tests.prompts.test_registry import GOOD, VARIABLES, put

SUCCESSOR = GOOD.format(version=2)
OUTPUT = "properties: {thought: {type: string}, confidence: {type: number}}"


def own(body: str, output: str = "{type: object}") -> str:
    """Return a template of a name that is not packaged."""
    head = f"---\nname: a/b\nversion: 1\nvariables: [content]\noutput: {output}\n---\n"
    return head + "{% block system %}{% endblock %}\n{% block user %}" + body + "{% endblock %}"


def fails(folder: Path, said: str) -> None:
    """Hold the registry and the doctor to the same sentence, without an absolute path."""
    with pytest.raises(PromptMistake, match=said) as caught:
        PromptRegistry(folder)
    message = caught.value.message
    assert str(folder) not in message
    (told,) = asyncio.run(examined(folder))
    assert (told.part, told.ok, told.message) == ("prompts", False, message)


async def examined(folder: Path) -> list[Finding]:
    """Return what the doctor finds in a folder of prompts; the other parts are not started."""
    return [finding async for finding in _prompts(Settings(prompts=folder))]


NESTED = "{% for a in content %}" * 25 + "{% endfor %}" * 25


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (own("{{ content }"), r"^a/b.v1.md: line 8: "),
        (own("{{ content | nope }}"), "line 8: No filter named 'nope'"),
        (own(NESTED), r"cannot be compiled \(SyntaxError\)"),
        (own("{{ other }}"), "the block user uses the variable other, which it does not declare"),
        (own("{% include 'x.md' %}"), "reads another template"),
        (own("", "{type: 5}"), "output.type: is no JSON Schema"),
        (own("", "{pattern: '['}"), "output.pattern: is no JSON Schema"),
        (own("", "{default: 2020-01-01}"), "output: is no JSON Schema"),
        (own("", "{$ref: '#/$defs/none'}"), "output: .* refers to nothing"),
        (own("", "{$ref: 'http://127.0.0.1:9/x'}"), "output: .* refers to nothing"),
    ],
)
def test_an_ill_formed_template_is_found_at_load(tmp_path: Path, text: str, said: str) -> None:
    fails(put(tmp_path, "a/b.v1.md", text), said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[content]", "[content, extra]", "declares the variable extra, but .* is given content"),
        (OUTPUT, "properties: {thought: {type: string}}", "lacks the required property confid"),
        ("[thought, confidence]", "[thought]", "lacks the required property confidence"),
        ("{type: string}", "{type: integer}", "property thought must keep to type string"),
        ("{type: number}", "{maximum: 10}", "property confidence must keep to maximum 1"),
        (SUCCESSOR[SUCCESSOR.index("output:") : SUCCESSOR.index("---\n{%")], "", "lacks an output"),
    ],
)
def test_a_successor_must_fit_the_packaged_one(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert SUCCESSOR.count(old) == 1
    folder = put(tmp_path, "linear/continue.v2.md", SUCCESSOR.replace(old, new))
    fails(folder, f"^linear/continue.v2.md: .*{said}")


def test_a_file_that_is_no_text_or_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = put(tmp_path, "a/b.v1.md", "") / "a/b.v1.md"
    file.write_bytes(b"\xff\xfe")
    fails(tmp_path, "^a/b.v1.md: is not UTF-8$")
    file.unlink()
    file.mkdir()
    fails(tmp_path, "^a/b.v1.md: cannot be read$")


def test_a_successor_may_use_fewer_variables_and_keeps_the_packaged_bounds(tmp_path: Path) -> None:
    registry = PromptRegistry(
        put(tmp_path, "linear/continue.v3.md", SUCCESSOR.replace("version: 2", "version: 3"))
    )
    prompt = registry.get("linear/continue").render(**VARIABLES)
    assert prompt.user == "x"
    assert prompt.variables == {"content": "x"}
    assert prompt.schema is not None
    assert prompt.schema["properties"]["confidence"]["maximum"] == 1
    assert prompt.schema["properties"]["thought"] == {
        "type": "string",
        "minLength": 1,
        "pattern": r"\S",
        "description": "The answer, complete in itself.",
    }


@pytest.mark.parametrize(
    "body", ["{{ 1 / 0 }}", "{{ content + 1 }}", "{{ content | round(1) }}", "{{ range(10**6) }}"]
)
def test_whatever_a_text_raises_is_a_mistake_of_the_template(body: str) -> None:
    template = PromptTemplate(own(body), "a/b.v1.md")
    template.check()
    with pytest.raises(PromptMistake, match=r"^a/b.v1.md: the block user cannot be rendered \("):
        template.render(content="x")


def test_names_of_jinja_and_of_loops_need_no_declaration() -> None:
    body = "{% for x in range(2) %}{{ loop.index }}{{ x }}{% endfor %}{% set y = 1 %}{{ y }}"
    template = PromptTemplate(own(body), "a/b.v1.md")
    template.check()
    assert template.render(content="x").user == "10211"


def test_a_packaged_part_is_put_for_the_line_that_includes_it(tmp_path: Path) -> None:
    text = own('\n{% include "history" %}\n{{ content }}')
    put(tmp_path, "a/b.v1.md", text.replace("[content]", "[content, history]"))
    template = PromptRegistry(tmp_path).get("a/b")
    assert "include" not in template.text
    history = [{"input": "Which day?", "content": "Monday."}]
    assert "1. asked: Which day?" in template.render(content="x", history=history).user


def test_an_unknown_part_is_named_with_the_known_ones(tmp_path: Path) -> None:
    put(tmp_path, "a/b.v1.md", own('\n{% include "../secret" %}\n'))
    fails(tmp_path, "there is no part ../secret to include; known: calculation_faults, ")
