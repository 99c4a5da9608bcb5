"""Measures each word rule of grounding on claims that nobody had in sight who wrote the rules.

    python -m tests.support.grounding.ablation
    python -m tests.support.grounding.ablation --entailment pairs.jsonl.gz

A rule is turned off, and the verdicts are counted again: verified rightly and wrongly,
contradicted rightly and wrongly. A rule that changes none has no reason to stay. `--entailment`
adds public pairs (`premise`, `hypothesis`, `label`, `source`), judged by words alone.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from reasonloom.nodes.graph_memory.grounding import conflicts, pair, role_swaps, unmatched_terms
from reasonloom.nodes.graph_memory.grounding.confirmation import confirm_verdict
from reasonloom.nodes.graph_memory.grounding.reading import clauses, lexicon, matching
from reasonloom.nodes.graph_memory.grounding.verdict import weigh_evidence
from tests import ROOT

EVERYDAY = ROOT / "reasonloom" / "evals" / "suites" / "everyday" / "claims.jsonl"
BLIND = Path(__file__).with_name("languages.jsonl")
TAUGHT = ROOT / "training" / "cases"
EACH = 170
"""Pairs by source and label."""


class Item(NamedTuple):
    """A claim, the notes it is judged by, and whether they verify or contradict it."""

    claim: str
    notes: tuple[str, ...]
    label: str
    by_words: bool = False


def nothing(*_: Any, **__: Any) -> None:
    """Find nothing."""


def never(*_: Any) -> bool:
    """Answer no."""
    return False


def unchanged(text: str) -> str:
    """Rewrite nothing."""
    return text


RULES: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    **{
        f"conflicts.{name}": (conflicts, name, nothing)
        for name in (
            "_figures", "_denial", "_roles", "_exchanged", "_placed", "_mood", "_not_of_all",
            "_left_out", "_scattered", "_condition", "_unread",
        )
    },
    **{f"unmatched_terms.{n}": (unmatched_terms, n, nothing) for n in ("_loose", "misplaced")},
    **{f"unmatched_terms.{n}": (unmatched_terms, n, never) for n in ("_turned", "_topic")},
    **{f"role_swaps.{name}": (role_swaps, name, nothing) for name in ("_reasons", "_blocks")},
    "conflicts": (pair, "find_conflict", nothing),
    "doubts": (pair, "find_doubt", nothing),
    "unmatched_terms": (pair, "unmatched_terms", nothing),
    "reading.concepts": (lexicon, "concept_of", nothing),
    "reading.irregular": (lexicon, "_irregular", dict),
    "reading.homographs": (lexicon, "_homographs", dict),
    "reading.phrases": (clauses, "rewrite_phrases", unchanged),
    "reading.scopes": (clauses, "mark_scopes", nothing),
    "reading.otherwise": (matching, "_otherwise", nothing),
}  # fmt: skip


def noted(path: Path) -> Iterator[tuple[dict[str, Any], Item]]:
    """Yield the lines of a file of claims, each with its item."""
    for line in path.read_text("utf-8").splitlines():
        each = json.loads(line)
        yield each, Item(each["claim"], tuple(each["notes"]), each["label"])


def sets(entailment: Path | None) -> dict[str, list[Item]]:
    """Return the items of each set."""
    found: dict[str, list[Item]] = defaultdict(list)
    for each, item in noted(EVERYDAY):
        found[f"everyday {each['half']}"].append(item)
    for each, item in noted(BLIND):
        found[each["language"]].append(item)
    found["grounds"] = [item for _, item in noted(TAUGHT / "grounds-2.jsonl")]
    if entailment:
        found["public"] = _public(entailment)
    return found


def _public(path: Path) -> list[Item]:
    labels = {"entailment": "verified", "contradiction": "contradicted"}
    by_kind: dict[tuple[str, str], list[Item]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            each = json.loads(line)
            label = labels.get(each["label"], "neutral")
            item = Item(each["hypothesis"], (each["premise"],), label, by_words=True)
            by_kind[each["source"], label].append(item)
    chosen = random.Random(0)  # noqa: S311 - a sample, no secret
    return [
        item
        for _, items in sorted(by_kind.items())
        for item in chosen.sample(items, min(EACH, len(items)))
    ]


async def verdict_of(item: Item) -> str:
    """Return `verified`, `contradicted` or an empty text."""
    notes = dict(enumerate(item.notes))
    verdict = weigh_evidence(item.claim, notes, {}, threshold=0.5)
    if not item.by_words:
        verdict = await confirm_verdict(verdict, item.claim, notes)
    if verdict.contradicted:
        return "contradicted"
    return "verified" if verdict.status == "verified" else ""


async def count(items: list[Item]) -> Counter[str]:
    """Count verdicts by whether they are right."""
    found: Counter[str] = Counter()
    for item in items:
        if verdict := await verdict_of(item):
            found[f"{verdict} {'rightly' if verdict == item.label else 'wrongly'}"] += 1
    return found


async def counted(items: Mapping[str, list[Item]], rule: str | None) -> dict[str, Counter[str]]:
    """Count the verdicts on each set with a rule turned off."""
    for cached in (clauses.read_text, pair.judge_readings, lexicon.base_of, lexicon.concepts):
        cached.cache_clear()
    with ExitStack() as stack:
        if rule:
            stack.enter_context(patch.object(*RULES[rule]))
        return {name: await count(each) for name, each in items.items()}


async def main(entailment: Path | None) -> None:
    """Print the verdicts with all rules, and what each rule changes."""
    items = sets(entailment)
    base = await counted(items, None)
    for name, found in base.items():
        print(f"{name}: {len(items[name])} claims, {dict(found)}")
    for rule in RULES:
        without = await counted(items, rule)
        changed = {}
        for name, found in without.items():
            keys = found.keys() | base[name].keys()
            change = {key: found[key] - base[name][key] for key in sorted(keys)}
            changed[name] = {key: each for key, each in change.items() if each}
        print(f"without {rule}:", {name: each for name, each in changed.items() if each})


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--entailment", type=Path)
    asyncio.run(main(given.parse_args().entailment))
