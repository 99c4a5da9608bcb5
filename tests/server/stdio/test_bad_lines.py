"""Every id that a client sends over stdio is answered, whatever the line looks like."""

from __future__ import annotations

import json
from typing import Any

import psutil
import pytest

from reasonloom.server.json_rpc import MAX_DEPTH, MAX_MESSAGE_BYTES
from tests.support.clients.processes import Spoken, Web
from tests.support.databases.rows import Rows

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
RECALL = '{"name":"recall","arguments":{"userId":"local"}}'


def call(identifier: str, params: str = RECALL, **more: str) -> bytes:
    """Return a call as raw JSON; `identifier` is raw too."""
    extra = "".join(f',"{key}":{value}' for key, value in more.items())
    return (
        f'{{"jsonrpc":"2.0","id":{identifier},"method":"tools/call","params":{params}{extra}}}'
    ).encode()


def code_of(server: Spoken, identifier: Any) -> int:
    answer = server.answer(identifier)
    assert answer["jsonrpc"] == "2.0"
    assert "Traceback" not in json.dumps(answer)
    assert len(json.dumps(answer)) < 1_000
    return int(answer["error"]["code"])


@pytest.mark.parametrize(
    ("raw", "identifier"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"', 7),
        (b'{"jsonrpc":"2.0","id":"seven","method":"ping",}', "seven"),
        (b'{"id" : -3, "method":', -3),
        (b"not json at all", None),
        (b"{", None),
        (b"\x00\x01\x02", None),
        (b"\xff\xfe{\x00}\x00", None),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":' + b"[" * 100_000, 8),
        (call("9", '{"name":"recall","arguments":' + "[" * 5_000 + "]" * 5_000 + "}"), 9),
        (b'{"jsonrpc":"2.0","id":10,"method":"ping","params":{"n":' + b"9" * 5_000 + b"}", 10),
        (call("11", '{"name":"x","arguments":{"id":5}}') + b"}", 11),
        (b'{"params":{"id":5},"id":12345678901234567890,,}', 12345678901234567890),
        (b'{"params":{"id":5},"id":1.5,,}', None),
        (b'{"params":{"id":5},,"id":6}', None),
        (b'{"params":{"id":5,"a":"x"y"},"id":6}', None),
        (b'{"id":5,"id":6,,}', None),
        (b'{"jsonrpc":"2.0","id":5', None),
        (b'[{"id":5},,]', None),
        (b'{"id":"\\ud800",,}', None),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_with_its_id(
    speaker: Spoken, raw: bytes, identifier: Any
) -> None:
    speaker.write(raw)
    assert code_of(speaker, identifier) in (PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS)


@pytest.mark.parametrize("depth", [100, 200, 500, 1_000, 20_000])
def test_deeply_nested_arguments_are_answered(speaker: Spoken, depth: int) -> None:
    nest = '{"a":' * depth + "1" + "}" * depth
    for number, params in enumerate(
        (
            f'{{"name":"recall","arguments":{{"userId":"nobody","metadata":{nest}}}}}',
            f'{{"name":"recall","arguments":{nest}}}',
            f'{{"name":"recall","arguments":{{"userId":"nobody","sectors":{"[" * depth}'
            f"{']' * depth}}}}}",
            f'{{"name":"recall","arguments":{{"userId":"nobody"}},"_meta":{nest}}}',
        )
    ):
        identifier = f"deep-{depth}-{number}"
        speaker.write(call(json.dumps(identifier), params))
        answer = speaker.answer(identifier)
        text = json.dumps(answer)
        assert "Traceback" not in text
        assert len(text) < 5_000
        if number in (1, 2) or (number == 0 and depth > MAX_DEPTH):
            assert "error" in answer or answer["result"]["isError"] is True


def test_a_batch_is_refused_for_each_of_its_ids(speaker: Spoken) -> None:
    one, two = call('"b1"').decode(), call('"b2"').decode()
    speaker.write(f"[{one},{two}]".encode())
    assert code_of(speaker, "b1") == INVALID_REQUEST
    assert code_of(speaker, "b2") == INVALID_REQUEST
    speaker.write(b"[]")
    assert code_of(speaker, None) == INVALID_REQUEST
    speaker.write(b"[1,2]")
    assert code_of(speaker, None) == INVALID_REQUEST


@pytest.mark.parametrize("raw", ["null", "true", "1.5", "[1]", '{"a":1}', "1e400"])
def test_an_id_of_an_odd_type_is_refused_and_not_taken_for_a_notification(
    speaker: Spoken, raw: str
) -> None:
    speaker.write(call(raw))
    assert code_of(speaker, None) == INVALID_REQUEST


@pytest.mark.parametrize("identifier", [0, -1, 2**53, 10**14, "", "a b", "é🙂", "x" * 500, "\n"])
def test_every_fitting_id_comes_back_as_it_was(speaker: Spoken, identifier: Any) -> None:
    speaker.write(call(json.dumps(identifier)))
    assert speaker.answer(identifier)["result"]["isError"] is False


def test_a_broken_line_is_not_answered_under_the_id_of_a_call_that_waits(speaker: Spoken) -> None:
    broken = call("910", '{"name":"x","arguments":{"id":909}}').replace(b"}}}", b"}},,}")
    speaker.write(call("909") + b"\n" + broken)
    assert code_of(speaker, 910) == PARSE_ERROR
    assert speaker.answer(909)["result"]["isError"] is False


def test_a_surrogate_in_a_name_is_answered_and_an_id_with_one_is_refused(speaker: Spoken) -> None:
    speaker.write(call(r'"\ud800"'))
    refused = speaker.answer(None)["error"]
    assert refused["code"] == INVALID_REQUEST
    assert "id must be a string without lone surrogates" in refused["message"]
    speaker.write(call('"s"', r'{"name":"\ud800","arguments":{}}'))
    assert code_of(speaker, "s") == INVALID_PARAMS
    speaker.write(call('"t"', r'{"name":"recall","arguments":{"\ud800":1}}'))
    assert speaker.answer("t")["result"]["isError"] is True
    speaker.write(call('"u"', r'{"name":"recall","arguments":{"userId":"x","a\u0000":1}}'))
    assert speaker.answer("u")["result"]["isError"] is True


NO_UTF8 = (b"\xff", b"\xc3", b"\xe9", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\x80")
FACT = (
    '{"name":"remember","arguments":{"userId":"local","sessionId":"s",'
    '"primarySector":"semantic","content":"cafHERE"}}'
)


@pytest.mark.parametrize("wrong", NO_UTF8)
def test_bytes_that_are_no_utf8_are_refused_and_nothing_is_stored(
    speaker: Spoken, site: Web, rows: Rows, wrong: bytes
) -> None:
    before = rows.settled()["reasonloom.memories"]
    raw = call('"utf"', FACT).replace(b"HERE", wrong)
    speaker.write(raw)
    for refused in (speaker.answer("utf")["error"], site.post(raw).json()["error"]):
        assert refused["code"] == PARSE_ERROR
        assert refused["message"].startswith("Parse error: the message is not UTF-8 (byte ")
    assert rows.settled()["reasonloom.memories"] == before


def test_an_id_that_is_no_utf8_is_answered_as_none(speaker: Spoken) -> None:
    for wrong in NO_UTF8:
        speaker.write(call('"ut?"').replace(b"?", wrong))
        assert code_of(speaker, None) == PARSE_ERROR


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"jsonrpc": "2.0", "id": "m", "method": "tools/nope"}, NO_METHOD),
        ({"jsonrpc": "2.0", "id": "m", "method": ""}, NO_METHOD),
        ({"jsonrpc": "2.0", "id": "m", "method": "tools/call"}, INVALID_PARAMS),
        ({"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": {}}, INVALID_PARAMS),
        (
            {"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": {"name": 3}},
            INVALID_PARAMS,
        ),
        (
            {"jsonrpc": "2.0", "id": "m", "method": "tools/call",
             "params": {"name": "recall", "arguments": [1]}},
            INVALID_PARAMS,
        ),
        (
            {"jsonrpc": "2.0", "id": "m", "method": "tools/call",
             "params": {"name": "recall", "arguments": "{}"}},
            INVALID_PARAMS,
        ),
        ({"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": [1]}, INVALID_REQUEST),
        ({"jsonrpc": "1.0", "id": "m", "method": "ping"}, INVALID_REQUEST),
        ({"id": "m", "method": "ping"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": "m"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": "m", "method": 7}, INVALID_REQUEST),
    ],
)  # fmt: skip
def test_a_malformed_call_is_answered_by_its_code(
    speaker: Spoken, message: dict[str, Any], code: int
) -> None:
    speaker.send(message)
    assert code_of(speaker, "m") == code


