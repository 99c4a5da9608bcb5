"""How a short answer differs from a whole one, as data beside each answer's fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Brief:
    """What a short answer keeps of a model; all names are those of its fields.

    Attributes:
        main: the field whose text an agent reads first.
        text: the other fields that the text has, in order; None for all.
        gist: texts, and lists of texts, of which the first sentence is kept.
        few: lists of which so many items are kept.
        drop: what is left out: optional fields are absent, others are empty.
        within: the briefs of single fields, where they are not those of their models.
        answer_of: fields that hold another tool's answer, and the field that names the tool.
    """

    main: str | None = None
    text: tuple[str, ...] | None = None
    gist: tuple[str, ...] = ()
    few: Mapping[str, int] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    within: Mapping[str, Brief] = field(default_factory=dict)
    answer_of: Mapping[str, str] = field(default_factory=dict)


WHOLE = Brief()
