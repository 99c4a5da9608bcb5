"""Loads the everyday sets: claims with their notes, texts, triggers, and pairs of memories."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from reasonloom.evals.suites.labelled import Labelled, Words, load_records, of_half, require_unique
from reasonloom.evals.suites.metacognition.data import BiasText

HERE = Path(__file__).parent
Verdict = Literal["verified", "partial", "ungrounded", "contradicted"]
Group = Literal["everyday", "sound", "biased"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


class EverydayClaim(Labelled):
    """A claim and the only notes available to judge it; labelled with the verdict."""

    label_field = "verdict"
    body_field = "claim"

    kind: Words
    verdict: Annotated[Verdict, Field(alias="label")]
    notes: Annotated[list[Words], Field(min_length=1)]
    claim: Words
    why: Words


class EverydayText(BiasText):
    """A text without an argument (`everyday`), with a sound one, or with a bias."""

    group: Group


class EverydayTrigger(Labelled):
    """A trigger situation and a message; labelled with whether the trigger must fire."""

    label_field = "fires"
    body_field = "message"

    kind: Words
    trigger: Words
    message: Words
    fires: bool


class EverydayReplacement(Labelled):
    """An older and a newer memory; labelled with whether the newer one replaces the older."""

    label_field = "replaces"
    body_field = "newer"

    kind: Words
    older: Words
    newer: Words
    replaces: bool


@dataclass(frozen=True, slots=True)
class EverydaySets:
    """The sets of a half, and the SHA-256 of their files."""

    claims: tuple[EverydayClaim, ...]
    texts: tuple[EverydayText, ...]
    triggers: tuple[EverydayTrigger, ...]
    replacements: tuple[EverydayReplacement, ...]
    sha256: dict[str, str]


def load_everyday(half: str = "dev", folder: Path = HERE) -> EverydaySets:
    """Load the sets of a half or of `all`; `folder` may hold other files in the same format.

    Raises:
        InvalidArgument: the half is unknown, or a file is missing or malformed.
    """
    claims, first = load_records(folder / "claims.jsonl", EverydayClaim)
    texts, second = load_records(folder / "arguments.jsonl", EverydayText)
    triggers, third = load_records(folder / "triggers.jsonl", EverydayTrigger)
    pairs, fourth = load_records(folder / "replacements.jsonl", EverydayReplacement)
    for records in (claims, texts, triggers, pairs):
        require_unique(record.id for record in records)
    return EverydaySets(
        of_half(half, claims),
        of_half(half, texts),
        of_half(half, triggers),
        of_half(half, pairs),
        {
            "claims.jsonl": first,
            "arguments.jsonl": second,
            "triggers.jsonl": third,
            "replacements.jsonl": fourth,
        },
    )
