"""What is served is what was chosen, by flag or by variable, and a wrong choice stops the start."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.contracts.toolsets import ALL_TOOLS, INVENTORY
from reasonloom.errors import SettingMistake
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import CLASSIC_TOOLS, DEFAULT_TOOLS, built_names, choose
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.http.serving import parse_address
from reasonloom.server.toolsets.toolset import Effect
from reasonloom.settings import load_settings
from tests.support.clients.processes import Spoken, command, environment

NOWHERE = "postgresql://127.0.0.1:1/none"
BUILT = built_names()


def served(**given: Any) -> list[str]:
    return [tool.name for tool in choose(load_settings(**given)).tools]


def test_default_is_ten_tools_whoever_is_the_language_model() -> None:
    assert set(served()) == set(DEFAULT_TOOLS)
    assert served(llm="caller") == served()
    assert len(DEFAULT_TOOLS) == len(set(DEFAULT_TOOLS)) == 10


def test_classic_is_a_tool_for_each_mode() -> None:
    assert served(toolsets="classic") == [name for name in BUILT if name in CLASSIC_TOOLS]
    assert served(toolsets="classic", llm="caller") == served(toolsets="classic")


def test_all_is_every_built_tool_of_the_seventy() -> None:
    assert served(toolsets="all") == BUILT
    assert set(BUILT) <= set(ALL_TOOLS)


@pytest.mark.parametrize("toolset", ["thought", "reasoning"])
def test_a_toolset_is_its_own_tools(toolset: str) -> None:
    assert served(toolsets=toolset) == [name for name in BUILT if name in INVENTORY[toolset]]


def test_choices_add_and_exclusions_take_away() -> None:
    assert served(tools="recall") == ["recall"]
    assert served(tools="forget, recall") == ["recall", "forget"]
    assert served(toolsets="thought", tools="reasoning_linear")[-1] == "reasoning_linear"
    assert "forget" in served(toolsets="thought,reasoning")
    assert "forget" not in served(toolsets="all", exclude_tools="forget")
    assert served(tools="recall,forget", exclude_tools="forget") == ["recall"]


def test_read_only_serves_what_only_reads() -> None:
    tools = choose(load_settings(toolsets="all", read_only=True)).tools
    assert "recall" in [tool.name for tool in tools]
    assert {tool.line.effect for tool in tools} == {Effect.READS}
    assert served(toolsets="all", read_only=True) != served(toolsets="all")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("REASONLOOM_TOOLSETS", "reasoning", "reasoning_linear"),
        ("REASONLOOM_TOOLS", "recall", "recall"),
        ("REASONLOOM_READ_ONLY", "true", "recall"),
    ],
)
def test_variables_choose_as_flags_do(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(name, value)
    assert expected in served()
    assert "remember" not in served()


def test_a_variable_excludes_and_a_flag_goes_over_a_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REASONLOOM_EXCLUDE_TOOLS", "remember,forget")
    assert "remember" not in served()
    assert "recall" in served()
    monkeypatch.setenv("REASONLOOM_TOOLSETS", "reasoning")
    assert "recall" in served(toolsets="thought")


@pytest.mark.parametrize(("name", "toolset"), [("thoughtmcp", "thought"),
                                               ("langbase-reasoning", "reasoning")])  # fmt: skip
def test_as_serves_one_reference_whole(name: str, toolset: str) -> None:
    assert served(serve_as=name) == [each for each in BUILT if each in INVENTORY[toolset]]


@pytest.mark.parametrize(
    "choice",
    [{"toolsets": "all"}, {"tools": "recall"}, {"exclude_tools": "forget"}, {"read_only": True}],
)
def test_as_stands_alone(choice: dict[str, Any]) -> None:
    with pytest.raises(SettingMistake, match="--as serves exactly one reference"):
        served(serve_as="thoughtmcp", **choice)


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"toolsets": "defualt"}, "REASONLOOM_TOOLSETS: there is no defualt; did you mean default"),
        ({"toolsets": "thought,resoning"}, "did you mean reasoning?"),
        ({"toolsets": "zzzz"}, "known: default, classic, all"),
        ({"tools": "rember"}, "REASONLOOM_TOOLS: there is no rember; did you mean remember?"),
        ({"tools": "Recall"}, "did you mean recall?"),
        ({"exclude_tools": "forgot"}, "REASONLOOM_EXCLUDE_TOOLS: there is no forgot; did you mean"),
        ({"serve_as": "thoughtmpc"}, "there is no thoughtmpc; did you mean thoughtmcp?"),
        ({"tools": "reasoning_linear", "read_only": True}, "no tool is left to serve"),
        ({"tools": "recall", "exclude_tools": "recall"}, "no tool is left to serve"),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_told(choice: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingMistake) as caught:
        served(**choice)
    assert told in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "address", ["0.0.0.0:8321", "[::]:8321", "192.168.1.2:80", "example.org:80", "10.0.0.1:1",
                "8321", ":8321", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", "localhost.evil:1",
                "127.0.0.1:²", "-1:80"]
)  # fmt: skip
def test_http_is_served_on_loopback_alone(address: str) -> None:
    with pytest.raises(SettingMistake, match="--http"):
        parse_address(address)


@pytest.mark.parametrize(
    ("address", "expected"),
    [("127.0.0.1:8321", ("127.0.0.1", 8321)), ("localhost:1", ("localhost", 1)),
     ("[::1]:80", ("::1", 80)), ("127.8.8.8:65535", ("127.8.8.8", 65535))],
)  # fmt: skip
def test_loopback_addresses_are_read(address: str, expected: tuple[str, int]) -> None:
    assert parse_address(address) == expected


@pytest.mark.parametrize(
    ("flags", "variables", "told"),
    [
        (["--tools", "rember"], {}, "loom: --tools: there is no rember; did you mean remember?"),
        (["--toolsets", "thougt"], {"REASONLOOM_TOOLSETS": "all"}, "loom: --toolsets: there is no"),
        (["--exclude-tools", "forgot"], {}, "loom: --exclude-tools: there is no forgot"),
        (["--as", "thoughtmpc"], {}, "loom: --as: there is no thoughtmpc"),
        (
            ["--tools", "recall"],
            {"REASONLOOM_EXCLUDE_TOOLS": "x"},
            "loom: REASONLOOM_EXCLUDE_TOOLS:",
        ),
        (["--http", "0.0.0.0:8321"], {}, "only a loopback address"),
        (["--http", "127.0.0.1:1"], {"REASONLOOM_TOOLSETS": "thougt"}, "did you mean thought?"),
        ([], {"REASONLOOM_READ_ONLY": "perhaps"}, "REASONLOOM_READ_ONLY"),
    ],
)
def test_a_wrong_choice_stops_the_start_with_one_line(
    tmp_path: Path, flags: list[str], variables: dict[str, str], told: str
) -> None:
    env = environment(tmp_path / "home", DATABASE_URL=NOWHERE, **variables)
    done = subprocess.run(
        command(*flags), env=env, cwd=tmp_path, capture_output=True, text=True, timeout=30,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert told in done.stderr


def test_flags_choose_in_a_real_server_and_what_is_left_out_is_no_tool(
    tmp_path: Path, folder: Path
) -> None:
    env = environment(tmp_path / "home", DATABASE_URL=NOWHERE, REASONLOOM_TOOLSETS="reasoning")
    server = Spoken(env, folder, "--toolsets", "thought", "--exclude-tools", "forget")
    try:
        server.handshake()
        assert [tool["name"] for tool in server.tools()][:2] == ["remember", "recall"]
        for name in ("forget", "reasoning_linear"):
            error = server.request("tools/call", {"name": name, "arguments": {}})["error"]
            assert error["code"] == -32602
            assert error["message"].startswith(f"Tool not found: {name}")
    finally:
        server.stop()


async def test_the_default_list_is_small(
    record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most twelve tools; the size of the list is noted in the report."""
    settings = load_settings(database_url=NOWHERE)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        tools = (await client.list_tools()).tools
    shown = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in tools
    ]
    whole = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    # litellm carries the table that tiktoken would download.
    tables = Path(str(find_spec("litellm").origin)).parent / "litellm_core_utils" / "tokenizers"  # type: ignore[union-attr]
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tables))
    encoding = tiktoken.get_encoding("o200k_base")
    seen, all_ = (len(encoding.encode(json.dumps(each))) for each in (shown, whole))
    record_property("tokens that an agent reads", seen)
    record_property("tokens of the whole list", all_)
    print(f"tools/list of the default catalogue: {seen} tokens read by an agent, {all_} in all")
    assert len(tools) <= 12
    assert 0 < seen < all_


def test_a_reference_is_not_served_by_the_model_that_calls() -> None:
    with pytest.raises(SettingMistake, match="REASONLOOM_LLM=caller cannot serve them"):
        choose(load_settings(serve_as="thoughtmcp", llm="caller"))


NOT_SERVED = {
    "reasoning_tree": [
        'reason {"text": "Should we',
        '"mode": "tree"}',
        "--toolsets default,classic",
    ],
    "think": ["--toolsets default,classic"],
    "history_recall": ["--toolsets default,history"],
    "batch_remember": ["--toolsets default,extras"],
    "reasoning_answer": ["REASONLOOM_LLM=caller"],
    "search": ["--exclude-tools"],
    "recal": ["did you mean recall?"],
}


async def test_what_is_not_served_names_the_flag_that_serves_it() -> None:
    settings = load_settings(database_url=NOWHERE, exclude_tools="search")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        for name, expected in NOT_SERVED.items():
            with pytest.raises(MCPError) as caught:
                await client.call_tool(name, {})
            assert caught.value.error.code == -32602
            assert all(each in caught.value.error.message for each in expected)
