"""A folder of prompts that was written to do harm: nothing is reached, and all work has an end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reasonloom.errors import PromptMistake
from reasonloom.prompts.bounds import MOST_WORK
from reasonloom.prompts.registry import LONGEST_FILE, PromptRegistry, lint
from reasonloom.prompts.template import PromptTemplate
from tests.prompts.test_load import own
from tests.prompts.test_registry import GOOD, put

PLACE = "a/b.v1.md"


def rendered(body: str) -> str:
    template = PromptTemplate(own(body), PLACE)
    template.check()
    return template.render(content="x").user


@pytest.mark.parametrize(
    "body",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ lipsum.__globals__ }}",
        "{{ joiner['__init__'] }}",
        "{{ dict.__subclasses__() }}",
        "{{ content|attr('__class__') }}",
        "{{ content['__cl' ~ 'ass__'] }}",
        "{{ [content]|map('attr', '__class__')|list|first|attr('__mro__') }}",
        "{{ '{0.__class__}'.format(content) }}",
        "{{ '{x.__class__}'.format_map({'x': content}) }}",
        "{{ ['{0.__class__}'.format]|first|attr('__globals__') }}",
        "{{ content.format.__globals__ }}",
        "{{ self._TemplateReference__context }}",
        "{{ (1).__class__ }}",
        "{% include '/etc/passwd' %}",
        "{% include content %}",
        "{% include ['../../x', content] ignore missing %}",
        "{% import '/etc/passwd' as x %}",
        "{% from '/etc/passwd' import x %}",
        "{% extends '/etc/passwd' %}",
    ],
)
def test_a_template_reaches_neither_python_nor_files(body: str) -> None:
    with pytest.raises(PromptMistake, match=f"^{PLACE}: "):
        rendered(body)


REPEATING = [
    "{{ 'a' * 10**9 }}",
    "{{ 10**9 * 'a' }}",
    "{{ [0] * 10**9 }}",
    "{{ 10**(10**9) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '%*d' % (10**9, 1) }}",
    "{{ '%1000000000d'|format(1) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ '{0:{1}{1}}'.format('a', 99999) }}",
    "{{ 'a'.ljust(10**9) }}",
    "{{ 'a\\t'.expandtabs(10**9) }}",
    "{{ (1).to_bytes(10**9, 'big') }}",
    "{{ 'a'|center(10**9) }}",
    "{{ 'a'|center(width=10**9) }}",
    "{{ 'a'|indent(10**9, first=true) }}",
    "{{ ['a']|map('center', 10**9)|list }}",
    "{{ [1]|tojson(indent=10**9) }}",
    "{{ [1]|batch(10**9, 'x')|list }}",
    "{{ [1]|slice(10**9)|list }}",
    "{{ range(99999)|join('b' * 99999) }}",
    "{{ ('a' * 9999).replace('', 'b' * 99999) }}",
    "{{ ('a' * 9999)|replace('', 'b' * 99999) }}",
    "{% set n = namespace(t='a') %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
    "{% set n = namespace(t='a') %}{% for i in range(60) %}{% set n.t = n.t + n.t %}{% endfor %}",
    "{% set n = namespace(t=7) %}{% for i in range(60) %}{% set n.t = n.t * n.t %}{% endfor %}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(99999) %}{{ range(99999)|map('abs')|sum }}{% endfor %}",
    "{% for i in range(99999) %}" + "literal " * 1_000 + "{% endfor %}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
]


@pytest.mark.parametrize("body", REPEATING)
def test_repetition_ends_by_the_budget_of_work(body: str) -> None:
    with pytest.raises(PromptMistake, match="the block user makes too much work"):
        rendered(body)


def test_nothing_is_computed_when_a_folder_is_loaded(tmp_path: Path) -> None:
    for number, body in enumerate(REPEATING):
        text = own(body).replace("name: a/b", f"name: a/b{number}")
        put(tmp_path, f"a/b{number}.v1.md", text)
    assert len([name for name in PromptRegistry(tmp_path).names() if name.startswith("a/b")]) == 29


def test_ordinary_work_is_far_below_the_budget() -> None:
    body = (
        "{% for i in range(2000) %}{{ loop.index }}/{{ loop.length }} {{ content|upper|indent(4) }}"
        " {{ '%05.2f' % i }} {{ '{:>8}'.format(i) }} {{ content * 3 }}\n{% endfor %}"
        "{{ range(2000)|map('string')|join(', ')|replace(',', ';')|length }}"
    )
    template = PromptTemplate(own(body), PLACE)
    assert template.render(content="a line\n" * 20).user.startswith("1/2000 A LINE\n    A LINE")
    assert template.render(content="x").user.endswith("10888")
    content = "y" * (MOST_WORK // 100)
    assert PromptTemplate(own("{{ content }}"), PLACE).render(content=content).user == content


@pytest.mark.parametrize("folder", [False, True])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, *, folder: bool) -> None:
    outside = put(tmp_path, "secret/continue.v2.md", GOOD.format(version=2)) / "secret"
    root = tmp_path / "prompts"
    root.mkdir()
    if folder:
        (root / "linear").symlink_to(outside)
        assert PromptRegistry(root).versions("linear/continue") == [1, 2, 3]
        return
    (root / "linear").mkdir()
    (root / "linear" / "continue.v2.md").symlink_to(outside / "continue.v2.md")
    with pytest.raises(PromptMistake, match=r"^linear/continue.v2.md: is a link out of its folder"):
        PromptRegistry(root)
    ((_, what),) = lint(root)
    assert str(tmp_path) not in what


def test_a_link_within_the_folder_and_to_the_folder_is_followed(tmp_path: Path) -> None:
    real = put(tmp_path / "real", "linear/continue.v2.md", GOOD.format(version=2))
    (real / "linear" / "continue.v3.md").symlink_to("continue.v2.md")
    with pytest.raises(PromptMistake, match="says linear/continue version 2"):
        PromptRegistry(real)
    (real / "linear" / "continue.v3.md").unlink()
    (tmp_path / "link").symlink_to(real)
    assert PromptRegistry(tmp_path / "link").versions("linear/continue") == [1, 2, 3]


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "linear").mkdir()
    odd = tmp_path / "linear" / "continue.v2.md"
    os.mkfifo(odd)
    with pytest.raises(PromptMistake, match="cannot be read"):
        PromptRegistry(tmp_path)
    odd.unlink()
    odd.symlink_to(odd.name)
    with pytest.raises(PromptMistake, match="cannot be read"):
        PromptRegistry(tmp_path)


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    put(tmp_path, "linear/continue.v2.md", "")
    os.truncate(tmp_path / "linear/continue.v2.md", 100_000_000)
    with pytest.raises(PromptMistake, match=f"up to {LONGEST_FILE:,} bytes"):
        PromptRegistry(tmp_path)


@pytest.mark.parametrize("name", ["../linear/continue", "/etc/passwd", "linear/../a/b", "."])
def test_a_name_leads_nowhere_but_to_its_own_file(tmp_path: Path, name: str) -> None:
    text = own("").replace("name: a/b", f"name: {name}")
    with pytest.raises(PromptMistake, match="its front matter says"):
        PromptRegistry(put(tmp_path, "a/b.v1.md", text))
    with pytest.raises(PromptMistake, match=r"is named STEP.vNUMBER.md"):
        PromptRegistry(put(tmp_path, "a/...v1.md", text))


def test_front_matter_that_unfolds_without_end_is_refused() -> None:
    rows = [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 30)]
    bomb = own("").replace(
        "output: {type: object}", "output:\n  x0: &x0 [a]\n  " + "\n  ".join(rows)
    )
    for text in (bomb, own("").replace("{type: object}", "&a {type: object, default: *a}")):
        with pytest.raises(PromptMistake, match="its front matter is no YAML"):
            PromptTemplate(text, PLACE).check()
