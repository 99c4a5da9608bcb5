"""Runs the packaged graph: texts in, scores out; no network, no torch.

The weights are those of `all-MiniLM-L6-v2` (Apache-2.0), taught further on the cases in
`training/`; see `NOTICE.md` beside them.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier.scores import Scores, scores_of

FOLDER = "reasonloom.llm.classifier"
MOST_TOKENS = 160
"""Tokens of a text that are read, the first ones."""

AT_ONCE = 4
"""Texts that are read without a thread: fewer milliseconds than a thread is worth."""

THREADS = min(2, os.cpu_count() or 1)
"""Of one text on two cores: nearly half the time of one; more gain little on texts so short."""

_LOCK = threading.Lock()


async def classify(texts: Sequence[str]) -> list[Scores]:
    """Return the scores of each text, in order.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    if not texts:
        return []
    if _loaded.cache_info().currsize and len(texts) <= AT_ONCE:
        return _classify(texts)
    return await asyncio.to_thread(_classify, texts)


def _classify(texts: Sequence[str]) -> list[Scores]:
    tokenizer, session = _reader()
    return [_scored(tokenizer.encode(text), session) for text in texts]


def _scored(encoded: Any, session: Any) -> Scores:
    """Return the scores of one text alone.

    The graph rounds by the greatest number of what it is given: in a batch a text's scores would
    hang on its company, by up to 0.02, and on one thread a batch saves no time.
    """
    ids = np.array([encoded.ids], np.int64)
    mask = np.array([encoded.attention_mask], np.int64)
    made = session.run(None, {"ids": ids, "mask": mask})
    names = [each.name for each in session.get_outputs()]
    outputs = {name: of[0] for name, of in zip(names, made, strict=True)}
    places = zip(encoded.offsets, outputs.pop("pull"), strict=True)
    return scores_of(outputs, [(start, end, of) for (start, end), of in places if start < end])


def _reader() -> tuple[Any, Any]:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> tuple[Any, Any]:
    # Imported when they are wanted: a server that never checks anything does not pay for them.
    try:
        import onnxruntime  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415

        tokenizer = Tokenizer.from_str((files(FOLDER) / "tokenizer.json").read_text("utf-8"))
        tokenizer.enable_truncation(MOST_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.log_severity_level = 3
        with as_file(files(FOLDER) / "reader.onnx") as path:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
    except Exception as error:  # noqa: BLE001  # a load fails in many ways
        raise EmbedderUnavailable(
            f"the classifier cannot be loaded ({type(error).__name__}); reinstall reasonloom"
        ) from None
    return tokenizer, session
