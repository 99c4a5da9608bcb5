"""Runs the packaged encoder, all-MiniLM-L6-v2 taught on questions: texts in, vectors out.

One session a process, loaded on first use. See `NOTICE.md` for where the weights come from.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from reasonloom.llm.encoder.graph import FOLDER, Graph, load_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import ndarray

DIMENSION = 384

WINDOW = 256
"""Tokens that are read at once, as the weights were taught; a longer text is read in windows."""

MOST_WINDOWS = 4
"""Windows that are read of a text, evenly spaced, so that its time is bounded."""

RECENT_WINDOWS = 8_192
"""Windows whose vectors are kept in memory, some 20 MB: passages are compared again and again."""

LONG_TEXT = 20_000
"""Characters of a text beyond which passages of it are read: all of it would take long to split."""

PASSAGE = 2_000
"""Characters of a passage, which are a window's tokens or more in most languages."""

THREADS = 1
"""Threads of one text: on shared cores two of them wait for each other, and a text takes longer."""

_LOCK = threading.Lock()


def encode(texts: Sequence[str], most: int = MOST_WINDOWS * PASSAGE) -> list[ndarray | None]:
    """Return a vector of length 1 for each text, float32 of shape (384,), in order.

    Each text is read alone, of a long one at most so many characters; one without tokens has None.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    graph = _graph()
    return [_encoded(list(_windows(graph.tokenizer, text, most))) for text in texts]


def _encoded(windows: list[Any]) -> ndarray | None:
    import numpy as np  # noqa: PLC0415  # a second that a server without a search does not pay

    if not any(start < end for window in windows for start, end in window.offsets):
        return None
    sums = np.zeros(DIMENSION, np.float32)
    for window in windows:
        sums += _vector(np.array(window.ids, np.uint16).tobytes()) * len(window.ids)
    length = float(np.linalg.norm(sums))
    return sums / length if length else None


@lru_cache(RECENT_WINDOWS)
def _vector(ids: bytes) -> ndarray:
    import numpy as np  # noqa: PLC0415

    tokens = np.frombuffer(ids, np.uint16)
    made: ndarray = _graph().outputs(tokens, np.zeros_like(tokens))["sentence"]
    return made


def _windows(tokenizer: Any, text: str, most: int) -> Iterator[Any]:
    """Yield evenly spaced windows of a text, of a long one passages."""
    if len(text) > LONG_TEXT:
        count = -(-most // PASSAGE)
        for begin in (place * len(text) // count for place in range(count)):
            yield tokenizer.encode(text[begin : begin + most // count])
        return
    encoding = tokenizer.encode(text)
    windows = [encoding, *encoding.overflowing]
    count = min(len(windows), MOST_WINDOWS)
    yield from (windows[place * len(windows) // count] for place in range(count))


def _graph() -> Graph:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Graph:
    return load_graph("encoder", FOLDER, "encoder.onnx", most_tokens=WINDOW, threads=THREADS)
