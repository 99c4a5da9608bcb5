"""Loads the everyday sets: claims with the notes that decide them, and texts that argue or not."""

from __future__ import annotations

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
    """A claim, and all notes there are; `label_field` is the verdict."""

    label_field = "verdict"
    body_field = "claim"

    kind: Words
    verdict: Annotated[Verdict, Field(alias="label")]
    notes: Annotated[list[Words], Field(min_length=1)]
    claim: Words
    why: Words


class EverydayText(BiasText):
    """A text that argues nothing (`everyday`), argues well (`sound`), or shows a bias."""

    group: Group


@dataclass(frozen=True, slots=True)
class EverydaySets:
    """The claims and texts of a half, and the SHA-256 of both files."""

    claims: tuple[EverydayClaim, ...]
    texts: tuple[EverydayText, ...]
    sha256: dict[str, str]


def load_everyday(half: str = "dev", folder: Path = HERE) -> EverydaySets:
    """Load the sets of a half or of `all`; `folder` may hold other files of this form.

    Raises:
        InvalidArgument: a file is missing or malformed.
    """
    claims, first = load_records(folder / "claims.jsonl", EverydayClaim)
    texts, second = load_records(folder / "arguments.jsonl", EverydayText)
    for records in (claims, texts):
        require_unique(record.id for record in records)
    digests = {"claims.jsonl": first, "arguments.jsonl": second}
    return EverydaySets(of_half(half, claims), of_half(half, texts), digests)
