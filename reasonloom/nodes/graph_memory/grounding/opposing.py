"""Which current memories say the same as others, but for a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reasonloom.nodes.graph_memory.grounding.pair import Pair, Part
from reasonloom.nodes.graph_memory.grounding.reading.clause import Term
from reasonloom.nodes.graph_memory.grounding.reading.matching import found_in
from reasonloom.nodes.graph_memory.grounding.reading.units import DIMENSIONS


def opposing(bearing: Sequence[int], pairs: Mapping[int, Pair]) -> dict[int, str]:
    """Return current memories that say the same matter as those that bear it out, but for a figure.

    They name nothing of their own besides: a memory of another thing with a figure is none.
    """
    said = {place for key in bearing for place, p in enumerate(pairs[key].parts) if p.whole}
    return {
        key: pair.parts[place].why or ""
        for place in sorted(said)
        for key, pair in pairs.items()
        if key not in bearing and _other_figure(pair.parts[place])
    }


def _other_figure(part: Part) -> bool:
    """Tell whether a memory has all the words of a clause and no others, and another figure."""
    if part.against is None or part.against.kind != "figure" or part.nearest is None:
        return False
    asked = (*part.clause.subject, *part.clause.terms)
    held = (*part.nearest.subject, *part.nearest.terms)
    return _bare(asked) == _bare(held) and all(
        found_in(term, others) is not None
        for terms, others in ((part.clause.terms, held), (part.nearest.terms, asked))
        for term in terms
        if not term.value
    )


def _bare(terms: Iterable[Term]) -> set[object]:
    """Return the figures without a known unit: they may be names of things, as in `invoice 17`."""
    return {
        term.value.amount
        for term in terms
        if term.value
        and term.value.kind in ("number", "ordinal", "code")
        and term.value.unit not in DIMENSIONS
    }
