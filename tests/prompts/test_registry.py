"""Templates: versions, a folder over the packaged one, and mistakes that name the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from reasonloom.errors import PromptMistake, SettingMistake, UnknownName
from reasonloom.prompts.registry import PromptRegistry, packaged_templates
from reasonloom.prompts.template import PromptTemplate

GOOD = """---
name: linear/continue
version: {version}
variables: [content]
output:
  type: object
  required: [thought, confidence]
  properties: {{thought: {{type: string}}, confidence: {{type: number}}}}
---
{{% block system %}}Think.{{% endblock %}}
{{% block user %}}{{{{ content }}}}{{% endblock %}}
"""
FIRST: dict[str, object] = {"content": "x", "history": [], "memories": [], "doubt": ""}
VARIABLES = {**FIRST, "failed": None, "contradicted": None, "searched": None, "executes": False}


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_the_newest_version_is_used_and_an_older_one_can_be_asked_for(tmp_path: Path) -> None:
    registry = PromptRegistry(put(tmp_path, "linear/continue.v4.md", GOOD.format(version=4)))
    assert registry.versions("linear/continue") == [1, 2, 3, 4]
    assert registry.get("linear/continue").render(content="hello").user == "hello"
    assert registry.get("linear/continue", 1).render(**FIRST).version == 1


def test_every_packaged_template_passes_the_checks_of_a_users() -> None:
    for _, _, template in packaged_templates():
        template.check()


def test_a_file_of_the_user_replaces_the_packaged_one_of_its_version(tmp_path: Path) -> None:
    packaged = PromptRegistry().get("linear/continue")
    registry = PromptRegistry(put(tmp_path, "linear/continue.v3.md", GOOD.format(version=3)))
    mine = registry.get("linear/continue")
    assert mine.render(content="x").system == "Think."
    assert mine.hash != packaged.hash


def test_the_hash_changes_with_a_letter() -> None:
    text = GOOD.format(version=1)
    one, other = PromptTemplate(text, "a"), PromptTemplate(text.replace("Think", "Thank"), "a")
    assert len(one.hash) == 16
    assert one.hash != other.hash


def test_an_unknown_name_or_version_offers_what_there_is() -> None:
    with pytest.raises(UnknownName, match="did you mean linear/continue"):
        PromptRegistry().get("linear/contnue")
    with pytest.raises(UnknownName, match="has no version 9; it has 1"):
        PromptRegistry().get("linear/continue", 9)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"content": "x"}, "lacks the variable contradicted"),
        ({**VARIABLES, "extra": 1}, "does not know the variable extra"),
        ({**VARIABLES, "history": [{"input": "a"}]}, "no attribute 'content'"),
    ],
)
def test_a_variable_that_is_missing_or_unknown_is_named(
    variables: dict[str, object], said: str
) -> None:
    with pytest.raises(PromptMistake, match=said):
        PromptRegistry().get("linear/continue").render(**variables)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("linear/continue.md", GOOD.format(version=1), "is named STEP.vNUMBER.md"),
        ("linear/other.v1.md", GOOD.format(version=1), "says linear/continue version 1"),
        ("linear/continue.v3.md", GOOD.format(version=2), "says linear/continue version 2"),
        ("a/b.v1.md", "no front matter", "name: Field required"),
        ("a/b.v1.md", "---\nname: [\n---\n", "is no YAML"),
        ("a/b.v1.md", "---\nname: 2020-13-45\n---\n", "is no YAML"),
        ("linear/continue.v40000.md", GOOD.format(version=40000), "version: .* equal to 32767"),
    ],
)
def test_an_ill_formed_file_stops_the_start(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(PromptMistake, match=said):
        PromptRegistry(put(tmp_path, name, text))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{% block system %}{% endblock %}", "lacks the block user"),
        ("{% block system %}{{ content }{% endblock %}", "line"),
    ],
)
def test_an_ill_formed_text_is_named(body: str, said: str) -> None:
    head = "---\nname: a/b\nversion: 1\nvariables: [content]\n---\n"
    with pytest.raises(PromptMistake, match=said):
        PromptTemplate(head + body, "a/b.v1.md").render(content="x")


def test_a_template_cannot_reach_out() -> None:
    text = GOOD.format(version=1).replace("Think.", "{{ content.__class__.__mro__ }}")
    with pytest.raises(PromptMistake):
        PromptTemplate(text, "a").render(content="x")


def test_a_folder_that_is_none_is_a_setting_to_mend(tmp_path: Path) -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_PROMPTS"):
        PromptRegistry(tmp_path / "nowhere")
