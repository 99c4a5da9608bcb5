"""Teaches the reader on the cases: `python training/train.py MODEL_FOLDER PUBLIC OUT.npz`.

One encoder, nine heads: whether a claim follows from a text, bias, whether a text argues,
emotion, circumplex, framework, which of two texts reasons better, whether a newer memory
replaces an older one, and whether a text answers a question. MODEL_FOLDER holds
`model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2; PUBLIC the public texts and pairs
that README.md names. After each round the state is kept beside OUT, and a later call goes on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from encoder import HIDDEN, pretrained
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import Tensor, nn

from reasonloom.llm.classifier.classifier import (
    BIASES,
    EMOTIONS,
    FRAMEWORKS,
    NONE,
    SITUATION,
    VERDICTS,
)
from reasonloom.llm.encoder.encoder import encode

CASES = Path(__file__).parent / "cases"
LAYERS = range(6)
BATCH, SEED = 32, 1
THIRDS = (2, 2, 1, 0, 0, 0, 0, 0)
"""How many thirds of the public pairs are taught in each round; own cases are in all of them."""

RATE, HEAD_RATE, WARM_UP, SMOOTHING = 1.5e-4, 1e-3, 0.06, 0.05
MOST_TOKENS, GROUP = 128, 32
PLAIN = {
    "snli-dev": 150, "wikisplit-part": 350, "begin-wow": 350, "strategyqa-facts": 250,
    "condaqa-dev": 100,
}  # fmt: skip
"""How many public texts of each source are taught as arguing nothing."""

ARGUING = 1_200
"""Cases of biases that are taught as arguing."""

PAIRS = {
    "snli-dev": 9_750, "snli-test": 9_821, "cad-nli": 10_603, "conjnli-adv": 9_000,
    "breaking-nli": 4_000, "med": 5_373, "dnc-megaveridicality": 2_000, "hans-generated": 2_000,
    "derived-literal": 3_000, "derived-number": 3_378, "derived-unrelated": 3_000,
    "wikisplit-part": 4_000, "help-and": 1_500, "begin-wow": 3_809,
    "clcd-boolean_coordination": 300, "clcd-counting": 300, "clcd-quantifier": 300,
    "clcd-simple_negation": 300,
}  # fmt: skip
"""The most public pairs of each source."""

REPEATED = 6
"""Of so many pairs one teaches too that a sentence follows from a text that it ends."""

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
OWN_TIMES = 2
"""How often each own pair is taught in a round."""

DISTRACTED = 0.25
"""How many pairs are taught among one to three texts that have nothing to do with the claim."""

FURTHER, FURTHER_RATE = 5, 1e-4
"""Rounds that go on from the packaged weights, and their rate."""

PART = {
    "entailment": 5_000, "answers": 2_000, "replaces": 2_500, "bias": 3_000, "argues": 1_500,
    "emotion": 600, "framework": 350, "soundness": 150,
}  # fmt: skip
"""How many cases of each kind are taught in each of these rounds, drawn anew."""

WHOLE = {"entailment": ("entailment", 21), "replaces": ("replaces", 11), "bias": ("biases", 11)}
"""Files, and the number from which on they are taught whole in each of these rounds."""

GROUNDED = {"verified": "entailment", "contradicted": "contradiction"}
"""What a claim is to its notes; one that is partial or ungrounded is neutral."""

NEIGHBOURED, TOO_NEAR = 1_000, 0.7
"""Claims that are taught once more in each of these rounds, with the nearest other premise, which
says nothing of them; premises whose vectors are nearer to their own than this may do so."""

NOT_ANSWERS = 2
"""Memories of a world, the nearest that do not answer it, that are taught with each question."""

ANSWERED = {"strategyqa-facts": 400, "qed-dev": 400, "xquad-en": 300, "condaqa-dev": 100}
"""Public questions of each source, each taught with its passage and the nearest other one."""

SAME = 1_500
"""Pairs of a text and a claim that are taught as replacing nothing."""

HALF = torch.ops.mkldnn._is_mkldnn_bf16_supported()
"""Whether the processor has numbers of 16 bits; without, they only cost time."""

Case = dict[str, Any]
Task = tuple[str, list[Case]]


class Reader(nn.Module):
    """The encoder and its heads."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.encoder = pretrained(folder, LAYERS)
        for table in (self.encoder.words, self.encoder.places, self.encoder.types):
            table.weight.requires_grad = False  # few cases would only spoil rare words
        sizes = {
            "entailment": len(VERDICTS),
            "bias": len(BIASES),
            "argues": 1,
            "emotion": len(EMOTIONS),
            "circumplex": 3,
            "framework": len(FRAMEWORKS),
            "soundness": 1,
            "replaces": 1,
            "answers": 1,
        }
        self.heads = nn.ModuleDict({name: nn.Linear(HIDDEN, size) for name, size in sizes.items()})
        self.drop = nn.Dropout(0.1)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()

    def forward(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> Tensor:
        """Return (texts, 384)."""
        encoded = self.tokenizer.encode_batch(texts)
        ids, types = (torch.tensor([getattr(e, n) for e in encoded]) for n in ("ids", "type_ids"))
        mask = torch.tensor([each.attention_mask for each in encoded], dtype=torch.float32)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALF):
            made = self.encoder(ids, types, mask)
        return self.drop(made.float())


