"""Spoils the envelope of a JSON-RPC message, or its very bytes, and makes wrong `_meta`."""

from __future__ import annotations

import json
import re
from random import Random

from reasonloom.server.tool import IDEMPOTENCY_KEY
from tests.support.fuzzing.values import INJECTIONS

PIECES: dict[str, tuple[str, ...]] = {
    r'"jsonrpc":"2.0"': ('"jsonrpc":"1.0"', '"jsonrpc":2', '"jsonrpc":null', '"x":1'),
    r'"id":"': (
        '"id":1.5,"x":"', '"id":true,"x":"', '"id":{},"x":"', '"id":1e400,"x":"', '"x":"',
        '"id":null,"x":"', '"id":[],"x":"', '"id":"a","id":"', r'"id":"\ud800', '"ID":"',
    ),
    r'"tools/call"': (
        '"tools/cal"', '""', "7", "null", r'"tools/call\u0000"', '"ping"', '"initialize"',
        '"tools/list"', '"resources/read"', '"prompts/get"', '"completion/complete"', '"x"',
        '"resources/list"', '"__init__"', '"logging/setLevel"', '"server/discover"',
    ),
    r'"params":{': ('"params":[],"y":{', '"params":null,"y":{', '"params":"x","y":{', '"y":{'),
    r'"name":"\w+"': (
        '"name":null', '"name":3', r'"name":"\ud800"', '"name":""', '"name":"RECALL"', '"y":1',
        '"name":"recal"', '"name":["x"]', *(f'"name":{json.dumps(each)}' for each in INJECTIONS),
    ),
}  # fmt: skip
"""Pieces of a message, as patterns, and what is put in their place."""

JUNK = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"{", b"]", b'"', b"\\", b",")
METAS = (
    "null", "1", "true", '""', '"k"', f'"{"k" * 201}"', r'"\n"', "[]", "{}", "1e400",
    r'"\ud800"', r'"\u0000"', json.dumps(INJECTIONS[0]), '"k","x":1',
)  # fmt: skip
NAMES = (
    IDEMPOTENCY_KEY,
    IDEMPOTENCY_KEY,
    "progressToken",
    "io.modelcontextprotocol/clientInfo",
    "x",
    "",
)


def meta(dice: Random) -> str:
    """Return a `_meta` as JSON that is hardly ever right."""
    if dice.random() < 0.1:
        return dice.choice(("[]", "1", "null", '"x"'))
    return f"{{{json.dumps(dice.choice(NAMES))}:{dice.choice(METAS)}}}"


def spoilt(dice: Random, message: str) -> bytes:
    """Return a message whose envelope, or whose bytes, are wrong."""
    if dice.random() < 0.5:
        piece = dice.choice(tuple(PIECES))
        instead = dice.choice(PIECES[piece])
        message = re.sub(piece.replace("{", r"\{"), lambda _: instead, message, count=1)
        return message.encode(errors="surrogatepass")
    return _broken(dice, message.encode(errors="surrogatepass"))


def _broken(dice: Random, body: bytes) -> bytes:
    place, junk = dice.randrange(len(body)), dice.choice(JUNK)
    return dice.choice(
        (
            body[:place] or b"{", body[:place] + junk + body[place:], b"[" + body + b"]",
            body[:place] + junk + body[place + 1 :], body + body, b"\xef\xbb\xbf" + body,
            b"  " + body + b"  ", b"[]", b"null", b"0", junk * 3, body + b"}", b"[" * 100_000,
        )
    )  # fmt: skip