@pytest.mark.parametrize(
    ("name", "hint"),
    [("rember", "did you mean remember?"), ("Recall", "did you mean recall?"),
     ("reasoning_linea", "did you mean reasoning_linear?"), ("xyzzy", "known: remember, recall"),
     ("", "known: remember, recall"), ("x" * 100_000, "known: remember")],
)  # fmt: skip
def test_an_unknown_tool_is_answered_with_the_nearest(
    speaker: Spoken, name: str, hint: str
) -> None:
    answer = speaker.request("tools/call", {"name": name, "arguments": {}})
    assert answer["error"]["code"] == INVALID_PARAMS
    assert answer["error"]["message"].startswith("Tool not found: ")
    assert hint in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 1_000


def test_a_call_without_arguments_is_a_call_with_none(speaker: Spoken) -> None:
    result = speaker.request("tools/call", {"name": "forget"})["result"]
    assert result["structuredContent"]["error"] == "Missing required parameter: memoryId"


def test_empty_lines_and_notifications_are_not_answered(speaker: Spoken) -> None:
    seen = len(speaker.lines)
    for raw in (b"", b"   ", b"\t", b"\r"):
        speaker.write(raw)
    speaker.send({"jsonrpc": "2.0", "method": "notifications/nothing"})
    speaker.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"requestId": "none"}})  # fmt: skip
    assert speaker.request("ping")["result"] == {}
    assert len(speaker.lines) == seen + 1