def cases_of(kind: str, *, first: int = 1) -> list[Case]:
    """Return the cases of a kind, from all its files or those from number `first` on."""
    numbers = {int(path.stem.split("-")[1]): path for path in CASES.glob(f"{kind}-*.jsonl")}
    lines = [
        line
        for number in sorted(numbers)
        if number >= first
        for line in numbers[number].read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines]


def packaged_weights() -> dict[str, Tensor]:
    """Return the weights of the reader that is in the package, as numbers again."""
    package = files("reasonloom.llm")
    graph = onnx.load_from_string((package / "classifier" / "reader.onnx").read_bytes())
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.graph.initializer}
    found = {name: of for name, of in arrays.items() if name.endswith(("weight", "bias"))}
    for name in (each for each in arrays if each.endswith("_quantized")):
        whole = name.removesuffix("_quantized")
        steps = arrays[name].astype(np.float32) - arrays[f"{whole}_zero_point"]
        found[whole] = (steps * arrays[f"{whole}_scale"]).T
    return {
        name: torch.tensor(of) for name, of in found.items() if name.startswith(("enc", "heads"))
    }


def public_cases(public: Path, file: str) -> dict[str, list[Case]]:
    """Return the public cases of a file by source."""
    found = defaultdict(list)
    with gzip.open(public / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            found[case["source"]].append(case)
    return found


def plain_texts(public: Path) -> list[str]:
    """Return public texts that state something and argue nothing, the same at every teaching."""
    found = {
        source: {case[part] for case in cases}
        for file, part in (("entailment", "premise"), ("question-passage", "passage"))
        for source, cases in public_cases(public, file).items()
    }
    chance = random.Random(SEED)  # noqa: S311
    return [
        text
        for source, count in PLAIN.items()
        for text in chance.sample(sorted(found[source]), count)
    ]


def argument_cases(public: Path) -> tuple[list[Case], list[Case]]:
    """Return the cases of whether a text argues, and those of them that show no bias."""
    silent = [{"text": text, "argues": False} for text in plain_texts(public)]
    cases = [*cases_of("argues"), *silent]
    arguing = [{"text": case["text"], "argues": True} for case in cases_of("biases")]
    unbiased = [{"text": case["text"], "label": NONE} for case in cases if not case["argues"]]
    chosen = random.Random(SEED).sample(arguing, ARGUING)  # noqa: S311
    return [*cases, *chosen], unbiased


def public_pairs(public: Path) -> list[Case]:
    """Return the public pairs that are taught, mixed."""
    chance = random.Random(SEED)  # noqa: S311
    found = public_cases(public, "entailment")
    pairs = [
        case
        for source, most in PAIRS.items()
        for case in chance.sample(found[source], min(most, len(found[source])))
    ]
    chance.shuffle(pairs)
    return pairs


def own_pairs() -> list[Case]:
    """Return our own pairs of a text and a claim; a situation that fits a message is one too."""
    fitting = [
        {
            "premise": case["message"],
            "hypothesis": SITUATION.format(trigger=case["trigger"]),
            "label": VERDICTS[0] if case["fires"] else VERDICTS[1],
            "two_way": True,
        }
        for case in cases_of("triggers")
    ]
    pairs = cases_of("entailment")
    same = [
        {"premise": pair["premise"], "hypothesis": sentence, "label": VERDICTS[0]}
        for pair in pairs[::REPEATED]
        for sentence in SENTENCE.split(pair["premise"].strip())[-1:]
    ]
    return [*pairs, *fitting, *same]


def grounded_pairs() -> list[Case]:
    """Return the claims of `grounds-*` with all their notes; `grounds-1` chooses thresholds."""
    return [
        {
            "premise": "\n".join(case["notes"]),
            "hypothesis": case["claim"],
            "label": GROUNDED.get(case["label"], "neutral"),
        }
        for case in cases_of("grounds", first=2)
    ]


def neighboured(pairs: list[Case]) -> list[Case]:
    """Return the pairs with the nearest premise that is about something else; all are neutral."""
    premises = sorted({pair["premise"] for pair in pairs})
    numbers = {premise: number for number, premise in enumerate(premises)}
    vectors = np.array(encode(premises))
    likeness = np.array(encode([pair["hypothesis"] for pair in pairs])) @ vectors.T
    own = [numbers[pair["premise"]] for pair in pairs]
    likeness[vectors[own] @ vectors.T > TOO_NEAR] = -1
    return [
        {**pair, "premise": premises[nearest], "label": "neutral"}
        for pair, nearest in zip(pairs, likeness.argmax(axis=1), strict=True)
    ]


def replacement_cases() -> list[Case]:
    """Return pairs of an older and a newer memory; what follows from a text replaces nothing."""
    same = [
        {"older": pair["premise"], "newer": pair["hypothesis"], "replaces": False}
        for pair in cases_of("entailment")
        if pair["label"] != VERDICTS[2] and "\n" not in pair["premise"]
    ]
    chosen = random.Random(SEED).sample(same, SAME)  # noqa: S311
    return [*cases_of("replaces"), *chosen]


def answer_cases(public: Path) -> list[Case]:
    """Return pairs of a text and a question that it answers or not.

    Each question of a world of memories is taught with what answers it and with the nearest that
    do not; a public question with its passage and the nearest other one.
    """
    made = []
    for world in cases_of("questions"):
        texts, questions = world["memories"], world["questions"]
        vectors = np.array(encode([each["text"] for each in questions]))
        for question, near in zip(questions, vectors @ np.array(encode(texts)).T, strict=True):
            others = [n for n in np.argsort(-near) if n not in question["answers"]]
            for n in (*question["answers"], *others[:NOT_ANSWERS]):
                answers = n in question["answers"]
                made.append({"text": texts[n], "question": question["text"], "answers": answers})
    chance = random.Random(SEED)  # noqa: S311
    found = public_cases(public, "question-passage")
    for source, most in ANSWERED.items():
        cases = chance.sample(found[source], min(most, len(found[source])))
        passages = [case["passage"] for case in cases]
        vectors = np.array(encode(passages))
        likeness = np.array(encode([case["question"] for case in cases])) @ vectors.T
        likeness[vectors @ vectors.T > TOO_NEAR] = -1
        for case, other in zip(cases, likeness.argmax(axis=1), strict=True):
            for passage, answers in ((case["passage"], True), (passages[other], False)):
                made.append({"text": passage, "question": case["question"], "answers": answers})
    return made


def further_tasks(public: Path) -> list[list[Task]]:
    """Return the tasks of each round that goes on from the packaged weights: parts of all cases.

    Claims with their notes, and questions about one note, are taught in each round, all of them.
    """
    arguing, unbiased = argument_cases(public)
    pairs = own_pairs()
    clear = [pair for pair in pairs if pair["label"] != "neutral" and not pair.get("two_way")]
    grounded, hard = grounded_pairs(), cases_of("answers")
    cases = {
        "entailment": pairs, "answers": answer_cases(public), "replaces": cases_of("replaces"),
        "bias": [*cases_of("biases"), *unbiased], "argues": arguing,
        "emotion": cases_of("emotions"), "framework": cases_of("frameworks"),
        "soundness": cases_of("pairs"),
    }  # fmt: skip
    rounds = []
    for number in range(FURTHER):
        chance = random.Random(SEED + number)  # noqa: S311
        parts = {kind: chance.sample(of, PART[kind]) for kind, of in cases.items()}
        parts["entailment"] += [*grounded, *neighboured(chance.sample(clear, NEIGHBOURED))]
        parts["answers"] += hard
        for kind, (name, first) in WHOLE.items():
            parts[kind] += cases_of(name, first=first)
        rounds.append(list(parts.items()))
    return rounds


def tasks_of(public: Path) -> list[list[Task]]:
    """Return the tasks of each round; emotions and frameworks are in the last one twice."""
    arguing, unbiased = argument_cases(public)
    always = [
        ("bias", [*cases_of("biases"), *unbiased]),
        ("argues", arguing),
        ("emotion", cases_of("emotions")),
        ("framework", cases_of("frameworks")),
        ("soundness", cases_of("pairs")),
        ("replaces", replacement_cases() * 2),
        ("answers", [*cases_of("answers"), *answer_cases(public)]),
    ]
    own, public_of = own_pairs(), public_pairs(public)
    rounds = []
    for number, thirds in enumerate(THIRDS):
        parts = [public_of[(number + part) % 3 :: 3] for part in range(thirds)]
        pairs = [pair for part in (*parts, *[own] * OWN_TIMES) for pair in part]
        rounds.append([*always, ("entailment", pairs)])
    few = [(name, cases) for name, cases in always if name in ("emotion", "framework")]
    rounds[-1] = [*always, *few, ("entailment", own)]
    return rounds


def among_others(pairs: list[Case]) -> list[Case]:
    """Return the pairs, some with other premises before or after their own."""
    made = []
    for pair in pairs:
        premises = pair["premise"].split("\n")
        random.shuffle(premises)
        if random.random() < DISTRACTED:  # noqa: S311
            others = random.sample(pairs, random.randint(1, 3))  # noqa: S311
            premises += [other["premise"] for other in others]
            random.shuffle(premises)
        made.append({**pair, "premise": "\n".join(premises)})
    return made


def batches(tasks: list[Task]) -> list[Task]:
    """Return batches of all tasks in random order, each of texts of about one length."""
    found: list[Task] = []
    for name, cases in tasks:
        size = BATCH // 2 if name == "soundness" else BATCH
        mixed = among_others(cases) if name == "entailment" else cases
        mixed = random.sample(mixed, len(mixed))
        for first in range(0, len(mixed), size * GROUP):
            near = sorted(mixed[first : first + size * GROUP], key=lambda case: len(str(case)))
            found += [(name, near[at : at + size]) for at in range(0, len(near), size)]
    random.shuffle(found)
    return found


def loss_of(reader: Reader, name: str, cases: list[Case]) -> Tensor:
    """Return the loss of one batch."""
    if name == "soundness":
        both = reader([case["sound"] for case in cases] + [case["flawed"] for case in cases])
        better, worse = reader.heads["soundness"](both)[:, 0].split(len(cases))
        return nn.functional.softplus(worse - better).mean()
    if name == "entailment":
        return entailment_loss(reader, cases)
    if name == "replaces":
        pairs = reader([(case["older"], case["newer"]) for case in cases])
        outputs = reader.heads["replaces"](pairs)  # without smoothing: it must be able to be sure
        return yes_or_no_loss(outputs, [case["replaces"] for case in cases], smoothing=0)
    if name == "answers":
        pairs = reader([(case["text"], case["question"]) for case in cases])
        return yes_or_no_loss(reader.heads["answers"](pairs), [case["answers"] for case in cases])
    texts = reader([case.get("text") or case["problem"] for case in cases])
    if name == "argues":
        return yes_or_no_loss(reader.heads["argues"](texts), [case["argues"] for case in cases])
    order = {"bias": BIASES, "emotion": EMOTIONS, "framework": FRAMEWORKS}[name]
    wanted = torch.tensor([order.index(case["label"]) for case in cases])
    entropy = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)
    loss = entropy(reader.heads[name](texts), wanted)
    if name == "emotion":
        axes = [[case[axis] for axis in ("valence", "arousal", "dominance")] for case in cases]
        loss = loss + nn.functional.mse_loss(reader.heads["circumplex"](texts), torch.tensor(axes))
    return loss


