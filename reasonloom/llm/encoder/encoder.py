"""Runs the packaged encoder, all-MiniLM-L6-v2: texts in, vectors out; no network, no torch.

One session a process, loaded on first use. See `NOTICE.md` for where the weights come from.
"""

from __future__ import annotations

import threading
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, NamedTuple

from reasonloom.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import ndarray

FOLDER = "reasonloom.llm.encoder"
TOKENIZER = "reasonloom.llm.classifier"
DIMENSION = 384

WINDOW = 256
"""Tokens that are read at once, as the weights were taught; a longer text is read in windows."""

MOST_WINDOWS = 4
"""Windows that are read of a text, evenly spaced, so that its time is bounded."""

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


def encode(texts: Sequence[str]) -> list[Encoded]:
    """Return the vectors of each text, in order; each text is read alone.

    The graph rounds by the greatest number of what it is given: in a batch a text's vector would
    depend on its company.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    tokenizer, session = _reader()
    return [_encoded(tokenizer, session, text) for text in texts]


def _encoded(tokenizer: Any, session: Any, text: str) -> Encoded:
    import numpy as np  # noqa: PLC0415  # a second that a server without a search does not pay

    sums = np.zeros(DIMENSION, np.float32)
    vectors: list[ndarray] = []
    spans: list[tuple[int, int]] = []
    for window in _windows(tokenizer.encode(text)):
        ids = np.array([window.ids], np.int64)
        tokens, sentence = session.run(None, {"ids": ids, "mask": np.ones_like(ids)})
        sums += sentence[0] * len(window.ids)
        vectors.append(tokens[0])
        spans += window.offsets
    made = np.concatenate(vectors)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    length = float(np.linalg.norm(sums))
    empty = not any(start < end for start, end in spans)
    return Encoded(None if empty or not length else sums / length, made, spans)


def _windows(encoding: Any) -> Iterator[Any]:
    windows = [encoding, *encoding.overflowing]
    count = min(len(windows), MOST_WINDOWS)
    return (windows[place * len(windows) // count] for place in range(count))


def _reader() -> tuple[Any, Any]:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> tuple[Any, Any]:
    return load_graph("encoder", FOLDER, "encoder.onnx", most_tokens=WINDOW, threads=THREADS)


def load_graph(
    what: str, folder: str, file: str, *, most_tokens: int, threads: int
) -> tuple[Any, Any]:
    """Return the packaged tokenizer and a session of a packaged graph.

    Raises:
        EmbedderUnavailable: either cannot be loaded; the message names `what`.
    """
    # Imported when they are wanted: a server that never reads a text so does not pay for them.
    try:
        import onnxruntime  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415

        tokenizer = Tokenizer.from_str((files(TOKENIZER) / "tokenizer.json").read_text("utf-8"))
        tokenizer.enable_truncation(most_tokens)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        with as_file(files(folder) / file) as path:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
    except Exception as error:  # noqa: BLE001  # a load fails in many ways
        raise EmbedderUnavailable(
            f"the {what} cannot be loaded ({type(error).__name__}); reinstall reasonloom"
        ) from None
    return tokenizer, session