def test_an_answer_to_a_question_never_asked_is_let_pass(speaker: Spoken) -> None:
    speaker.send({"jsonrpc": "2.0", "id": 4_711, "result": {}})
    speaker.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}})
    assert speaker.request("ping")["result"] == {}


def test_a_line_may_be_big_and_may_end_with_carriage_return(speaker: Spoken) -> None:
    content = "é" * 50_000 + "x" * 50_000
    arguments = json.dumps({"userId": "local", "text": content}, ensure_ascii=False)
    speaker.write(call('"big"', f'{{"name":"recall","arguments":{arguments}}}') + b"\r")
    assert speaker.answer("big")["result"]["isError"] is False


def test_many_lines_in_one_write_are_each_answered(speaker: Spoken) -> None:
    lines = []
    for number in range(150):
        lines += [call(str(100_000 + number)), b'{"id":%d,"broken":}' % (200_000 + number)]
    speaker.write(b"\n".join(lines))
    for number in range(150):
        assert speaker.answer(100_000 + number)["result"]["isError"] is False
        assert code_of(speaker, 200_000 + number) == PARSE_ERROR
    assert speaker.request("ping")["result"] == {}


def test_over_http_what_cannot_be_read_is_answered_as_such(site: Web) -> None:
    for raw in (b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"jsonrpc":"2.0","id":{}}'):
        answer = site.post(raw)
        assert 400 <= answer.status_code < 500
        assert "Traceback" not in answer.text
    huge = site.post(b'"' + b"x" * (5 * 1024 * 1024) + b'"')
    assert 400 <= huge.status_code < 500
    assert site.exchange(call('"after"'))["result"]["isError"] is False


