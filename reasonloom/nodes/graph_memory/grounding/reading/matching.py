"""Matches the terms of one text with those of another, by word, stem, concept or opposite."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Term
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import LATIN_END, same_stem
from reasonloom.nodes.graph_memory.grounding.reading.values import Value

PREFIXES = ("un", "in", "im", "ir", "dis", "non", "mis", "des", "dés")
SHORTEST_ROOT = 4
INFLECTED = frozenset(("s", "es", "en", "er", "em", "ern", "n"))
"""Inflectional endings of a capitalised word; other endings make it a different name."""

CJK = "\u3040"
HALF_A_DAY = 720
SHARED_PAIRS, MOST = 0.6, 0.6
OTHER = frozenset("副非未不無元前旧準反次亜半逆脱没否")
"""Prefix characters that change the meaning of a word: a head and a deputy head."""

REACHING, BEYOND = 2, 3
"""The size of `Term.bound` of a limit that includes its figure, and of one that does not."""

KATAKANA = re.compile("[\u30a1-\u30ff]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A claimed term and the held term that matches it; `flipped` if they are opposites."""

    claimed: Term
    held: Term
    flipped: bool


def find_term(term: Term, terms: Iterable[Term]) -> Found | None:
    """Return the best match of a term: not an opposite, denied alike, then the first."""
    terms = tuple(terms)
    hits = [Found(term, held, flip) for held in terms if (flip := _answers(term, held)) is not None]
    if not hits or (term.bound and any(_is_beyond(term, held) for held in terms)):
        return None
    return min(hits, key=lambda hit: (hit.flipped, bool(hit.held.denied) != bool(term.denied)))


def match_terms(clause: Clause, other: Clause) -> list[Found]:
    """Return the matches of one clause's terms in another clause."""
    hits = (find_term(term, (*other.terms, *other.subject)) for term in clause.terms)
    return [hit for hit in hits if hit]


def _answers(term: Term, held: Term) -> bool | None:
    """Return whether `held` matches `term` as its opposite; None if they do not match."""
    if term.value or held.value:
        return False if _figures_agree(term, held) else None
    if term.key == held.key:
        return term.sign != held.sign
    if term.text.casefold() == held.text.casefold():
        return False
    return _otherwise(term, held)


def _otherwise(term: Term, held: Term) -> bool | None:
    """Compare two terms with different keys by their spelling; results as in `_answers`."""
    if term.text[:1] >= CJK and held.text[:1] >= CJK and term.key[:1] == held.key[:1] == "=":
        return None
    if term.text[:1] >= CJK and held.text[:1] >= CJK:
        return False if _share_letters(term.text, held.text) else None
    if "=" in (term.key[:1], held.key[:1]):
        return _written(term.text.casefold(), held.text.casefold())
    if term.key[:1] >= CJK and held.key[:1] >= CJK:
        return False if _share_letters(term.key, held.key) else None
    if term.name and held.name:
        return None
    return None if _another_name(term.text, held.text) else _written(term.key, held.key)


def _another_name(one: str, other: str) -> bool:
    """Return whether two words may be names that differ in their endings: Maria, Mario, Marian."""
    if not (one[:1].isupper() or other[:1].isupper()) or ord(one[0]) > LATIN_END:
        return False
    shorter, longer = sorted((one.casefold(), other.casefold()), key=len)
    if one[:1].isupper() and other[:1].isupper():
        return not (longer.startswith(shorter) and longer[len(shorter) :] in INFLECTED)
    return len(one) == len(other) and {one[-1], other[-1]} == {"a", "o"}


@lru_cache(maxsize=50_000)
def _written(one: str, other: str) -> bool | None:
    """Compare two words by spelling: False for one word, True for its negation, else None."""
    if one[:1] == other[:1] and same_stem(one, other):
        return False
    return True if _prefixed(one, other) or _prefixed(other, one) else None


def _prefixed(one: str, other: str) -> bool:
    """Return whether one word is the other with a negative prefix: unpaid, paid."""
    return one.startswith(PREFIXES) and any(
        one.startswith(prefix)
        and len(one) - len(prefix) >= SHORTEST_ROOT
        and same_stem(one[len(prefix) :], other)
        for prefix in PREFIXES
    )


def _share_letters(claimed: str, held: str) -> bool:
    """Return whether a run of CJK characters is contained in another, entirely or mostly."""
    shorter, longer = sorted((claimed, held), key=len)
    if shorter in longer:
        other = longer.endswith(shorter) and longer[-len(shorter) - 1 : -len(shorter)] in OTHER
        return not other and (claimed == shorter or len(held) / len(claimed) >= MOST)
    if KATAKANA.fullmatch(claimed) or KATAKANA.fullmatch(held):
        return claimed.replace("ー", "") == held.replace("ー", "")
    pairs = [{word[n : n + 2] for n in range(len(word) - 1)} for word in (claimed, held)]
    return bool(pairs[0]) and len(pairs[0] & pairs[1]) / len(pairs[0]) >= SHARED_PAIRS


