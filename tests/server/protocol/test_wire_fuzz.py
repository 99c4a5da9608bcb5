"""Whatever bytes and values come, the wire and the door read them or refuse them, no more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp_types import jsonrpc_message_adapter

from reasonloom.contracts.base import Request
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.server.json_rpc import Refusal, repair
from reasonloom.server.toolsets.table import TOOLSETS
from tests.support.contracts.references import BESIDE, least_request

REQUESTS: dict[str, type[Request]] = {
    line.name: line.request for toolset in TOOLSETS for line in toolset.tools
}


def filled(tool: str) -> dict[str, Any]:
    """Return a request that a tool takes."""
    return {**least_request(publish(REQUESTS[tool])), **BESIDE.get(tool, {})}


OF_TEXT = {
    tool: name for tool in REQUESTS for name, value in filled(tool).items()
    if value == "a plain text"
}  # fmt: skip
"""A field of text of each tool that must have one."""

TEXT = st.text(st.characters(codec=None), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
IDS = st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FRAGMENTS = st.sampled_from(
    [b'{"jsonrpc":"2.0",', b'"id":1', b'"id":"x"', b'"method":"ping"', b",", b"}", b"{", b"[", b"]",
     rb"\ud800", b'"', b"NaN", b"1e999", b"\xff", b"\x00", b":", b'"params":', b"9" * 30]
)  # fmt: skip


def checked(raw: bytes) -> bytes | Refusal:
    """Mend; what is passed on must be readable, what is refused must say so."""
    mended = repair(raw)
    if isinstance(mended, bytes):
        jsonrpc_message_adapter.validate_json(mended, by_name=False)
        mended.decode()
    else:
        assert mended.code in (-32700, -32600)
        assert mended.ids
        assert len(mended.message) < 200
    return mended


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.lists(FRAGMENTS, max_size=12).map(b"".join))
@example(b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}')
@example(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}')
@example(b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}')
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
def test_no_bytes_break_the_wire(raw: bytes) -> None:
    checked(raw)


@settings(max_examples=100, deadline=None)
@given(IDS, VALUES, st.booleans())
def test_every_request_of_valid_json_keeps_its_id(identifier: Any, value: Any, ascii: bool) -> None:  # noqa: A002
    message = {"jsonrpc": "2.0", "id": identifier, "method": "m", "params": {"value": value}}
    raw = json.dumps(message, ensure_ascii=ascii).encode(errors="surrogatepass")
    mended = checked(raw)
    if isinstance(mended, bytes):
        assert json.loads(mended)["id"] == identifier
    else:
        assert mended.ids == (identifier,)


@settings(max_examples=100, deadline=None)
@given(IDS, st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers()))
def test_a_valid_message_stays_byte_for_byte_what_it_was(
    identifier: Any, params: dict[str, Any]
) -> None:
    message = {"jsonrpc": "2.0", "id": identifier, "method": "m", "params": params}
    raw = json.dumps(message).encode()
    assert repair(raw) == raw


@settings(max_examples=200, deadline=None)
@given(IDS, VALUES, st.data())
def test_a_message_that_is_broken_anywhere_is_answered_under_no_other_id(
    identifier: Any, value: Any, data: st.DataObject
) -> None:
    params = {"id": 4_711, "value": value, "inner": {"id": "other"}}
    members = [("params", params), ("id", identifier), ("method", "m"), ("jsonrpc", "2.0")]
    shuffled = dict(data.draw(st.permutations(members)))
    raw = json.dumps(shuffled).encode()
    at = data.draw(st.integers(0, len(raw)))
    noise = data.draw(st.sampled_from([b"", b",", b'"', b"}", b"{", b"]", b"\xff", b"\\", b"7"]))
    mended = checked(raw[:at] + noise + raw[at + data.draw(st.integers(0, 1)) :])
    if isinstance(mended, Refusal):
        assert 4_711 not in mended.ids or identifier == 4_711
        assert "other" not in mended.ids or identifier == "other"


@pytest.mark.parametrize("tool", REQUESTS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_door_refuses_with_our_error_alone(tool: str, data: st.DataObject) -> None:
    names = list(REQUESTS[tool].model_json_schema(by_alias=True)["properties"])
    keys = st.sampled_from(names) | TEXT if names else TEXT
    extra = data.draw(st.dictionaries(keys, VALUES, max_size=5))
    base = least_request(publish(REQUESTS[tool])) if data.draw(st.booleans()) else {}
    try:
        request = parse_request(REQUESTS[tool], {**base, **extra})
    except InvalidArgument as error:
        assert error.field
        assert error.message
        error.message.encode()  # a message is text that can be sent
        return
    again = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert parse_request(REQUESTS[tool], again) == request


@pytest.mark.parametrize("tool", OF_TEXT)
@settings(max_examples=30, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cn", "Cc"]), min_size=1, max_size=50))
def test_any_text_with_a_letter_passes_the_door_as_it_is(tool: str, text: str) -> None:
    base, name = filled(tool), OF_TEXT[tool]
    request = parse_request(REQUESTS[tool], {**base, name: "a" + text})
    assert request.model_dump(by_alias=True)[name] == "a" + text
