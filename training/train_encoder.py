"""Teaches the encoder: `python training/train_encoder.py MODEL_FOLDER PUBLIC OUT.npz`.

MODEL_FOLDER holds `model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2; PUBLIC the public
questions with their passages. A question is drawn to the memories that answer it and away from all
others of the batch, those of its own world among them. What is written is the mean of the published
weights and of the taught ones: it finds about as much more where it was taught, and keeps what it
knew elsewhere.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from encoder import Encoder, pretrained
from tokenizers import Tokenizer
from torch import Tensor, nn
from train import LAYERS, SEED, Case, cases_of, public_cases
from weights import published

ROUNDS, WORLDS, PASSAGES, PUBLIC_EACH_ROUND = 4, 4, 32, 640
"""Rounds, in the last of them with long texts too; worlds and public passages of a batch."""

RATE, WARM_UP, TEMPERATURE, MOST_TOKENS = 4e-5, 0.1, 0.05, 160
TAUGHT = 0.7
"""How much of the weights that are written is the taught ones."""

SOURCES = ("strategyqa-facts", "friendsqa", "qed-dev", "xquad-en", "condaqa-dev")


class Sentences(nn.Module):
    """The encoder with its tokenizer; vectors have the length 1."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.encoder: Encoder = pretrained(folder, LAYERS)
        for table in (self.encoder.words, self.encoder.places, self.encoder.types):
            table.weight.requires_grad = False  # both packaged graphs begin with the same ones
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()

    def forward(self, texts: list[str]) -> Tensor:
        """Return (texts, 384)."""
        encoded = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([each.ids for each in encoded])
        mask = torch.tensor([each.attention_mask for each in encoded], dtype=torch.float32)
        return nn.functional.normalize(self.encoder(ids, torch.zeros_like(ids), mask), dim=-1)


def with_long_texts(world: Case) -> Case:
    """Return a world whose memories are joined, two to four to a text."""
    texts = world["memories"]
    order = random.sample(range(len(texts)), len(texts))
    size = random.randint(2, 4)  # noqa: S311
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    place = {text: number for number, group in enumerate(groups) for text in group}
    return {
        "memories": ["\n".join(texts[text] for text in group) for group in groups],
        "questions": [
            {**question, "answers": sorted({place[text] for text in question["answers"]})}
            for question in world["questions"]
        ],
    }


def batches(worlds: list[Case], public: list[Case]) -> list[list[Case]]:
    """Return batches of worlds, and of public passages of about one length, in random order."""
    worlds = random.sample(worlds, len(worlds))
    chosen = random.sample(public, PUBLIC_EACH_ROUND)
    chosen.sort(key=lambda case: len(case["passage"]))
    made = [worlds[at : at + WORLDS] for at in range(0, len(worlds), WORLDS)]
    for at in range(0, len(chosen), PASSAGES):
        texts = [case["passage"] for case in chosen[at : at + PASSAGES]]
        asked = [
            {"text": case["question"], "answers": [texts.index(case["passage"])]}
            for case in chosen[at : at + PASSAGES]
        ]
        made.append([{"memories": texts, "questions": asked}])
    random.shuffle(made)
    return made


def loss_of(model: Sentences, worlds: list[Case]) -> Tensor:
    """Return how little of each question's likeness goes to the texts that answer it."""
    texts: list[str] = []
    questions: list[str] = []
    answers: list[list[int]] = []
    for world in worlds:
        for question in world["questions"]:
            questions.append(question["text"])
            answers.append([len(texts) + at for at in question["answers"]])
        texts += world["memories"]
    likeness = model(questions) @ model(texts).T / TEMPERATURE
    wrong = torch.full_like(likeness, -1e9)
    for row, right in enumerate(answers):
        wrong[row, right] = 0
    return -torch.logsumexp(likeness.log_softmax(-1) + wrong, -1).mean()


def teach(model: Sentences, public: list[Case]) -> None:
    """Go over all worlds and some public passages; the rate warms up, then falls to nothing."""
    worlds = cases_of("questions")
    body = [each for each in model.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(body, lr=RATE, weight_decay=0.01)
    rounds = [worlds] * (ROUNDS - 1) + [[*worlds, *map(with_long_texts, worlds)]]
    total = sum(len(batches(each, public)) for each in rounds)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (WARM_UP * total)) * max(0, 1 - step / total)
    )
    for number, taught in enumerate(rounds, 1):
        losses = []
        for batch in batches(taught, public):
            loss = loss_of(model, batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        sys.stderr.write(f"round {number}: {np.mean(losses):.3f}\n")


def mixed(folder: Path, model: Sentences) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the weights that are written, by name."""
    taught = model.encoder.state_dict()
    for name, before in published(folder, LAYERS).items():
        yield name, (1 - TAUGHT) * before + TAUGHT * taught[name].numpy()


def main() -> None:
    """Teach, and write the weights."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("model", type=Path)
    given.add_argument("public", type=Path)
    given.add_argument("weights", type=Path)
    paths = given.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", os.cpu_count() or 1)))
    torch.manual_seed(SEED)
    random.seed(SEED)
    model = Sentences(paths.model)
    found = public_cases(paths.public, "question-passage")
    teach(model, [case for source in SOURCES for case in found[source]])
    np.savez(paths.weights, **dict(mixed(paths.model, model)))


if __name__ == "__main__":
    main()
