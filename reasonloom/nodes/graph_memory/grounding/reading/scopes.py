"""Marks which words of a sentence are in the scope of a denial, limit, `only` or preposition."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from reasonloom.nodes.graph_memory.grounding.reading.lexicon import clause_words
from reasonloom.nodes.graph_memory.grounding.reading.matching import BEYOND, REACHING
from reasonloom.nodes.graph_memory.grounding.reading.tokens import Token, is_independent
from reasonloom.nodes.graph_memory.grounding.reading.values import Value

MANY = 2
"""A denial after a conjunction opens a clause if more terms than this follow."""

LOOKED_BACK = 3


def mark_scopes(tokens: list[Token], language: str) -> None:
    """Set `marker`, `bound`, `denied` and `only` of a sentence's terms, in place.

    A local denial is then no longer a denial of the clause.
    """
    marker, places = "", clause_words(f"place-{language}")
    for at, token in enumerate(tokens):
        if token.kind == "small":
            marker = token.word if token.word in places else marker
        elif token.term is None:
            marker = "" if token.kind == "sign" else marker
        else:
            token.term = replace(token.term, marker=marker)
            if token.value:
                _limit(tokens, at, token.value)
            run = token.term.name and at + 1 < len(tokens) and tokens[at + 1].term is not None
            marker = marker if run else ""
    for at, token in enumerate(tokens):
        if token.kind == "local" and not _opens(tokens, at):
            _deny(tokens, at, _noun_phrase(tokens, at, german=language == "de"))
            token.kind = "done"
            if token.word in clause_words("without"):
                token.kind = "without" if token.word in clause_words("lacking") else "except"
        elif token.kind == "local":
            token.kind = "deny"
        elif token.kind == "deny" and (scope := _contrasted(tokens, at, places)):
            _deny(tokens, at, scope)
            token.kind = "done"
        elif token.kind == "only":
            _restrict(tokens, at)


def _limit(tokens: Sequence[Token], at: int, value: Value) -> None:
    """Set `bound` of a figure by the words before it; those of a number are then no words."""
    for token in reversed(tokens[max(0, at - LOOKED_BACK) : at]):
        side = (token.word in clause_words("above")) - (token.word in clause_words("below"))
        term = tokens[at].term
        if side and term and value.kind == "number" and (size := _size(token.word)) > 1:
            tokens[at].term, token.term = replace(term, bound=side * size, lead=()), None
            return
        if side:
            tokens[at].term = term and replace(term, bound=side)
            return
        if token.term is not None:
            return


def _size(word: str) -> int:
    """Return the size of `Term.bound` that a word gives."""
    if word in clause_words("beyond"):
        return BEYOND
    return REACHING if word in clause_words("reaching") else 1


def _opens(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a denial precedes everything its clause says: `No tenant may ...`."""
    if tokens[at].word in clause_words("without"):
        return False
    if _after_a_lead(tokens, at):
        return sum(each.kind == "term" for each in tokens[at:]) >= MANY
    before = at - 1
    while before >= 0 and tokens[before].kind != "term":
        if tokens[before].word in clause_words("soft") and tokens[before].word != ",":
            following = sum(each.kind == "term" for each in tokens[at:])
            return following > MANY and tokens[before].word not in ("and", "und", "et", "y")
        before -= 1
    return before < 0


def _after_a_lead(tokens: Sequence[Token], at: int) -> bool:
    """Return whether only a phrase and a comma precede: `In winter, no dogs may enter`."""
    if at == 0 or tokens[at - 1].word != ",":
        return False
    lead = tokens[: at - 1]
    opening = lead[0].kind in ("small", "local", "without", "done") if lead else False
    return opening and not any(token.word in clause_words("auxiliaries") | {","} for token in lead)


def _noun_phrase(tokens: Sequence[Token], at: int, *, german: bool) -> list[int]:
    """Return the indices of the terms that follow a denial, up to the end of their phrase."""
    scope: list[int] = []
    for place in range(at + 1, len(tokens)):
        token = tokens[place]
        if token.kind == "term":
            scope.append(place)
            if german and (token.text[0].isupper() or is_independent(token)):
                break
        elif scope or token.kind == "sign":
            break
    return scope


def _contrasted(tokens: Sequence[Token], at: int, places: Collection[str]) -> list[int]:
    """Return the indices that a `not` denies if something else is affirmed, else nothing."""
    turn = next(
        (n for n in range(at + 1, len(tokens)) if tokens[n].word in clause_words("turns")), None
    )
    if turn is not None and any(t.kind == "term" for t in tokens[turn:]):
        if tokens[turn].word in ("but", "mais") and tokens[turn - 1].word == ",":
            return []
        scope = [n for n in range(at + 1, turn) if tokens[n].kind == "term"]
        plain_verb = scope and scope[0] == at + 1 and not is_independent(tokens[at + 1])
        return scope[1:] if plain_verb and len(scope) > 1 else scope
    if (
        at == 0
        or tokens[at - 1].word not in clause_words("joins") | clause_words("turns")
        or at + 1 >= len(tokens)
        or tokens[at].word in clause_words("nobody")
    ):
        return []
    scope = []
    for place in range(at + 1, len(tokens)):
        if tokens[place].kind == "sign" or tokens[place].word in clause_words("soft"):
            break
        if tokens[place].kind == "term":
            scope.append(place)
    following = tokens[at + 1]
    short = len(scope) == 1
    return scope if short or is_independent(following) or following.word in places else []


def _deny(tokens: Sequence[Token], at: int, places: Sequence[int]) -> None:
    for place in places:
        term = tokens[place].term
        if term is not None:
            tokens[place].term = replace(term, denied=at + 1)


def _restrict(tokens: Sequence[Token], at: int) -> None:
    """Mark the focus of an `only`: the term after it, or the one before if none follows."""
    after = [n for n in range(at + 1, len(tokens)) if tokens[n].kind == "term"]
    ends = at + 1 == len(tokens) or tokens[at + 1].kind == "sign" or not after
    before = [n for n in range(at) if tokens[n].kind == "term"]
    places = before[-1:] if ends else after[:1]
    for place in places:
        term = tokens[place].term
        if term is not None:
            tokens[place].term = replace(term, only=True)
