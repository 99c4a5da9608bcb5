"""Cuts a text into clauses, each with its denials and with what it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reasonloom.nodes.grounding import japanese
from reasonloom.nodes.grounding.clause_words import words_of
from reasonloom.nodes.grounding.mood import leads_up, moods
from reasonloom.nodes.grounding.phrases import plain
from reasonloom.nodes.grounding.reading import Clause, Term
from reasonloom.nodes.grounding.scopes import mark
from reasonloom.nodes.grounding.tokens import Token, sentences, stands_alone, tokens_of

LEAST_IN_CLAUSE, ELLIPTIC, LEADING = 2, 3, 3
MOST_TERMS = 40

HAVING = [Term("with", key) for key in ("=wear", "=use", "=bring", "=own", "=carry", "=need")]
"""What "not without" comes to: without which nobody may enter, everybody has to wear."""

NO_MOOD: frozenset[str] = frozenset()

DENIAL_ONCE = frozenset(("es", "fr"))
"""Languages where two words of denial make one."""


def clauses_of(text: str, language: str) -> list[Clause]:
    """Return the clauses of a text in their order."""
    if language == "ja":
        return japanese.clauses_of(text)
    told = plain(text)
    out: list[Clause] = []
    previous: Clause | None = None
    number = 0
    before: list[Token] = []
    mood: dict[int, frozenset[str]] = {}
    for sentence in sentences(tokens_of(told, language)):
        if sentence[0].first:
            number, previous = number + 1, None
        carried = mood[id(before[-1])] if before and leads_up(told, before, sentence) else NO_MOOD
        spoken = moods(told, sentence, language, carried)
        mood = {id(token): each for token, each in zip(sentence, spoken, strict=True)}
        before = sentence
        mark(sentence, language)
        for piece in _pieces(sentence, language):
            clause = _clause(piece, previous, language)
            marks = clause.marks.union(*(mood[id(token)] for token in piece))
            clause = replace(clause, marks=marks, sentence=number)
            if clause.terms:
                if previous and _leads_in(previous, clause):
                    out.pop()
                out += _cut(clause)
                previous = clause
    return out


def _leads_in(former: Clause, clause: Clause) -> bool:
    """Tell whether a clause only names what the next one says again: `In the garden, dogs ...`."""
    return (
        former.sentence == clause.sentence
        and len(former.terms) <= ELLIPTIC
        and not former.denials
        and {term.text for term in former.terms} < {term.text for term in clause.terms}
    )


def _cut(clause: Clause) -> list[Clause]:
    """Return a clause in pieces that are quickly compared; nobody writes one so long."""
    return [
        replace(clause, terms=clause.terms[at : at + MOST_TERMS])
        for at in range(0, len(clause.terms), MOST_TERMS)
    ]


def _pieces(tokens: list[Token], language: str) -> list[list[Token]]:
    """Cut a sentence where a new clause begins; what holds one term alone joins the former."""
    places = words_of(f"place-{language}")
    pieces: list[list[Token]] = [[]]
    for at, token in enumerate(tokens):
        denied = at + 1 < len(tokens) and tokens[at + 1].kind in ("done", "without")
        after = tokens[at + 1] if at + 1 < len(tokens) else token
        beside = token.word == "," and after.word in places
        beside = beside or (token.word in ("since", "as") and bool(after.term and after.term.value))
        soft = token.word in words_of("soft") and token.kind in ("small", "sign", "hedge")
        if soft and not (denied or beside):
            pieces.append([])
        pieces[-1].append(token)
    joined: list[list[Token]] = []
    for piece in pieces:
        if (
            joined
            and piece
            and piece[0].word in words_of("contrasting")
            and joined[-1][-1:]
            and joined[-1][-1].word == ","
        ):
            piece[0].kind = "contrast"
        if (
            joined
            and (_count(piece) < LEAST_IN_CLAUSE or _count(joined[-1]) < LEAST_IN_CLAUSE)
            and not _elliptic(piece)
        ):
            joined[-1] = joined[-1] + piece
        else:
            joined.append(piece)
    return _without_insertions([piece for piece in joined if piece])


def _without_insertions(pieces: list[list[Token]]) -> list[list[Token]]:
    """Put together what an insertion parts: `The lift, a gift of the town, has not run since`."""
    for at in range(len(pieces) - 2):
        head, inserted, rest = pieces[at : at + 3]
        begun = (
            rest[0].word == ","
            and len(rest) > 1
            and inserted[0].word in words_of("joins") | words_of("relative")
        )
        verb = begun and (rest[1].word in words_of("auxiliaries") or _is_verb(rest[1]))
        if (
            verb
            and _count(head) <= ELLIPTIC
            and not any(t.word in words_of("auxiliaries") for t in head)
        ):
            return [*pieces[:at], head + rest, inserted, *_without_insertions(pieces[at + 3 :])]
    return pieces


def _is_verb(token: Token) -> bool:
    """Tell whether a word that opens the rest of a sentence may be its verb: it is no name."""
    return token.kind == "term" and not stands_alone(token) and token.text[0].islower()


def _count(piece: Sequence[Token]) -> int:
    return sum(token.term is not None for token in piece)


def _elliptic(piece: Sequence[Token]) -> bool:
    return 0 < _count(piece) <= ELLIPTIC and bool(piece) and piece[-1].kind == "deny"


def _clause(piece: list[Token], previous: Clause | None, language: str) -> Clause:
    terms = [token.term for token in piece if token.term is not None]
    kinds = [token.kind for token in piece]
    denials = kinds.count("deny")
    marks = {kind for kind in kinds if kind in ("all", "only", "hedge")}
    if language in DENIAL_ONCE and denials:
        denials = 1
        terms = [replace(t, denied=0) if t.denied and "without" not in kinds else t for t in terms]
    if denials % 2 and "without" in kinds:
        denials -= 1
        marks.add("all")
        terms = [replace(term, denied=0) for term in terms] + HAVING
    if previous and _elliptic(piece):
        terms += [term for term in previous.terms if not term.name]
    if any(token.word in words_of("by") for token in piece):
        marks.add("passive")
    if any(token.word in words_of("relative") for token in piece[:LEADING]):
        marks.add("relative")
    if any(t.word in words_of("conditions") and t.kind != "contrast" for t in piece[:2]):
        marks.add("condition")
    return Clause(tuple(terms), denials, frozenset(marks), _subject(piece, previous))


def _subject(piece: Sequence[Token], previous: Clause | None) -> tuple[Term, ...]:
    """Return what a clause without a subject of its own speaks of."""
    if previous is None:
        return ()
    names = [term for term in previous.terms if term.name]
    if any(token.word in words_of("relative") for token in piece[:LEADING]):
        return tuple(names[-1:])
    opening = next((token for token in piece if token.word not in words_of("joins")), None)
    if opening is None or _opens_anew(opening, piece):
        return ()
    if "relative" in previous.marks:
        return previous.subject
    plain = [term for term in previous.terms if not (term.value or term.marker)]
    lead = [term for term in plain[:LEADING] if term.name]
    return tuple(lead) or previous.subject or tuple(plain[:1])


def _opens_anew(opening: Token, piece: Sequence[Token]) -> bool:
    """Tell whether a clause begins with a subject: a name, an article, a noun before its verb."""
    if opening.word in words_of("auxiliaries"):
        return False
    if opening.kind != "term" or stands_alone(opening) or opening.text[0].isupper():
        return True
    if piece[0].word not in words_of("joins"):
        return True
    rest = piece[list(piece).index(opening) + 1 :]
    return any(token.word in words_of("auxiliaries") for token in rest)
