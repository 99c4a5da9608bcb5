"""Runs the packaged encoder, all-MiniLM-L6-v2 fine-tuned on questions: texts in, vectors out.

One session per process, loaded on first use. See `NOTICE.md` for the source of the weights.
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
"""Tokens per window, as in training; longer texts are split into windows."""

MOST_WINDOWS = 4
"""Maximum windows read per text, evenly spaced, which bounds its run time."""

RECENT_WINDOWS = 8_192
"""Windows whose vectors are cached (about 20 MB): the same passages are compared repeatedly."""

LONG_TEXT = 20_000
"""Characters beyond which only passages of a text are read: tokenizing all of it is too slow."""

PASSAGE = 2_000
"""Characters per passage: enough to fill a window in most languages."""

THREADS = 1
"""Threads per text: on shared cores two would wait for each other and take longer."""

_LOCK = threading.Lock()


def encode(texts: Sequence[str], most: int = MOST_WINDOWS * PASSAGE) -> list[ndarray | None]:
    """Return a unit vector for each text, float32 of shape (384,), in order.

    Texts are not batched, so no vector depends on another text. At most `most` characters of a
    long text are read. A text without tokens gives None.

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
    """Yield evenly spaced windows of a text, or passages of a long one."""
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
