"""Splits a text into clauses, each with its denials and its subject."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from reasonloom.nodes.graph_memory.grounding.reading import japanese
from reasonloom.nodes.graph_memory.grounding.reading.clause import (
    MOST_TERMS,
    READ,
    Clause,
    Reading,
    Term,
    normalize_text,
)
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import (
    clause_words,
    is_read,
    language_of,
)
from reasonloom.nodes.graph_memory.grounding.reading.mood import (
    DAYS,
    EACH,
    HABIT,
    each_day,
    habitual,
    leads_up,
    mark_habits,
    moods_of,
)
from reasonloom.nodes.graph_memory.grounding.reading.numbers import DIMENSIONS
from reasonloom.nodes.graph_memory.grounding.reading.phrases import rewrite_phrases
from reasonloom.nodes.graph_memory.grounding.reading.scopes import mark_scopes
from reasonloom.nodes.graph_memory.grounding.reading.tokens import (
    Token,
    is_independent,
    token_sentences,
    tokens_of,
)

LEAST_IN_CLAUSE, ELLIPTIC, LEADING = 2, 3, 3
CLAUSE_TERMS = 40

HAVING = [Term("with", key) for key in ("=wear", "=use", "=bring", "=own", "=carry", "=need")]
"""Terms implied by "not without": if nobody may enter without it, everybody has to wear it."""

AGREEING = {"el": "lo", "la": "la", "los": "los", "las": "las"}
"""Spanish articles and the pronouns that refer back to their nouns."""

NO_MOOD: frozenset[str] = frozenset()

DENIAL_ONCE = frozenset(("es", "fr"))
"""Languages where two negative words form one negation."""


def clauses_of(text: str, language: str) -> list[Clause]:
    """Split a text into clauses, in order."""
    if language == "ja":
        return japanese.japanese_clauses(text)
    normal = rewrite_phrases(text)
    out: list[Clause] = []
    previous: Clause | None = None
    number = 0
    before: list[Token] = []
    mood: dict[int, frozenset[str]] = {}
    for sentence in token_sentences(tokens_of(normal, language)):
        if sentence[0].first:
            number, previous = number + 1, None
        inherited = (
            mood[id(before[-1])] if before and leads_up(normal, before, sentence) else NO_MOOD
        )
        spoken = moods_of(normal, sentence, language, inherited)
        mood = {id(token): each for token, each in zip(sentence, spoken, strict=True)}
        before = sentence
        mark_scopes(sentence, language)
        mark_habits(sentence)
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
    """Return whether a clause repeats all terms of a short `former`: `In the garden, dogs ...`."""
    return (
        former.sentence == clause.sentence
        and len(former.terms) <= ELLIPTIC
        and not former.denials
        and {term.text for term in former.terms} < {term.text for term in clause.terms}
    )


def _cut(clause: Clause) -> list[Clause]:
    """Split an overlong clause, which no real text has, so that comparing stays fast."""
    return [
        replace(clause, terms=clause.terms[at : at + CLAUSE_TERMS])
        for at in range(0, len(clause.terms), CLAUSE_TERMS)
    ]


def _pieces(tokens: list[Token], language: str) -> list[list[Token]]:
    """Split a sentence where clauses begin; a piece with a single term joins the one before it."""
    places = clause_words(f"place-{language}")
    pieces: list[list[Token]] = [[]]
    for at, token in enumerate(tokens):
        denied = at + 1 < len(tokens) and tokens[at + 1].kind in ("done", "without", "except")
        after = tokens[at + 1] if at + 1 < len(tokens) else token
        adjacent = token.word == "," and after.word in places
        adjacent = adjacent or (token.word in ("since", "as") and after.value is not None)
        soft = token.word in clause_words("soft") and token.kind in ("small", "sign", "hedge")
        if soft and not (denied or adjacent or _lists(tokens, at)):
            pieces.append([])
        pieces[-1].append(token)
    joined: list[list[Token]] = []
    for piece in pieces:
        if (
            joined
            and piece
            and piece[0].word in clause_words("contrasting")
            and joined[-1][-1:]
            and joined[-1][-1].word == ","
        ):
            piece[0].kind = "contrast"
        if (
            joined
            and (_count(piece) < LEAST_IN_CLAUSE or _count(joined[-1]) < LEAST_IN_CLAUSE)
            and not _elliptic(piece)
            and not (_conditional(piece) or _conditional(joined[-1]) or _denied(piece, joined[-1]))
        ):
            joined[-1] = joined[-1] + piece
        else:
            joined.append(piece)
    return _without_insertions([piece for piece in joined if piece])


def _lists(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a conjunction joins two figures of one list: `rooms 7 and 9`."""
    return (
        tokens[at].word in clause_words("joins")
        and 0 < at < len(tokens) - 1
        and all(_is_number(token) for token in (tokens[at - 1], tokens[at + 1]))
    )


def _is_number(token: Token) -> bool:
    return token.value is not None and token.value.kind == "number" and not token.value.unit


def _without_insertions(pieces: list[list[Token]]) -> list[list[Token]]:
    """Rejoin a clause split by an insertion: `The lift, a gift of the town, has not run since`."""
    for at in range(len(pieces) - 2):
        head, inserted, rest = pieces[at : at + 3]
        begun = (
            rest[0].word == ","
            and len(rest) > 1
            and inserted[0].word in clause_words("joins") | clause_words("relative")
        )
        verb = begun and (rest[1].word in clause_words("auxiliaries") or _is_verb(rest[1]))
        if (
            verb
            and _count(head) <= ELLIPTIC
            and not any(t.word in clause_words("auxiliaries") for t in head)
        ):
            return [*pieces[:at], head + rest, inserted, *_without_insertions(pieces[at + 3 :])]
    return pieces


