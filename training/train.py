"""Teaches the classifier on the cases: `python training/train.py MODEL_FOLDER OUT.npz`.

One encoder, five heads: bias, emotion, circumplex, framework, and which of two texts reasons
better. MODEL_FOLDER holds `model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from encoder import HIDDEN, pretrained
from tokenizers import Tokenizer
from torch import Tensor, nn

from reasonloom.llm.classifier.classifier import BIASES, EMOTIONS, FRAMEWORKS

CASES = Path(__file__).parent / "cases"
KEPT = (0, 2, 5)
"""Layers of the published encoder that are kept."""

EPOCHS, BATCH, SEED = 5, 32, 1
RATE, HEAD_RATE, WARM_UP, SMOOTHING = 1.5e-4, 1e-3, 0.06, 0.05
MOST_TOKENS = 128
Task = tuple[str, list[dict[str, Any]]]


class Reader(nn.Module):
    """The encoder and its heads."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.encoder = pretrained(folder, KEPT)
        for table in (self.encoder.words, self.encoder.places, self.encoder.types):
            table.weight.requires_grad = False  # few cases would only spoil rare words
        sizes = {
            "bias": len(BIASES),
            "emotion": len(EMOTIONS),
            "circumplex": 3,
            "framework": len(FRAMEWORKS),
            "soundness": 1,
        }
        self.heads = nn.ModuleDict({name: nn.Linear(HIDDEN, size) for name, size in sizes.items()})
        self.drop = nn.Dropout(0.1)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()

    def forward(self, texts: list[str]) -> Tensor:
        """Return (texts, 384)."""
        encoded = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([each.ids for each in encoded])
        mask = torch.tensor([each.attention_mask for each in encoded], dtype=torch.float32)
        return self.drop(self.encoder(ids, mask))


def cases_of(kind: str) -> list[dict[str, Any]]:
    """Return the cases of a kind, from all its files."""
    lines = [
        line
        for path in sorted(CASES.glob(f"{kind}-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines]


def batches(tasks: list[Task]) -> Iterator[Task]:
    """Yield batches of all tasks in random order, each of texts of about one length."""
    found: list[Task] = []
    for name, cases in tasks:
        size = BATCH // 2 if name == "soundness" else BATCH
        mixed = random.sample(cases, len(cases))
        for first in range(0, len(mixed), size * 8):
            near = sorted(mixed[first : first + size * 8], key=lambda case: len(str(case)))
            found += [(name, near[at : at + size]) for at in range(0, len(near), size)]
    random.shuffle(found)
    yield from found


def loss_of(reader: Reader, name: str, cases: list[dict[str, Any]]) -> Tensor:
    """Return the loss of one batch."""
    if name == "soundness":
        both = reader([case["sound"] for case in cases] + [case["flawed"] for case in cases])
        better, worse = reader.heads["soundness"](both)[:, 0].split(len(cases))
        return nn.functional.softplus(worse - better).mean()
    texts = reader([case.get("text") or case["problem"] for case in cases])
    order = {"bias": BIASES, "emotion": EMOTIONS, "framework": FRAMEWORKS}[name]
    wanted = torch.tensor([order.index(case["label"]) for case in cases])
    entropy = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)
    loss = entropy(reader.heads[name](texts), wanted)
    if name == "emotion":
        axes = [[case[axis] for axis in ("valence", "arousal", "dominance")] for case in cases]
        loss = loss + nn.functional.mse_loss(reader.heads["circumplex"](texts), torch.tensor(axes))
    return loss


def teach(reader: Reader, tasks: list[Task]) -> None:
    """Go over the cases `EPOCHS` times; the rate warms up, then falls to nothing."""
    total = EPOCHS * sum(1 for _ in batches(tasks))
    body = [p for p in reader.encoder.parameters() if p.requires_grad]
    groups = [{"params": body, "lr": RATE}, {"params": reader.heads.parameters(), "lr": HEAD_RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (WARM_UP * total)) * max(0, 1 - step / total)
    )
    reader.train()
    for epoch in range(EPOCHS):
        started, losses = time.perf_counter(), []
        for name, cases in batches(tasks):
            loss = loss_of(reader, name, cases)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        took = time.perf_counter() - started
        sys.stderr.write(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}, {took:.0f} s\n")
        sys.stderr.flush()


def main() -> None:
    """Teach, and write the weights."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("model", type=Path)
    given.add_argument("weights", type=Path)
    paths = given.parse_args()
    torch.set_num_threads(os.cpu_count() or 1)
    torch.manual_seed(SEED)
    random.seed(SEED)
    reader = Reader(paths.model)
    names = {"bias": "biases", "emotion": "emotions", "framework": "frameworks"}
    tasks: list[Task] = [(name, cases_of(kind)) for name, kind in names.items()]
    tasks.append(("soundness", cases_of("pairs")))
    teach(reader, tasks)
    weights = {name: value.numpy() for name, value in reader.state_dict().items()}
    np.savez(paths.weights, **weights)


if __name__ == "__main__":
    main()
