"""The published weights of `all-MiniLM-L6-v2`, by our names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

OURS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "norm2": "output.LayerNorm",
}
"""Our names of a layer's parts, and those of the published weights."""


def published(folder: Path, kept: Sequence[int]) -> dict[str, np.ndarray]:
    """Return the weights in `model.safetensors`, of the layers that are kept."""
    given = load_file(folder / "model.safetensors")
    found = {
        "words.weight": given["embeddings.word_embeddings.weight"],
        "places.weight": given["embeddings.position_embeddings.weight"],
        "types.weight": given["embeddings.token_type_embeddings.weight"],
        "norm.weight": given["embeddings.LayerNorm.weight"],
        "norm.bias": given["embeddings.LayerNorm.bias"],
    }
    for place, number in enumerate(kept):
        for name, theirs in OURS.items():
            for part in ("weight", "bias"):
                array = given[f"encoder.layer.{number}.{theirs}.{part}"]
                found[f"layers.{place}.{name}.{part}"] = array
    return {name: array.astype(np.float32) for name, array in found.items()}
