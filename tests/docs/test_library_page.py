"""The page on the Python API: its blocks run as they are written, one after another."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from reasonloom.library.tool_table import MODES
from tests.library.conftest import llm, options
from tests.support.docs.pages import DOCS, blocks

__all__ = ["llm", "options"]
PAGE = DOCS / "library.md"
OUTPUTS = ["peanuts", "Where should we eat?", "oat milk", "drink 0.", "No nuts."]
"""A part of each printed line."""


class Chat(GenericFakeChatModel):
    """A chat model that accepts tools."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


async def test_every_block_runs(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", options["database_url"])
    names: dict[str, Any] = {"model": Chat(messages=iter([AIMessage("No nuts.")]))}
    for block in blocks(PAGE):
        assert block.language == "python"
        code = compile(block.body, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, names)  # noqa: S307 - our own page
        if inspect.isawaitable(result):
            await result
    printed = [each for each in capsys.readouterr().out.splitlines() if each]
    for expected in OUTPUTS:
        assert any(expected in line for line in printed), expected


def test_the_page_names_every_mode() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = re.search(r"Modes are (.*?)\.\n", text, re.S)
    assert named
    assert re.findall(r"`(\w+)`", named[1]) == [*MODES]
