"""Runs the packaged encoder, all-MiniLM-L6-v2: texts in, vectors out; no network, no torch.

One session a process, loaded on first use. See `NOTICE.md` for where the weights come from.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from reasonloom.llm.encoder.graph import FOLDER, Graph, load_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import ndarray

DIMENSION = 384

WINDOW = 256
"""Tokens that are read at once, as the weights were taught; a longer text is read in windows."""

MOST_WINDOWS = 4
"""Windows that are read of a text, evenly spaced, so that its time is bounded."""

LONG_TEXT = 20_000
"""Characters of a text beyond which passages of it are read: all of it would take long to split."""

PASSAGE = 2_000
"""Characters of a passage, which are a window's tokens or more in most languages."""

THREADS = 1
"""Threads of one text: on shared cores two of them wait for each other, and a text takes longer."""

_LOCK = threading.Lock()


class Encoded(NamedTuple):
    """What the encoder makes of a text.

    Attributes:
        sentence: float32 of shape (384,), of length 1; None for a text without tokens.
        tokens: float32 of shape (tokens, 384), each of length 1.
        spans: first and last character of each token; the two at the ends of a window span none.
    """

    sentence: ndarray | None
    tokens: ndarray
    spans: Sequence[tuple[int, int]]


def encode(texts: Sequence[str], most: int = MOST_WINDOWS * PASSAGE) -> list[Encoded]:
    """Return the vectors of each text, read alone; of a long one at most so many characters.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    graph = _graph()
    return [_encoded(graph, text, most) for text in texts]


def _encoded(graph: Graph, text: str, most: int) -> Encoded:
    import numpy as np  # noqa: PLC0415  # a second that a server without a search does not pay

    sums = np.zeros(DIMENSION, np.float32)
    vectors: list[ndarray] = []
    spans: list[tuple[int, int]] = []
    for begin, window in _windows(graph.tokenizer, text, most):
        outputs = graph.run(window)
        sums += outputs["sentence"] * len(window.ids)
        vectors.append(outputs["tokens"])
        spans += [(begin + first, begin + last) for first, last in window.offsets]
    made = np.concatenate(vectors)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    length = float(np.linalg.norm(sums))
    empty = not any(start < end for start, end in spans)
    return Encoded(None if empty or not length else sums / length, made, spans)


def _windows(tokenizer: Any, text: str, most: int) -> Iterator[tuple[int, Any]]:
    """Yield evenly spaced windows, each with the place in the text that its spans count from."""
    if len(text) > LONG_TEXT:
        count = -(-most // PASSAGE)
        for begin in (place * len(text) // count for place in range(count)):
            yield begin, tokenizer.encode(text[begin : begin + most // count])
        return
    encoding = tokenizer.encode(text)
    windows = [encoding, *encoding.overflowing]
    count = min(len(windows), MOST_WINDOWS)
    for place in range(count):
        yield 0, windows[place * len(windows) // count]


def _graph() -> Graph:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Graph:
    return load_graph("encoder", FOLDER, "encoder.onnx", most_tokens=WINDOW, threads=THREADS)