def _figures_agree(claimed: Term, held: Term) -> bool:
    """Return whether a held figure makes a claimed one true, which may be a limit: more than 5."""
    if not (claimed.value and held.value):
        return False
    if not _one_is_a_limit(claimed, held):
        return same_value(claimed.value, held.value)
    if claimed.bound:
        return _is_within(held, claimed)
    return same_value(claimed.value, held.value) and _is_within(claimed, held)


def exclude_each_other(claimed: Term, held: Term) -> bool:
    """Return whether two figures that do not agree cannot both be true."""
    if not (claimed.value and held.value and rivals(claimed.value, held.value)):
        return False
    if not _one_is_a_limit(claimed, held):
        return True
    return not (_is_within(held, claimed) if claimed.bound else _is_within(claimed, held))


def _is_beyond(claimed: Term, held: Term) -> bool:
    """Return whether a held figure is on the wrong side of a claimed limit."""
    return _one_is_a_limit(claimed, held) and not _is_within(held, claimed)


def _one_is_a_limit(claimed: Term, held: Term) -> bool:
    """Return whether one of two comparable numbers is a limit; two limits must be the same."""
    if not (claimed.value and held.value and claimed.value.kind == "number"):
        return False
    sizes = sorted((abs(claimed.bound), abs(held.bound)))
    return sizes[0] == 0 and sizes[1] >= REACHING and rivals(claimed.value, held.value)


def _is_within(exact: Term, limit: Term) -> bool:
    """Return whether a number is on the right side of a limit."""
    if not (exact.value and limit.value):
        return False
    beyond = (_number(exact.value) - _number(limit.value)) * limit.bound
    return beyond > 0 or (beyond == 0 and abs(limit.bound) < BEYOND)


def same_value(claimed: Value, held: Value) -> bool:
    """Return whether two figures are equal; `held` may give a more precise date."""
    kinds = {claimed.kind, held.kind}
    if kinds == {"time", "number"}:
        return _same_hour(claimed, held)
    if kinds == {"date", "number"}:
        return _year_of(claimed) == _year_of(held) is not None
    if len(kinds) > 1:
        return kinds == {"code", "number"} and _written_alike(claimed, held)
    if claimed.kind == "date":
        return all(
            mine is None or mine == other
            for mine, other in zip(_parts(claimed), _parts(held), strict=True)
        )
    if claimed.kind == "time":
        exact = claimed.unit and held.unit
        gap = _number(claimed) - _number(held)
        return gap == 0 if exact else gap % HALF_A_DAY == 0
    return claimed.amount == held.amount and (claimed.kind == "weekday" or same_unit(claimed, held))


def same_unit(claimed: Value, held: Value) -> bool:
    """Return whether two numbers may have the same unit; either may lack one."""
    return not claimed.unit or not held.unit or same_stem(claimed.unit, held.unit)


def rivals(claimed: Value, held: Value) -> bool:
    """Return whether two different figures compete: same kind and comparable units."""
    if claimed.kind != held.kind:
        return False
    if claimed.kind in ("number", "ordinal"):
        return (
            same_stem(claimed.unit, held.unit)
            if claimed.unit and held.unit
            else not (claimed.unit or held.unit)
        )
    if claimed.kind == "range":
        return same_unit(claimed, held)
    if claimed.kind == "date":
        return any(
            mine is not None and other is not None
            for mine, other in zip(_parts(claimed), _parts(held), strict=True)
        )
    return True


def _same_hour(one: Value, other: Value) -> bool:
    time, number = (one, other) if one.kind == "time" else (other, one)
    return (_number(time) - 60 * _number(number)) % HALF_A_DAY == 0


def _written_alike(one: Value, other: Value) -> bool:
    """Return whether a plain number equals a version: 2.1 and version 2.1, but not 2.10."""
    code, number = (one, other) if one.kind == "code" else (other, one)
    return code.amount == f"{_number(number):g}"


def _year_of(value: Value) -> int | None:
    if value.kind == "date":
        return _parts(value)[0]
    number = _number(value)
    return int(number) if not value.unit and math.isfinite(number) else None


def _parts(value: Value) -> tuple[int | None, ...]:
    return value.amount if isinstance(value.amount, tuple) else ()


def _number(value: Value) -> float:
    return float(value.amount) if isinstance(value.amount, (int, float)) else -1.0
