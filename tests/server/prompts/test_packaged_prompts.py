"""What the modes ask a language model can be asked for as MCP prompts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.llm.messages import schema_in_words
from reasonloom.prompts.registry import PACKAGED, PromptRegistry
from reasonloom.prompts.template import PromptTemplate
from reasonloom.prompts.variables import Use, required_variables, variable_uses
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.prompts.packaged import OF_EVALS
from reasonloom.settings import load_settings
from tests import ROOT

OTHERS = ("recall", "review", "causantic-forget")
NOWHERE = "postgresql://127.0.0.1:1/none"


@asynccontextmanager
async def asking(**given: Any) -> AsyncIterator[Client]:
    """Yield the client of a server whose database is away: prompts need none."""
    chosen = {} if "serve_as" in given else {"toolsets": "all"}
    settings = load_settings(database_url=NOWHERE, **{**chosen, **given})
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        yield client


async def filled(client: Client, name: str, **arguments: str) -> list[str]:
    """Return the texts of a prompt."""
    messages = (await client.get_prompt(name, arguments)).messages
    assert {message.role for message in messages} == {"user"}
    return [str(message.content.text) for message in messages]  # type: ignore[union-attr]


async def test_every_packaged_prompt_is_listed_with_its_variables() -> None:
    registry = PromptRegistry()
    wanted = {name for name in registry.names() if not name.startswith(OF_EVALS)}
    async with asking() as client:
        prompts = {each.name: each for each in (await client.list_prompts()).prompts}
        (guide,) = await filled(client, "reasonloom-guide")
    assert not prompts.pop("reasonloom-guide").arguments
    prompts = {name: each for name, each in prompts.items() if name not in OTHERS}
    assert "needs_answers" in guide
    assert prompts.keys() == wanted
    for name, prompt in prompts.items():
        told = [argument.name for argument in prompt.arguments or ()]
        assert told == registry.get(name).about.variables
        assert prompt.title
        assert prompt.description
    arguments = {each.name: each for each in prompts["linear/continue"].arguments or ()}
    assert {name for name, each in arguments.items() if each.required} == {"content"}
    assert arguments["memories"].description == "A list, as JSON."


async def test_by_default_three_prompts_are_listed_for_people() -> None:
    async with asking(toolsets="default") as client:
        prompts = (await client.list_prompts()).prompts
        (think,) = await filled(client, "think", question="Rent or buy?", mode="tree")
        (review,) = await filled(client, "review")
        with pytest.raises(MCPError, match="Missing required argument: topic"):
            await client.get_prompt("recall", {})
    assert [each.name for each in prompts] == ["recall", "think", "review"]
    assert "Rent or buy?" in think
    assert "mode tree" in think
    assert "what is stored. Nothing is changed" in review
    async with asking(toolsets="default", exclude_tools="forget,reason") as client:
        assert [each.name for each in (await client.list_prompts()).prompts] == ["recall"]


async def test_a_prompt_is_filled_in_as_its_mode_does_it() -> None:
    template = PromptRegistry().get("linear/continue")
    memories = [{"content": "The bridge is closed."}]
    given = {"content": "Which way?", "history": [], "memories": memories}
    nothing_yet = dict.fromkeys(("failed", "contradicted", "searched", "executes"))
    wanted = template.render(**given, doubt="", **nothing_yet)
    async with asking() as client:
        texts = await filled(
            client, "linear/continue", content="Which way?", memories=json.dumps(memories)
        )
        assert wanted.schema
        form = "\n\n" + schema_in_words(wanted.schema)
        assert texts == [wanted.system + form, wanted.user]
        bare = await filled(client, "linear/continue", content="Which way?")
        assert "<memories>" not in bare[1]
        assert "Which way?" in bare[1]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("linear/continue", {}, "Missing required argument: content"),
        ("linear/continue", {"content": "x", "contents": "y"}, "contents: unknown argument"),
        ("linear/continue", {"content": "x", "memories": "5"}, "memories: must be a list or an"),
        ("linear/continue", {"content": "x", "memories": "plain words"}, "memories: must be a"),
        ("linear/continue", {"content": "x", "memories": '"text"'}, "memories: must be a list"),
        ("linear/continue", {"content": "x", "memories": "[1"}, "memories: must be a list or an"),
        ("linear/continue", {"content": "x", "memories": "[NaN]"}, "memories: must be a list"),
        ("linear/continue", {"content": "x", "memories": "[" * 9999}, "memories: must be a list"),
        ("basins/name", {"words": "sea", "memories": "[]"}, "words: must be a list or an object"),
        ("divergent/view", {"content": "x", "lens": "upside down"}, "lens: must be a list or an"),
        ("analysis/step", {"framework": " ", "step": "{}", "problem": "x"}, "framework: must be"),
        ("linear/continued", {}, "Prompt not found: linear/continued"),
        ("evals/judge", {}, "Prompt not found: evals/judge"),
    ],
)
async def test_what_does_not_fit_is_a_malformed_call(
    name: str, arguments: dict[str, str], told: str
) -> None:
    async with asking() as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)
    assert caught.value.error.code == -32602
    assert told in caught.value.error.message
    assert str(ROOT) not in caught.value.error.message


async def test_the_users_own_version_goes_over_the_packaged_one(tmp_path: Path) -> None:
    packaged = (PACKAGED / "linear" / "continue.v1.md").read_text(encoding="utf-8")
    own = packaged.replace("version: 1", "version: 3").replace("You continue", "Go on with")
    (tmp_path / "linear").mkdir()
    (tmp_path / "linear" / "continue.v3.md").write_text(own, encoding="utf-8")
    async with asking(prompts=tmp_path) as client:
        system, user = await filled(client, "linear/continue", content="Which way?")
    assert system.startswith("Go on with a line")
    assert "Which way?" in user


async def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "wrong.md").write_text("nothing", encoding="utf-8")
    async with asking(prompts=tmp_path) as client:
        with pytest.raises(MCPError, match=r"wrong\.md"):
            await client.list_prompts()


async def test_a_reference_has_no_prompts() -> None:
    async with asking(serve_as="thoughtmcp") as client:
        assert (await client.list_prompts()).prompts == []


def test_what_is_asked_for_first_or_walked_through_may_be_left_out() -> None:
    template = PromptRegistry().get("linear/continue")
    assert required_variables(template) == {"content"}
    walked = {name for name, uses in variable_uses(template).items() if Use.ITERATED in uses}
    assert walked == {"history", "memories", "contradicted"}


AS_GIVEN = (
    "true", "false", "null", "1.10", "1e5", "-0", "0", "1e999", '{"a": null}', '[1.0, "x"]', "[]",
    '"quoted"', " 7 ", "NaN", '{"b": 1, "b": 2}', "0x10", "Which way?",
)  # fmt: skip


@pytest.mark.parametrize("said", AS_GIVEN)
async def test_nobodys_words_are_changed_on_their_way_into_a_prompt(said: str) -> None:
    async with asking() as client:
        user = (await filled(client, "linear/continue", content=said, doubt=said))[1]
        bare = (await filled(client, "linear/continue", content="CONTENT", doubt="DOUBT"))[1]
        lens = await filled(client, "grounding/entailment", claim="x", memories="[]", lens=said)
    assert user == bare.replace("CONTENT", said).replace("DOUBT", said).strip()
    assert said.strip() in lens[0]


async def test_what_a_list_holds_is_said_as_it_was_written() -> None:
    held = '["text", 1.10, 1e5, -0, 1e999, true, null, {"a": null, "b": [1.50, "\u00e9"]}]'
    async with asking() as client:
        said = (await filled(client, "basins/name", words=held, memories="[]"))[1]
    assert "text, 1.10, 1e5, -0, 1e999, true, null, " in said
    assert '{"a": null, "b": [1.50, "\u00e9"]}' in said


@pytest.mark.parametrize("held", ['[{"id": 1}]', "[[1]]", "[1.5]", "[true]", "[null]"])
async def test_what_a_list_lacks_is_told_without_our_insides(held: str) -> None:
    async with asking() as client:
        with pytest.raises(MCPError) as caught:
            await filled(client, "linear/continue", content="x", history=held)
    told = caught.value.error.message
    assert "has no attribute" in told
    assert "reasonloom" not in told
    assert "_" not in told


async def test_a_truth_is_one_where_it_is_only_asked_for() -> None:
    route = {"content": "Which way?", "steps": '["One."]'}
    async with asking() as client:
        for checkpoint, told in (("true", "has a"), ("false", "has no"), ("yes", "has a")):
            said = await filled(client, "auto/route", **route, checkpoint=checkpoint)
            assert f"It {told} checkpoint." in said[1]


USED = {
    "{{ x }}": {Use.PRINTED},
    "{{ x | upper }}{{ x.strip() }}{{ x[:9] }}": {Use.PRINTED},
    "{% if x == 'a' %}{% endif %}": {Use.PRINTED},
    "{% if x %}{{ x }}{% endif %}": {Use.TESTED, Use.PRINTED},
    "{{ 'a' if x and not x else 'b' }}": {Use.TESTED},
    "{% if x is defined %}{% endif %}": {Use.TESTED},
    "{% if x > 3 %}{% endif %}{{ x + 1 }}{{ x | round }}": {Use.COUNTED},
    "{% for x in [1] %}{{ x }}{% endfor %}": set(),
    "{% for y in x | default([]) | sort %}{% endfor %}": {Use.ITERATED},
    "{{ x | join }}": {Use.ITERATED},
    "{{ x.name }}{{ x['name'] }}{{ x.items() }}": {Use.ACCESSED},
    "{% set y = x %}{{ range(x) }}": {Use.PASSED_ON},
}
HEAD = "---\nname: own/ask\nversion: 1\nvariables: [x]\n---\n"
BODY = "{% block system %}s{% endblock %}{% block user %}B{% endblock %}"


@pytest.mark.parametrize("body", USED)
def test_what_a_template_does_with_a_variable_is_told(body: str) -> None:
    template = PromptTemplate(HEAD + BODY.replace("B", body), "own/ask.v1.md")
    assert variable_uses(template) == {"x": USED[body]}


@pytest.mark.parametrize(
    ("body", "given", "said"),
    [
        ("{% if x > 3 %}more {% endif %}{{ x }}", "4.50", "more 4.50"),
        ("{% set y = x %}{% for z in y %}{{ z }};{% endfor %}{{ x }}", "[1.0,2]", "1.0;2;[1.0,2]"),
        ("{% set y = x %}{{ y }}", "1e5", "1e5"),
        ("{{ x.a }} of {{ x }}", '{"a":true}', 'true of {"a":true}'),
        ("{{ x | length }} {{ x }}", "[1, 2]", "6 [1, 2]"),
    ],
)
async def test_prompts_of_ones_own_print_what_is_given(
    tmp_path: Path, body: str, given: str, said: str
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ask.v1.md").write_text(HEAD + BODY.replace("B", body), encoding="utf-8")
    async with asking(prompts=tmp_path) as client:
        assert (await filled(client, "own/ask", x=given))[1] == said