def test_over_http_malformed_calls_have_the_same_codes(site: Web) -> None:
    assert site.exchange(call('"a"', '{"name":"rember"}'))["error"]["code"] == INVALID_PARAMS
    assert "remember" in site.exchange(call('"a"', '{"name":"rember"}'))["error"]["message"]
    unknown = b'{"jsonrpc":"2.0","id":"b","method":"nope"}'
    assert site.exchange(unknown)["error"]["code"] == NO_METHOD


def insides_of(text: str) -> list[str]:
    return [
        word for word in ("pydantic", "http", "validation error", "Input should") if word in text
    ]


@pytest.mark.parametrize(
    ("raw", "identifier", "code"),
    [
        (b"", None, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"', 7, PARSE_ERROR),
        (call("1.5"), None, INVALID_REQUEST),
        (call("1.0"), None, INVALID_REQUEST),
        (call("true"), None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":"m"}', "m", INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":"m","method":"ping"}', "m", INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":"m","method":"tools/call","params":[1]}', "m", INVALID_REQUEST),
        (b"[" + call("1") + b"," + call("2") + b"]", None, INVALID_REQUEST),
    ],
)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_over_http_what_is_no_message_is_answered_with_its_id(
    site: Web, raw: bytes, identifier: Any, code: int, revision: str
) -> None:
    answer = site.post(raw, **{"mcp-protocol-version": revision})
    assert answer.status_code == 400
    body = answer.json()
    assert set(body) == {"jsonrpc", "id", "error"}
    assert (body["jsonrpc"], body["id"], body["error"]["code"]) == ("2.0", identifier, code)
    assert insides_of(answer.text) == []


def test_over_http_a_body_may_be_big_and_one_that_is_too_big_is_refused(site: Web) -> None:
    fine = call('"big"', '{"name":"recall","arguments":{"userId":"local"},"_meta":{"x":"HERE"}}')
    answer = site.exchange(fine.replace(b"HERE", b"x" * (1024 * 1024)))
    assert answer["result"]["isError"] is False
    for size, reason in ((6 * 1024 * 1024, "a call of recall"), (MAX_MESSAGE_BYTES, "a message")):
        refused = site.post(fine.replace(b"HERE", b"x" * size))
        assert refused.status_code == 413
        assert refused.json()["id"] == "big"
        assert refused.json()["error"]["code"] == INVALID_REQUEST
        assert f"{reason} has at most" in refused.json()["error"]["message"]


def test_a_line_that_is_too_long_is_refused_and_its_memory_freed(speaker: Spoken) -> None:
    process = psutil.Process(speaker.child.pid)
    before = process.memory_info().rss
    fine = call('"long"', '{"name":"recall","arguments":{"userId":"HERE"}}')
    speaker.write(fine.replace(b"HERE", b"x" * (12 * MAX_MESSAGE_BYTES)))
    assert code_of(speaker, "long") == INVALID_REQUEST
    assert process.memory_info().rss - before < 4 * MAX_MESSAGE_BYTES
    late = (
        b'{"jsonrpc":"2.0","method":"x","params":{"id":3,"a":"'
        + b"x" * MAX_MESSAGE_BYTES
        + b'"},"id":4}'
    )
    speaker.write(late)
    assert code_of(speaker, None) == INVALID_REQUEST
    exact = call('"exact"', '{"name":"recall","arguments":{"userId":"local"},"_meta":{"x":"HERE"}}')
    speaker.write(exact.replace(b"HERE", b"x" * (MAX_MESSAGE_BYTES - len(exact) + 4)))
    assert speaker.answer("exact")["result"]["isError"] is False
    assert speaker.request("ping")["result"] == {}
