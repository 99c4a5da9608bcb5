"""The transformer that is taught: BERT's encoder of `all-MiniLM-L6-v2`, some of its layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file
from torch import Tensor, nn

HIDDEN, HEADS, INNER = 384, 12, 1536
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


class Layer(nn.Module):
    """Attention and a feed-forward net, each added to what came in, then normed."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.f1, self.f2 = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.norm1, self.norm2 = (nn.LayerNorm(HIDDEN, eps=1e-12) for _ in range(2))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        """Return (texts, tokens, 384) for the same shape; `hidden` is -1e9 where nothing stands."""
        texts, tokens, _ = x.shape
        shape = (texts, tokens, HEADS, HIDDEN // HEADS)
        q, k, v = (part(x).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(HIDDEN // HEADS) + hidden
        mixed = (self.drop(scores.softmax(-1)) @ v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.drop(self.o(mixed)))
        return self.norm2(x + self.drop(self.f2(nn.functional.gelu(self.f1(x)))))


class Encoder(nn.Module):
    """Word, place and type vectors, then the layers; a text is the mean of its tokens."""

    def __init__(self, layers: int, words: int = 30_522) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, HIDDEN), nn.Embedding(512, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.drop = nn.Dropout(0.1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return (texts, 384) for ids and mask of (texts, tokens)."""
        places = self.places(torch.arange(ids.shape[1]))
        x = self.drop(self.norm(self.words(ids) + places + self.types.weight[0]))
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in self.layers:
            x = layer(x, hidden)
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def published(folder: Path, kept: Sequence[int]) -> Encoder:
    """Return an encoder with the published weights, of the layers that are kept."""
    given = load_file(folder / "model.safetensors")
    ours = {
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
                ours[f"layers.{place}.{name}.{part}"] = array
    encoder = Encoder(len(kept))
    encoder.load_state_dict({k: torch.tensor(v.astype(np.float32)) for k, v in ours.items()})
    return encoder
