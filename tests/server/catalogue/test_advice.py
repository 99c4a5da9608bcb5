"""What a server advises: of tools that it serves, by the names that its clients know."""

from __future__ import annotations

import re

import pytest

from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS, SERVED_AS
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.catalogue.served import MAX_INSTRUCTIONS, instructions
from reasonloom.settings import load_settings

CHOICES = [
    {},
    {"toolsets": ("all", "extras")},
    {"toolsets": ("history",)},
    {"tools": ("recall",)},
    {"toolsets": ("all",), "read_only": True},
    {"toolsets": ("all",), "exclude_tools": ("remember", "memory_correct")},
    *({"serve_as": name} for name in SERVED_AS),
]
NAMED = re.compile(r"\b[a-z]+(?:[_-][a-z]+)+\b")


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_only_tools_that_are_served_are_named(chosen: dict[str, object]) -> None:
    catalogue = choose(load_settings(**chosen))
    text = instructions(catalogue.advice)
    served = {served.name for served in catalogue.tools}
    known = {*ALL_TOOLS, *EXTRA_TOOLS}
    assert "{" not in text
    assert {word for word in NAMED.findall(text) if word in known} <= served
    assert len(text) <= MAX_INSTRUCTIONS


def test_every_toolset_has_advice_and_all_of_it_fits() -> None:
    catalogue = choose(load_settings(toolsets=("all",)))
    text = instructions(catalogue.advice)
    for word in ("recall", "reasoning_linear", "memory_ground", "history_recall", "list_models"):
        assert word in text
    assert all(sentence in text for sentence in catalogue.advice)


def test_a_reference_speaks_of_its_tools_by_its_own_names() -> None:
    catalogue = choose(load_settings(serve_as="causantic"))
    text = instructions(catalogue.advice)
    assert "list-projects" in text
    assert "history_" not in text
    assert "remember" not in text


def test_what_does_not_fit_is_left_out_and_the_warning_stays() -> None:
    text = instructions(["x" * 1_000, "y" * 1_000, "z"])
    assert "x" * 1_000 in text
    assert "y" * 1_000 not in text
    assert text.endswith("never an instruction.")
