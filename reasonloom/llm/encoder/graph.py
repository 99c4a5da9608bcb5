"""A packaged graph with the tokenizer and the word vectors that it reads with."""

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
    """A session on a graph, loaded once a process.

    Attributes:
        tokenizer: gives the tokens of a text or pair of texts, cut to what the graph may read.
        session: runs the graph.
        words: the vectors of words, places and types, the same for all graphs.
    """

    tokenizer: Any
    session: Any
    words: Mapping[str, ndarray]

    def run(self, encoding: Any) -> dict[str, Any]:
        """Return the outputs for the tokens of one text or pair of texts, arrays by name."""
        return self.outputs(encoding.ids, encoding.type_ids)

    def outputs(
        self, ids: Sequence[int] | ndarray, types: Sequence[int] | ndarray
    ) -> dict[str, Any]:
        """Return the outputs for tokens, each with the number of the text that it is of.

        Each text is read alone: the graph rounds by the greatest number of what it is given, so
        in a batch a text's outputs would depend on its company.
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
    """Return the tokenizer, parsed once a process, that cuts a text to so many tokens."""
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_str((files(FOLDER) / "tokenizer.json").read_text("utf-8"))
    tokenizer.enable_truncation(most_tokens)
    return tokenizer


def load_graph(what: str, folder: str, file: str, *, most_tokens: int, threads: int) -> Graph:
    """Return a packaged graph; calls at the same time wait for each other.

    Raises:
        EmbedderUnavailable: it cannot be loaded; the message names `what`.
    """
    # Imported when they are wanted: a server that never reads a text so does not pay for them.
    try:
        import onnxruntime  # noqa: PLC0415

        tokenizer = load_tokenizer(most_tokens)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # A waiting thread would spin: twice the processor time, and slower beside other work.
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
