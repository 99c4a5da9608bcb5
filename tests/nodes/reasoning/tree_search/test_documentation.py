"""The page on the searcher: its example runs, and it names all there is."""

from __future__ import annotations

import re
from typing import get_args

from reasonloom.nodes.reasoning.tree_search.settings import CHOICES
from reasonloom.nodes.reasoning.tree_search.state import Kind
from tests import ROOT

PAGE = (ROOT / "docs" / "treesearch.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    found: dict[str, object] = {}
    exec(compile(block, "docs/treesearch.md", "exec"), found)  # noqa: S102 - our own page
    assert found["found"]


def test_every_controller_and_every_kind_of_order_is_told() -> None:
    for name in (*CHOICES["controller"], *get_args(Kind)):
        assert f"`{name}`" in PAGE, name
