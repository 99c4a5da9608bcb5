"""A packaged ONNX graph with its tokenizer and word vectors."""

from __future__ import annotations

import threading
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, NamedTuple

from reasonloom.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy import ndarray

FOLDER = "reasonloom.llm.encoder"
_LOCK = threading.RLock()


class Graph(NamedTuple):
    """A loaded graph, ready to run.

    Attributes:
        tokenizer: tokenizes a text or pair of texts, truncated to the graph's limit.
        session: runs the graph.
        words: embedding tables of words, positions and types, shared by all graphs.
    """

    tokenizer: Any
    session: Any
    words: Mapping[str, ndarray]

    def run(self, encoding: Any) -> dict[str, Any]:
        """Return the outputs for one text or pair of texts, as arrays by name."""
        return self.outputs(encoding.ids, encoding.type_ids)

    def outputs(
        self, ids: Sequence[int] | ndarray, types: Sequence[int] | ndarray
    ) -> dict[str, Any]:
        """Return the outputs for token ids and their types (which text of a pair each is from).

        Texts are run one at a time: the graph quantizes by the largest value of its input, so in
        a batch a text's outputs would depend on the others.
        """
        of = self.words
        vectors = of["words"][ids] * of["scales"][ids]
        vectors += of["places"][: len(ids)] + of["types"][types]
        made = self.session.run(None, {"words": vectors})
        return {each.name: of for each, of in zip(self.session.get_outputs(), made, strict=True)}


@cache
def _word_vectors() -> dict[str, ndarray]:
    import numpy as np  # noqa: PLC0415  # a second that a server without a search does not pay

    with as_file(files(FOLDER) / "words.npz") as path, np.load(path) as stored:
        return dict(stored)


@cache
def load_tokenizer(most_tokens: int) -> Any:
    """Return the tokenizer that truncates to `most_tokens`, cached per process."""
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_str((files(FOLDER) / "tokenizer.json").read_text("utf-8"))
    tokenizer.enable_truncation(most_tokens)
    return tokenizer


def load_graph(what: str, folder: str, file: str, *, most_tokens: int, threads: int) -> Graph:
    """Load a packaged graph; concurrent calls load the shared word vectors once.

    Raises:
        EmbedderUnavailable: it cannot be loaded; the message names `what`.
    """
    # Imported lazily: a server that never encodes a text does not pay for them.
    try:
        import onnxruntime  # noqa: PLC0415

        tokenizer = load_tokenizer(most_tokens)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Spinning threads take twice the CPU time and slow down under other load.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        with as_file(files(folder) / file) as path:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        with _LOCK:
            return Graph(tokenizer, session, _word_vectors())
    except Exception as error:  # noqa: BLE001  # a load fails in many ways
        raise EmbedderUnavailable(
            f"the {what} cannot be loaded ({type(error).__name__}); reinstall reasonloom"
        ) from None
