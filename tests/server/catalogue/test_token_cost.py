"""What a catalogue costs whoever reads it: tokens of names, descriptions and input schemas."""

from __future__ import annotations

import json

from reasonloom.contracts.runs import ReasoningAnswer, ReasoningWaiting
from reasonloom.contracts.schema import publish
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import load_settings
from reasonloom.text.tokens import count_tokens
from tests.support.toolpages.token_table import TABLE, weight, weights

GROWTH = 1.1


def test_the_default_catalogue_is_small() -> None:
    found = weights("default")
    assert len(found) <= 20
    assert sum(found.values()) <= 3_500


def test_all_tools_together_are_small() -> None:
    found = weights("all")
    assert sum(found.values()) <= 10_500
    assert sum(found.values()) / len(found) <= 150
    assert max(found.values()) <= 400


def test_no_tool_grows_unseen() -> None:
    """Nor comes or goes one; `make snapshots` accepts what was meant."""
    known = json.loads(TABLE.read_text(encoding="utf-8"))
    found = weights("all", "extras")
    assert found.keys() == known.keys()
    grown = {name: found[name] for name in found if found[name] > GROWTH * known[name]}
    assert not grown, "these cost a tenth more than before, in tokens"


def test_the_default_catalogue_of_a_server_that_asks_its_caller_is_small() -> None:
    tools = choose(load_settings(llm="caller")).tools
    more = [(each.__doc__, publish(each)) for each in (ReasoningAnswer, ReasoningWaiting)]
    assert len(tools) + len(more) <= 20
    cost = sum(map(weight, tools)) + sum(count_tokens(json.dumps(each)) for each in more)
    assert cost <= 3_500
