"""The transformer that is taught: BERT's encoder of `all-MiniLM-L6-v2`, some of its layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from weights import published

HIDDEN, HEADS, INNER = 384, 12, 1536


class Layer(nn.Module):
    """Attention and a feed-forward net, each added to what came in, then normed."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.f1, self.f2 = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.norm1, self.norm2 = (nn.LayerNorm(HIDDEN, eps=1e-12) for _ in range(2))

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        """Return (texts, tokens, 384) for the same shape; `hidden` is -1e9 where nothing stands."""
        texts, tokens, _ = x.shape
        shape = (texts, tokens, HEADS, HIDDEN // HEADS)
        q, k, v = (part(x).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(HIDDEN // HEADS) + hidden
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.o(mixed))
        return self.norm2(x + self.f2(nn.functional.gelu(self.f1(x))))


class Encoder(nn.Module):
    """Word, place and type vectors, then the layers; a text is the mean of its tokens."""

    def __init__(self, layers: int, words: int = 30_522) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, HIDDEN), nn.Embedding(512, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """Return (texts, 384) for ids, types and mask of (texts, tokens)."""
        places = self.places(torch.arange(ids.shape[1]))
        x = self.norm(self.words(ids) + places + self.types(types))
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in self.layers:
            x = layer(x, hidden)
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def pretrained(folder: Path, kept: Sequence[int]) -> Encoder:
    """Return an encoder with the published weights, of the layers that are kept."""
    encoder = Encoder(len(kept))
    weights = published(folder, kept)
    encoder.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    return encoder