def _is_verb(token: Token) -> bool:
    """Return whether a word may be a verb: a lower-case term that is no name or figure."""
    return token.kind == "term" and not is_independent(token) and token.text[0].islower()


def _count(piece: Sequence[Token]) -> int:
    return sum(token.term is not None for token in piece)


def _denied(piece: Sequence[Token], before: Sequence[Token]) -> bool:
    """Return whether a denial applies to the joined piece only: `washed away and not rebuilt`."""
    opening = next((token.word for token in piece if token.word != ","), "")
    return (
        opening in clause_words("joins") | clause_words("turns")
        and _count(piece) > 0
        and _count(before) >= LEAST_IN_CLAUSE
        and any(token.kind == "deny" for token in piece)
        and not any(token.kind in ("deny", "all", "only") for token in before)
    )


def _conditional(piece: Sequence[Token]) -> bool:
    """Return whether a piece is a condition: `if it rains`."""
    words = [token.word for token in piece if token.word not in clause_words("joins")]
    return _count(piece) > 0 and bool(words) and words[0] in clause_words("strict")


def _elliptic(piece: Sequence[Token]) -> bool:
    return 0 < _count(piece) <= ELLIPTIC and bool(piece) and piece[-1].kind == "deny"


def _clause(piece: list[Token], previous: Clause | None, language: str) -> Clause:
    terms = [token.term for token in piece if token.term is not None]
    kinds = [token.kind for token in piece]
    denials = kinds.count("deny")
    marks = {kind for kind in kinds if kind in ("all", "only", "hedge", EACH)}
    if each_day(piece, language):
        marks |= {HABIT, DAYS}
    if habitual(piece):
        marks.add(HABIT)
    if language in DENIAL_ONCE and denials:
        denials = 1
        kept = {"without", "except"}.intersection(kinds)
        terms = [replace(t, denied=0) if t.denied and not kept else t for t in terms]
    if denials % 2 and "without" in kinds:
        denials -= 1
        marks.add("all")
        terms = [replace(term, denied=0) for term in terms] + HAVING
    if previous and _elliptic(piece):
        terms += [term for term in previous.terms if not term.name]
    if _passive(piece):
        marks.add("passive")
    if language == "es" and _fronted(piece):
        marks.add("fronted")
    if any(token.word in clause_words("relative") for token in piece[:LEADING]):
        marks.add("relative")
    if any(t.word in clause_words("conditions") and t.kind != "contrast" for t in piece[:2]):
        marks.add("condition")
    return Clause(tuple(terms), denials, frozenset(marks), _subject(piece, previous))


def _passive(piece: Sequence[Token]) -> bool:
    """Return whether an agent follows a `by`."""
    for at, token in enumerate(piece):
        if token.word in clause_words("by"):
            following = next((t for t in piece[at + 1 :] if t.kind != "small"), None)
            if following and not _measured(following):
                return True
    return False


def _measured(token: Token) -> bool:
    """Return whether a token is a figure that cannot be an agent: `by two weeks`, `by noon`."""
    value = token.value
    if value is None or value.kind == "ordinal":
        return False
    return value.kind != "number" or (value.unit in DIMENSIONS and value.unit != "person")


def _fronted(piece: Sequence[Token]) -> bool:
    """Return whether a Spanish clause begins with its object: `Los tomates los trae Julián`."""
    words = [token.word for token in piece]
    first = next((n for n, word in enumerate(words) if word in AGREEING), None)
    if first is None or any(token.term for token in piece[:first]):
        return False
    for at in range(first + 2, len(piece) - 1):
        if words[at] == AGREEING[words[first]] and piece[at - 1].term:
            return all(token.term for token in piece[first + 1 : at]) and not piece[at + 1].value
    return False


def _subject(piece: Sequence[Token], previous: Clause | None) -> tuple[Term, ...]:
    """Return the subject inherited from the previous clause, if a clause has none of its own."""
    if previous is None:
        return ()
    names = [term for term in previous.terms if term.name]
    if any(token.word in clause_words("relative") for token in piece[:LEADING]):
        return tuple(names[-1:])
    opening = next((token for token in piece if token.word not in clause_words("joins")), None)
    if opening is None or _opens_anew(opening, piece):
        return ()
    if "relative" in previous.marks:
        return previous.subject
    plain = [term for term in previous.terms if not (term.value or term.marker)]
    lead = [term for term in plain[:LEADING] if term.name]
    return tuple(lead) or previous.subject or tuple(plain[:1])


def _opens_anew(opening: Token, piece: Sequence[Token]) -> bool:
    """Return whether a clause begins with a subject: a name, an article, a noun before its verb."""
    if opening.word in clause_words("auxiliaries"):
        return False
    if opening.kind != "term" or is_independent(opening) or opening.text[0].isupper():
        return True
    if piece[0].word not in clause_words("joins"):
        return True
    rest = piece[list(piece).index(opening) + 1 :]
    return any(token.word in clause_words("auxiliaries") for token in rest)


@lru_cache(maxsize=4_096)
def read_text(text: str, default: str = "en") -> Reading:
    """Parse the beginning of a text; `default` is the language if none is detected."""
    normal = normalize_text(text)
    language = language_of(normal, default)
    every = clauses_of(normal, language)
    clauses = _first(every)
    terms = tuple(term for clause in clauses for term in clause.terms)
    cut = len(text) > READ or len(clauses) < len(every)
    return Reading(normal, language, clauses, terms, known=is_read(normal), cut=cut)


def _first(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """Return the first clauses with at most MOST_TERMS terms in total, and at least one clause."""
    kept: list[Clause] = []
    held = 0
    for clause in clauses:
        held += len(clause.terms)
        if kept and held > MOST_TERMS:
            break
        kept.append(clause)
    return tuple(kept)
