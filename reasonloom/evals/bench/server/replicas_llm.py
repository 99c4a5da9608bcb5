"""A provider on loopback whose every answer takes the same time, so that waiting costs nobody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from reasonloom.evals.bench.server.servers import HOST

MODEL = "simulated"
THOUGHT = json.dumps({"thought": "It follows from the facts.", "confidence": 0.9})


@asynccontextmanager
async def provider(seconds: float) -> AsyncIterator[dict[str, str]]:
    """Yield the environment of servers that ask it; it answers `reasoning_linear` alone."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await _read(reader)
                await asyncio.sleep(seconds)
                writer.write(_answer())
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield {
            "REASONLOOM_LLM": f"litellm:openai/{MODEL}",
            "REASONLOOM_LLM_BASE_URL": f"http://{HOST}:{port}/v1",
            "OPENAI_API_KEY": "sk-of-nobody-0123456789",
        }
    finally:
        server.close()


async def _read(reader: asyncio.StreamReader) -> None:
    """Read one request, whatever it says."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").casefold()
    lengths = [line.partition(":")[2] for line in head.split("\r\n") if "content-length" in line]
    await reader.readexactly(int(lengths[0]) if lengths else 0)


def _answer() -> bytes:
    message = {"role": "assistant", "content": THOUGHT}
    body = json.dumps(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body
