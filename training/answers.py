"""Teaches whether a text answers a question: `python training/answers.py PUBLIC PACKAGE STATE`.

PUBLIC is as for `train.py`, PACKAGE the folder `reasonloom`. It begins with the packaged reader,
whose four lower layers stay as they are; the two above them are taught, with a head of their own.
`answers.onnx` is written, all six layers, so that the reader can be taught anew without it. Call
it again while it says that steps are left: each call takes some minutes, and the state is kept in
the file STATE.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from encoder import HIDDEN, Encoder, Layer
from export import Net, trunk, write
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import Tensor, nn
from train import cases_of, public_cases, yes_or_no_loss

LOWER, LAYERS = 4, 6
BATCH, GROUP, ROUNDS, SEED = 32, 16, 2, 1
STEPS = 178
"""Batches that are taught, of those of all rounds."""

RATE, HEAD_RATE, WARM_UP = 1.5e-4, 5e-4, 0.06
MOST_TOKENS, MINUTES = 112, 4
OWN_TIMES = 2
ELSEWHERE = 0.15
"""How many questions without an answer are taught with another text too; the others all are."""

CLAIMS, LONGEST_CLAIMED = 1_300, 170
PUBLIC = {"xquad-en": 120, "qed-dev": 200, "condaqa-dev": 30}
LONGEST_PASSAGE = 330
LOWERED = ("The", "A", "An", "There", "No", "In", "At", "On", "His", "Her", "My", "It", "They")

Case = tuple[str, str, bool]
Arrays = dict[str, np.ndarray]


def reader_weights(package: Path) -> Arrays:
    """Return the packaged reader's weights as they are after rounding to eight bits."""
    model = onnx.load(package / "llm/classifier/reader.onnx")
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    found = {
        name: array
        for name, array in stored.items()
        if name.startswith(("encoder.", "heads.")) and not name.endswith(("_scale", "_point"))
    }
    for name in [each for each in found if each.endswith("_quantized")]:
        whole, base = found.pop(name).astype(np.float32), name.removesuffix("_quantized")
        zero, scale = stored[f"{base}_zero_point"].astype(np.float32), stored[f"{base}_scale"]
        found[base] = ((whole - zero) * scale).T.copy()
    with np.load(package / "llm/encoder/words.npz") as words:
        found["encoder.words.weight"] = words["words"].astype(np.float32) * words["scales"]
        found["encoder.places.weight"] = words["places"]
        found["encoder.types.weight"] = words["types"]
    return found


class Upper(nn.Module):
    """The layers above `LOWER` and the head; they begin as "not left open" of the reader."""

    def __init__(self, weights: Arrays) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS - LOWER))
        for number, each in enumerate(self.layers, LOWER):
            start = f"encoder.layers.{number}."
            own = {n.removeprefix(start): w for n, w in weights.items() if n.startswith(start)}
            each.load_state_dict({name: torch.tensor(array) for name, array in own.items()})
        self.head, self.drop = nn.Linear(HIDDEN, 1), nn.Dropout(0.1)
        follows, left_open, denied = torch.tensor(weights["heads.entailment.weight"])
        bias = torch.tensor(weights["heads.entailment.bias"])
        with torch.no_grad():
            self.head.weight.copy_(((follows + denied) / 2 - left_open)[None])
            self.head.bias.copy_(((bias[0] + bias[2]) / 2 - bias[1])[None])

    def forward(self, lower: list[Tensor]) -> Tensor:
        """Return (texts, 1)."""
        x = nn.utils.rnn.pad_sequence(lower, batch_first=True)
        mask = torch.zeros(x.shape[:2])
        for place, each in enumerate(lower):
            mask[place, : len(each)] = 1
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for each in self.layers:
            x = each(x, hidden)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.head(self.drop(mean))


def own_cases(chance: random.Random) -> list[Case]:
    """Return our own questions, and those with an answer beside a text that does not hold it."""
    cases = [(each["text"], each["question"], each["answers"]) for each in cases_of("answers")]
    texts = sorted({text for text, _, _ in cases})
    elsewhere = [
        (chance.choice(texts), question, False)
        for _, question, answered in cases
        if answered or chance.random() < ELSEWHERE
    ]
    return cases * OWN_TIMES + elsewhere


def claim_cases(chance: random.Random) -> list[Case]:
    """Return claims turned into questions: what a text leaves open, it does not answer."""
    pairs = [case for case in cases_of("entailment") if len(case["premise"]) <= LONGEST_CLAIMED]
    made = []
    for case in chance.sample(pairs, CLAIMS):
        claim = case["hypothesis"].rstrip(".")
        if claim.split()[0] in LOWERED:
            claim = claim[0].lower() + claim[1:]
        made.append((case["premise"], f"Is it true that {claim}?", case["label"] != "neutral"))
    return made


