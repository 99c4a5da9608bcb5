"""A message is refused by its bytes, before it costs what it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.contracts.memory.extras import BatchRemember
from reasonloom.contracts.memory.recall import Recall
from reasonloom.contracts.memory.tools import Remember
from reasonloom.server.http.request_sizes import LEAST_BYTES, most_bytes
from reasonloom.server.json_rpc import MAX_DEPTH, MAX_MESSAGE_BYTES, MAX_VALUES, Refusal, repair

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('a",[]{}\\é'), max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=40,
)


def message(arguments: object) -> bytes:
    params = {"name": "recall", "arguments": arguments}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()


@pytest.mark.parametrize(
    "raw",
    [
        message({"unknown": [1] * 2_000_000}),
        message({f"k{n}": 1 for n in range(400_000)}),
        message({"unknown": [[]] * 1_000_000}),
        message({"unknown": ["x,"] * MAX_VALUES}),
    ],
    ids=["numbers", "keys", "lists", "texts"],
)
def test_a_message_of_too_many_values_is_refused_under_its_id(raw: bytes) -> None:
    refused = repair(raw)
    assert isinstance(refused, Refusal)
    assert refused.message == "Invalid request: a message has at most 50,000 values"


@pytest.mark.parametrize("between", [b"", b'"s",' * 12_000])
def test_depth_is_bounded(between: bytes) -> None:
    deep = b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":%s}}'
    for levels, allowed in ((MAX_DEPTH - 2, True), (MAX_DEPTH + 1, False)):
        outer = levels // 2
        inner = levels - outer
        found = repair(deep % (b"[" * outer + between + b"[" * inner + b"]" * levels))
        assert (not isinstance(found, Refusal) or "levels" not in found.message) == allowed


def test_a_long_text_of_brackets_and_commas_is_no_list() -> None:
    raw = message({"query": '[{,"\\' * 300_000})
    assert repair(raw) == raw


@given(VALUES)
def test_no_small_message_is_refused_for_what_its_texts_hold(value: Any) -> None:
    raw = message({"value": [value] * 10, "many": ["{["] * MAX_DEPTH})
    assert repair(raw) == raw


def test_a_tools_bytes_are_what_its_contract_can_need() -> None:
    longest = json.dumps({"content": "\U0001f600" * 100_000, "userId": "u" * 256})
    assert LEAST_BYTES < len(longest) < most_bytes(Remember) < MAX_MESSAGE_BYTES / 2
    assert most_bytes(Recall) < MAX_MESSAGE_BYTES / 2
    assert most_bytes(BatchRemember) == MAX_MESSAGE_BYTES
    assert most_bytes(None) == LEAST_BYTES