def yes_or_no_loss(
    outputs: Tensor, labels: Sequence[bool], *, smoothing: float = SMOOTHING
) -> Tensor:
    """Return the loss of a head of one number."""
    wanted = torch.tensor([float(label) for label in labels])
    return nn.functional.binary_cross_entropy_with_logits(
        outputs[:, 0], wanted * (1 - smoothing) + smoothing / 2
    )


def entailment_loss(reader: Reader, cases: list[Case]) -> Tensor:
    """Return the loss of pairs; where only "not entailed" is known, of that alone."""
    texts = reader([(case["premise"], case["hypothesis"]) for case in cases])
    logs = reader.heads["entailment"](texts).log_softmax(-1)
    wanted = torch.tensor([VERDICTS.index(case["label"]) for case in cases])
    whole = nn.functional.nll_loss(logs, wanted, reduction="none")
    whole = whole * (1 - SMOOTHING) - SMOOTHING * logs.mean(-1)
    either = -torch.where(wanted == 0, logs[:, 0], torch.logsumexp(logs[:, 1:], -1))
    open_ended = torch.tensor([bool(case.get("two_way")) for case in cases])
    return torch.where(open_ended, either, whole).mean()


def teach(reader: Reader, rounds: list[list[Task]], state: Path, rate: float) -> None:
    """Go over the tasks of each round; the rate warms up, then falls to nothing."""
    total = sum(len(batches(tasks)) for tasks in rounds)
    body = [p for p in reader.encoder.parameters() if p.requires_grad]
    groups = [{"params": body, "lr": rate}, {"params": reader.heads.parameters(), "lr": HEAD_RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (WARM_UP * total)) * max(0, 1 - step / total)
    )
    parts = {"reader": reader, "optimiser": optimiser, "schedule": schedule}
    done = 0
    if state.exists():
        kept = torch.load(state)
        done = kept.pop("done")
        for name, part in parts.items():
            part.load_state_dict(kept[name])
    reader.train()
    for number, tasks in enumerate(rounds[done:], done + 1):
        random.seed(SEED + number)
        started, losses = time.perf_counter(), defaultdict(list)
        for name, cases in batches(tasks):
            loss = loss_of(reader, name, cases)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses[name].append(loss.item())
        took = time.perf_counter() - started
        means = ", ".join(f"{name} {np.mean(of):.3f}" for name, of in losses.items())
        sys.stderr.write(f"round {number}: {means}; {took:.0f} s\n")
        sys.stderr.flush()
        torch.save({**{n: p.state_dict() for n, p in parts.items()}, "done": number}, state)


def main() -> None:
    """Teach, and write the weights."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("model", type=Path)
    given.add_argument("public", type=Path)
    given.add_argument("weights", type=Path)
    given.add_argument("--further", action="store_true", help="go on from the packaged weights")
    chosen = given.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", os.cpu_count() or 1)))
    torch.manual_seed(SEED)
    random.seed(SEED)
    reader = Reader(chosen.model)
    if chosen.further:
        reader.load_state_dict(packaged_weights(), strict=False)
        rounds = further_tasks(chosen.public)
    else:
        rounds = tasks_of(chosen.public)
    rate = FURTHER_RATE if chosen.further else RATE
    teach(reader, rounds, chosen.weights.with_suffix(".state"), rate)
    np.savez(chosen.weights, **{name: of.numpy() for name, of in reader.state_dict().items()})


if __name__ == "__main__":
    main()