def passage_cases(chance: random.Random, public: Path) -> list[Case]:
    """Return public questions with their passage and with a near one of the same source."""
    made = []
    for source, most in PUBLIC.items():
        cases = public_cases(public, "question-passage")[source]
        short = [n for n, each in enumerate(cases) if len(each["passage"]) < LONGEST_PASSAGE]
        for number in chance.sample(short, min(most, len(short))):
            passage, question = cases[number]["passage"], cases[number]["question"]
            made.append((passage, question, True))
            near = (cases[(number + step) % len(cases)]["passage"] for step in range(1, 11))
            others = [each for each in near if each != passage and len(each) < LONGEST_PASSAGE]
            made += [(chance.choice(others), question, False)] if others else []
    return made


@torch.no_grad()
def lower_of(encoder: Encoder, tokenizer: Tokenizer, case: Case) -> Tensor:
    """Return (tokens, 384), what the shared layers make of a case."""
    encoding = tokenizer.encode(*case[:2])
    ids, types = torch.tensor([encoding.ids]), torch.tensor([encoding.type_ids])
    x = encoder.norm(
        encoder.words(ids) + encoder.places(torch.arange(ids.shape[1])) + encoder.types(types)
    )
    for each in encoder.layers[:LOWER]:
        x = each(x, torch.zeros(1))
    return x[0]


def batches(lower: list[Tensor]) -> list[list[int]]:
    """Return the cases of all rounds in batches of about one length."""
    plan = []
    for _ in range(ROUNDS):
        order = random.sample(range(len(lower)), len(lower))
        for first in range(0, len(order), BATCH * GROUP):
            near = sorted(order[first : first + BATCH * GROUP], key=lambda n: len(lower[n]))
            plan += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
    return plan[:STEPS]


def teach(upper: Upper, cases: list[Case], lower: list[Tensor], state: Path) -> int:
    """Teach for some minutes, from the kept state on; return how many steps are left."""
    random.seed(SEED)
    plan = batches(lower)
    groups = [
        {"params": upper.layers.parameters(), "lr": RATE},
        {"params": upper.head.parameters(), "lr": HEAD_RATE},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: min(1, (step + 1) / (WARM_UP * len(plan))) * max(0, 1 - step / len(plan)),
    )
    parts: dict[str, Any] = {"upper": upper, "optimiser": optimiser, "schedule": schedule}
    step, started = 0, time.perf_counter()
    if state.exists():
        kept = torch.load(state)
        step = kept.pop("step")
        for name, part in parts.items():
            part.load_state_dict(kept[name])
    upper.train()
    while step < len(plan) and time.perf_counter() - started < MINUTES * 60:
        outputs = upper([lower[n] for n in plan[step]])
        loss = yes_or_no_loss(outputs, [cases[n][2] for n in plan[step]])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(upper.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        step += 1
    torch.save({name: part.state_dict() for name, part in parts.items()} | {"step": step}, state)
    return len(plan) - step


def answers_graph(weights: Arrays, upper: Upper) -> onnx.ModelProto:
    """Return the graph of all layers and the head."""
    taught = {name: value.numpy() for name, value in upper.state_dict().items()}
    for name in [each for each in taught if each.startswith("layers.")]:
        _, number, part = name.split(".", 2)
        weights[f"encoder.layers.{int(number) + LOWER}.{part}"] = taught.pop(name)
    net = Net(weights | taught)
    _, mean = trunk(net)
    return net.model("answers", {}, {"answers": (net.linear(mean, "head"), 1)})


def main() -> None:
    """Teach, and write the graphs when nothing is left to teach."""
    given = argparse.ArgumentParser(description=__doc__)
    for name in ("public", "package", "state"):
        given.add_argument(name, type=Path)
    paths = given.parse_args()
    chance = random.Random(SEED)  # noqa: S311
    torch.manual_seed(SEED)
    cases = [*own_cases(chance), *claim_cases(chance), *passage_cases(chance, paths.public)]
    weights = reader_weights(paths.package)
    encoder = Encoder(LAYERS).eval()
    own = {n.removeprefix("encoder."): w for n, w in weights.items() if n.startswith("encoder.")}
    encoder.load_state_dict({name: torch.tensor(array) for name, array in own.items()})
    tokenizer = Tokenizer.from_file(str(paths.package / "llm/encoder/tokenizer.json"))
    tokenizer.enable_truncation(MOST_TOKENS)
    lower = [lower_of(encoder, tokenizer, case) for case in cases]
    upper = Upper(weights)
    left = teach(upper, cases, lower, paths.state)
    sys.stderr.write(f"{left} steps are left\n")
    if not left:
        model = answers_graph(weights, upper.eval())
        write(model, paths.package / "llm/classifier/answers.onnx")


if __name__ == "__main__":
    main()
