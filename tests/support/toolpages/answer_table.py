"""What typical answers cost in tokens, whole and short; run as a module it writes the table anew.

The language model is scripted, and says each thing in five sentences.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from typing import Any

from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.settings import Settings
from reasonloom.text.tokens import count_tokens
from tests import ROOT
from tests.support.databases.postgres import TestPostgres, running_server
from tests.support.llms.scripted_replies import ReadyLlm
from tests.support.toolpages.calls import SCRIPTS
from tests.support.toolpages.normalisation import Stillness
from tests.support.toolpages.player import greenwich, playing

TABLE = ROOT / "tests" / "server" / "catalogue" / "answer_tokens.json"
FORMS = ("full", "short")
MORE = (
    " That holds because the kitchen fries everything in one pan and nobody cleans it between "
    "two orders. It was seen on three evenings of four. What speaks against it is a single guest "
    "who ate there without harm. Whoever wants to be sure rings the cook in the afternoon."
)
AS_THEY_ARE = ("continuations", "sub_problems")
"""Replies whose texts the scripted model must know again."""

Costs = dict[str, dict[str, list[int]]]
"""By tool and form: the tokens of the text, and those of the values."""


class WordyLlm(ReadyLlm):
    """Says what the scripted model says, and four sentences more."""

    async def answer(self, ask: Ask) -> Reply:
        """Answer at once."""
        reply = await super().answer(ask)
        body = _longer(reply.parsed)
        return Reply(json.dumps(body), body, self.name, reply.usage)


def _longer(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: each if name in AS_THEY_ARE else _longer(each) for name, each in value.items()
        }
    if isinstance(value, list):
        return [_longer(each) for each in value]
    is_sentence = isinstance(value, str) and value.endswith(".") and " " in value
    return value + MORE if is_sentence else value


async def costs(name: str, postgres: TestPostgres, embedder: Embedder) -> Costs:
    """Return what the examples of a toolset cost, in both forms."""
    found: Costs = {}
    for form in FORMS:
        for tool, cost in (await _played(name, form, postgres, embedder)).items():
            found.setdefault(tool, {})[form] = cost
    return found


async def _played(
    name: str, form: str, postgres: TestPostgres, embedder: Embedder
) -> dict[str, list[int]]:
    script, still = SCRIPTS[name], Stillness()
    found: dict[str, list[int]] = {}
    with greenwich(), postgres.clone() as database:
        access = postgres.access(database)
        toolsets = ("all", "extras")
        async with playing(
            access, embedder, toolsets, script.prepare, llm=WordyLlm(), answers=form
        ) as player:
            for step in script.steps:
                played = await player.play(step)
                values = json.dumps(still(played.answer), ensure_ascii=False)
                if step.shown:
                    found[step.tool] = [count_tokens(_text(played.text, still, values))]
                    found[step.tool].append(count_tokens(values))
    return found


def _text(text: str, still: Stillness, values: str) -> str:
    """Return a text as it stands still: a whole answer's is its values as JSON."""
    try:
        json.loads(text)
    except ValueError:
        return str(still(text))
    return values


async def table(postgres: TestPostgres, embedder: Embedder) -> Costs:
    """Return what every example costs."""
    found: Costs = {}
    for name in SCRIPTS:
        found |= await costs(name, postgres, embedder)
    return dict(sorted(found.items()))


def main() -> None:
    """Write what each typical answer costs now."""
    with tempfile.TemporaryDirectory() as home, running_server() as postgres:
        os.environ.update(REASONLOOM_LLM="offline", REASONLOOM_HOME=home)
        found = asyncio.run(table(postgres, choose_embedder(Settings())))
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(each)}" for name, each in found.items())
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
