"""Transformer embedders through fastembed (ONNX): a model from its registry, or a local folder."""

import asyncio
import hashlib
import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.embedding.local_model import is_folder, register
from reasonloom.llm.embedding.vectors import UNRELATED, embeddable, floor_of, unit
from reasonloom.llm.setting_forms import one_of

INSTALL = "pip install 'reasonloom[fastembed]'"


class FastembedEmbedder:
    """Loads `fastembed:MODEL` on first use; dimension and floor are known only then.

    The model's own tokenizer truncates texts beyond its context.
    """

    def __init__(self, model: str) -> None:
        self._given = model
        self._folder = Path(model).expanduser() if is_folder(model) else None
        self.model = f"fastembed-{_name(model, self._folder)}"
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._floor = 0.0
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """Dimension of the vectors, known once a text has been embedded.

        Raises:
            EmbedderUnavailable: no text has been embedded yet.
        """
        self._must_be_loaded()
        return self._dimension

    @property
    def floor(self) -> float:
        """The model's own floor, measured when it is loaded.

        Raises:
            EmbedderUnavailable: no text has been embedded yet.
        """
        self._must_be_loaded()
        return self._floor

    def _must_be_loaded(self) -> None:
        if self._loaded is None:
            raise EmbedderUnavailable(f"{self.model}: known after the first text is embedded")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector for each text, in order.

        Raises:
            EmbedderUnavailable: fastembed is not installed, or the model cannot be loaded.
        """
        return await asyncio.to_thread(self._embed, list(texts)) if texts else []

    async def close(self) -> None:
        """Do nothing: no resources are held."""

    def _embed(self, texts: list[str]) -> list[list[float]]:
        return self._vectors(self._load(), texts)

    def _vectors(self, loaded: Any, texts: list[str]) -> list[list[float]]:
        # Batches of one: padding changes the last digits of a vector, which would make a
        # text's vector depend on the rest of its batch.
        try:
            rows = list(loaded.embed([embeddable(text) for text in texts], batch_size=1))
        except Exception as error:  # noqa: BLE001  # the runtime's own exceptions have no base
            raise EmbedderUnavailable(
                f"{self.model}: the model failed on a text ({type(error).__name__})"
            ) from None
        return [unit(row.tolist()) for row in rows]

    def _load(self) -> Any:
        with self._lock:
            if self._loaded is None:
                loaded = self._open()
                measured = self._vectors(loaded, list(UNRELATED))
                self._dimension = len(measured[0])
                self._floor = floor_of(measured)
                self._loaded = loaded
            return self._loaded

    def _open(self) -> Any:
        try:
            fastembed = importlib.import_module("fastembed")
        except ImportError:
            raise EmbedderUnavailable(f"{self.model}: needs `{INSTALL}`") from None
        known = {entry["model"] for entry in fastembed.TextEmbedding.list_supported_models()}
        if self._folder is None and self._given.lower() not in {name.lower() for name in known}:
            raise EmbedderUnavailable(f"{self.model}: unknown; {one_of(self._given, known)}")
        try:
            return self._start(fastembed)
        except Exception as error:  # noqa: BLE001  # a load fails in many ways
            raise EmbedderUnavailable(
                f"{self.model}: cannot be loaded ({type(error).__name__}); a model by name needs "
                "its first download, a folder needs an .onnx file, tokenizer.json and "
                "tokenizer_config.json"
            ) from None

    def _start(self, fastembed: Any) -> Any:
        if self._folder is None:
            return fastembed.TextEmbedding(self._given, threads=1)
        register(fastembed, self.model, self._folder)
        where = str(self._folder)
        return fastembed.TextEmbedding(self.model, threads=1, specific_model_path=where)


def _name(given: str, folder: Path | None) -> str:
    """Return the model's name; a folder's ends in a digest of its files' sizes and first bytes."""
    if folder is None:
        return given
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.onnx*")) + sorted(folder.glob("tokenizer*.json")):
        with file.open("rb") as opened:
            digest.update(f"{file.name} {file.stat().st_size}".encode() + opened.read(1 << 16))
    return f"{folder.resolve().name}-{digest.hexdigest()[:8]}"
