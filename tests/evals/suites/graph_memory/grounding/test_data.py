"""The labelled claims are what their page says, and a broken set is refused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.graph_memory.grounding.data import (
    HERE,
    KINDS,
    Claim,
    Thresholds,
    balanced_accuracy,
    best_thresholds,
    load_grounding,
    overlap_scores,
)
from tests.support.evals.bent_sets import Bend, bent, refused

FILES = ("memories.jsonl", "claims.jsonl")
PRONOUN = re.compile(r"\b(he|she|it|they|him|her|his|its|them)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", FILES)
def test_the_page_holds_the_hash_of_the_file(name: str) -> None:
    readme = (HERE / "README.md").read_text()
    assert f"sha256 of `{name}`: {load_grounding('all').sha256[name]}\n" in readme
    assert load_grounding("dev").sha256 == load_grounding("held").sha256


def test_dev_is_given_unless_another_half_is_named() -> None:
    assert load_grounding() == load_grounding("dev") != load_grounding("held")
    assert {claim.half for claim in load_grounding().claims} == {"dev"}


def test_halves_are_ten_worlds_each_and_share_none() -> None:
    dev, held = ({world.id for world in load_grounding(half).worlds} for half in ("dev", "held"))
    assert len(dev) == len(held) == 10
    assert dev.isdisjoint(held)
    assert {world.id for world in load_grounding("all").worlds} == dev | held


def test_a_world_has_two_claims_of_each_kind_and_11_or_12_memories() -> None:
    for world in load_grounding("all").worlds:
        assert Counter(claim.kind for claim in world.claims) == dict.fromkeys(KINDS, 2)
        assert len(world.memories) in {11, 12}
        assert len(world.memories) - len(world.current) == 2


def test_both_halves_hold_every_language() -> None:
    for half in ("dev", "held"):
        found = Counter(claim.language for claim in load_grounding(half).claims)
        assert set(found) == {"en", "de", "fr", "es", "ja"}


def test_a_claim_names_what_it_speaks_of() -> None:
    english = [claim for claim in load_grounding("all").claims if claim.language == "en"]
    assert [claim.id for claim in english if PRONOUN.search(claim.text)] == []


def test_labels_are_as_many_as_the_page_says() -> None:
    claims = load_grounding("all").claims
    labels = Counter(claim.label for claim in claims)
    assert labels == {"contradicted": 157, "verified": 80, "ungrounded": 43, "partial": 40}
    assert sum(len(claim.evidence) > 1 for claim in claims) == 8
    assert sum(ends_uncovered(claim) for claim in claims if claim.uncovered) == 20


def ends_uncovered(claim: Claim) -> bool:
    return claim.text[:-1].endswith(str(claim.uncovered))


@pytest.mark.parametrize("half", ["dev", "held"])
def test_words_alone_do_not_ground(half: str) -> None:
    by = best_thresholds(overlap_scores(load_grounding("dev").worlds))
    assert by == Thresholds(0.75, 0.45)
    claims = overlap_scores(load_grounding(half).worlds)
    mean, kinds = balanced_accuracy(claims, by), []
    for kind in KINDS:
        own = [each for each in claims if each.claim.kind == kind]
        right = sum(by.verdict(each.share) == each.claim.verdict for each in own)
        kinds.append(right / len(own))
    assert mean < 0.55
    figures = [*kinds, sum(kinds) / len(kinds), mean]
    row = " | ".join(f"{100 * share:.0f}" for share in figures)
    assert f"| {half} | {row} |\n" in (HERE / "README.md").read_text()


BENT_MEMORIES: dict[str, tuple[Bend, str]] = {
    "type": (lambda rows: rows[0].update(type="hunch"), "line 1, type"),
    "language": (lambda rows: rows[1].update(language="it"), "line 2, language"),
    "half": (lambda rows: rows[0].update(half="test"), "line 1, half"),
    "text": (lambda rows: rows[2].update(text=" "), "line 3, text"),
    "id": (lambda rows: rows[0].update(id="1"), "line 1, id"),
    "missing": (lambda rows: rows[0].pop("supersedes"), "line 1, supersedes"),
    "unknown": (lambda rows: rows[0].update(mood=1), "line 1, mood"),
    "id twice": (lambda rows: rows[1].update(id="w01-m01"), "'w01-m01' is there twice"),
    "text twice": (lambda rows: rows[1].update(text=rows[0]["text"].upper()), "is there twice"),
    "later": (lambda rows: rows[0].update(supersedes="w01-m02"), "w01-m01: supersedes"),
    "itself": (lambda rows: rows[0].update(supersedes="w01-m01"), "w01-m01: supersedes"),
    "nothing": (lambda rows: rows[4].update(supersedes="w99-m01"), "w01-m05: supersedes"),
    "elsewhere": (lambda rows: rows[15].update(supersedes="w01-m01"), "w02-m05: supersedes"),
    "branched": (lambda rows: rows[7].update(supersedes="w01-m04"), "w01-m08: supersedes"),
    "uncorrected": (lambda rows: rows[4].update(supersedes=None), "must hold the memory that"),
    "both halves": (lambda rows: rows[3].update(half="held"), "w01 is in both halves"),
    "no claims": (lambda rows: rows[0].update(world="w99"), "claims.jsonl: there is nothing of"),
    "empty": (lambda rows: rows.clear(), "memories.jsonl: there is nothing of w01"),
}
BENT_CLAIMS: dict[str, tuple[Bend, str]] = {
    "kind": (lambda rows: rows[0].update(kind="false"), "line 1, kind"),
    "verdict": (lambda rows: rows[0].update(verdict="yes"), "line 1, verdict"),
    "verdict of another kind": (
        lambda rows: rows[0].update(verdict="partial"),
        "line 1: verdict: must be verified for true",
    ),
    "contradicted": (
        lambda rows: rows[0].update(contradicted=True),
        "line 1: contradicted: must not be True for true",
    ),
    "negated but not contradicted": (
        lambda rows: rows[6].update(contradicted=False, evidence=[]),
        "line 7: contradicted: must not be False for negated",
    ),
    "no evidence": (lambda rows: rows[0].update(evidence=[]), "line 1: evidence: must be empty"),
    "evidence of nothing": (
        lambda rows: rows[12].update(evidence=["w01-m01"]),
        "line 13: evidence: must be empty",
    ),
    "evidence that is no list": (lambda rows: rows[0].update(evidence="x"), "line 1, evidence"),
    "evidence elsewhere": (
        lambda rows: rows[0].update(evidence=["w02-m01"]),
        "w01-c01: evidence: must be current memories of its world",
    ),
    "evidence superseded": (
        lambda rows: rows[0].update(evidence=["w01-m04"]),
        "w01-c01: evidence: must be current memories of its world",
    ),
    "superseded by nothing": (
        lambda rows: rows[14].update(evidence=["w01-m01"]),
        "w01-c15: evidence: must hold the memory that corrects",
    ),
    "nothing uncovered": (
        lambda rows: rows[4].update(uncovered=None),
        "line 5: uncovered: must be words for partly",
    ),
    "uncovered but true": (
        lambda rows: rows[0].update(uncovered="the user"),
        "line 1: uncovered: must be words for partly, and null",
    ),
    "uncovered elsewhere": (
        lambda rows: rows[4].update(uncovered="owns pink elephants"),
        "line 5: uncovered: must be words of the text",
    ),
    "all uncovered": (
        lambda rows: rows[4].update(uncovered=rows[4]["text"]),
        "line 5: uncovered: must be words of the text",
    ),
    "text twice": (lambda rows: rows[1].update(text=rows[0]["text"].upper()), "is there twice"),
    "both halves": (lambda rows: rows[3].update(half="held"), "w01 is in both halves"),
    "no memories": (
        lambda rows: rows[0].update(world="w99"),
        "memories.jsonl: there is nothing of",
    ),
    "uneven": (lambda rows: rows.pop(), "superseded has 20 in dev and 19 in held"),
    "empty": (lambda rows: rows.clear(), "claims.jsonl: there is nothing of w01"),
}


@pytest.mark.parametrize("bend", BENT_MEMORIES)
def test_bent_memories_are_refused_by_line_and_field(bend: str, tmp_path: Path) -> None:
    refused(
        load_grounding,
        bent(HERE, FILES, "memories.jsonl", BENT_MEMORIES[bend][0], tmp_path),
        BENT_MEMORIES[bend][1],
    )


@pytest.mark.parametrize("bend", BENT_CLAIMS)
def test_bent_claims_are_refused_by_line_and_field(bend: str, tmp_path: Path) -> None:
    refused(
        load_grounding,
        bent(HERE, FILES, "claims.jsonl", BENT_CLAIMS[bend][0], tmp_path),
        BENT_CLAIMS[bend][1],
    )


def test_a_copy_that_is_not_bent_is_read(tmp_path: Path) -> None:
    assert (
        load_grounding("all", bent(HERE, FILES, "claims.jsonl", len, tmp_path)).worlds
        == load_grounding("all").worlds
    )


@pytest.mark.parametrize("line", ["{", "[]", "\xff"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_record_is_refused(line: str, name: str, tmp_path: Path) -> None:
    bent(HERE, FILES, name, len, tmp_path)
    (tmp_path / name).write_bytes(line.encode("latin-1"))
    refused(load_grounding, tmp_path, f"{name}, line 1: ")


def test_a_half_and_a_file_that_are_not_there(tmp_path: Path) -> None:
    refused(load_grounding, tmp_path / "no", "memories.jsonl: there is no such file")
    with pytest.raises(InvalidArgument, match="must be one of dev, held, all"):
        load_grounding("both")
