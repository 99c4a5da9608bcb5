"""A text as words and figures in their order, sentence by sentence, for comparing it literally."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from reasonloom.nodes.graph_memory.grounding.figures import Value, values_in
from reasonloom.text.language import language_of
from reasonloom.text.negation import DENIAL, NO_DENIAL, denials, reserves
from reasonloom.text.search_terms import stem_word
from reasonloom.text.sentences import sentences_in

READ = 2_000
"""Characters of a text that are compared, the first ones."""

WORD = re.compile(
    r"[\u3041-\u309f]+|[\u30a1-\u30ff]+|[\u3400-\u9fff々]+|[^\W_\u3041-\u30ff\u3400-\u9fff]+"
)
HIRAGANA = re.compile(r"[\u3041-\u309f]+")
EMPTY = frozenset(
    (
        "a", "an", "the", "is", "are", "was", "were", "be", "been", "am", "do", "does", "did",
        "has", "have", "had", "will", "would", "s", "it",
        "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer",
        "eines", "ist", "sind", "war", "waren", "wird", "werden", "hat", "haben",
        "le", "la", "les", "l", "un", "une", "du", "est", "sont", "était", "étaient", "ont",
        "el", "los", "las", "una", "unos", "unas", "es", "son", "era", "eran", "está", "están",
        "ha", "han",
    )
)  # fmt: skip
"""Articles and forms of `to be` and their like, which are not compared."""

JOINS = frozenset(("and", "but", "und", "aber", "et", "mais", "y", "e", "pero"))
ENDS = re.compile(r"^n(?:e\b|o\b|')|\w+$", re.IGNORECASE)
BREAK = re.compile(r"[,;:()\u2013\u2014、]")
QUESTION = re.compile(r"(?:[?？]|か。?)[\"'”)\s]*$")
TO_DO = re.compile(r"\s*(?:to-?do\b|\[ \])", re.IGNORECASE)
LANGUAGES = frozenset(("en", "de", "fr", "es", "ja"))
"""Languages whose number words are read."""


PART = re.compile(
    r"[,;:]?\s+(?:and|but|und|aber|et|mais|y|pero)\s+|;\s+|(?<=[.!?])\s+|(?<=。)", re.IGNORECASE
)
"""What joins the parts of a claim."""

LEAST_WORDS, MOST_PARTS = 3, 4


def parts_of(claim: str) -> list[str]:
    """Return the parts of a claim that may be true by themselves, four at most; else the claim."""
    parts: list[str] = []
    for piece in PART.split(claim[:READ].strip()):
        short = len(WORD.findall(piece)) < LEAST_WORDS
        if parts and (short or len(WORD.findall(parts[-1])) < LEAST_WORDS):
            return [claim]
        if piece:
            parts.append(piece)
    return parts if 1 < len(parts) <= MOST_PARTS else [claim]


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a figure: its text, where it begins, what it is compared by.

    `content` is false for words such as prepositions; `name` is true of a capital letter that
    does not only begin a sentence.
    """

    text: str
    start: int
    key: str
    content: bool
    value: Value | None = None
    name: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """The terms of a sentence by clauses, its denials and reserves, and whether it states."""

    clauses: tuple[tuple[Term, ...], ...]
    denials: int
    reserves: frozenset[str]
    states: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, in order."""
        return tuple(term for clause in self.clauses for term in clause)


@dataclass(frozen=True)
class Wording:
    """A text in sentences; `cut` tells that it goes on beyond what was read."""

    sentences: tuple[Sentence, ...]
    cut: bool

    @property
    def content(self) -> tuple[Term, ...]:
        """The words of content and the figures, in order."""
        return tuple(t for each in self.sentences for t in each.terms if t.content)

    @property
    def worded(self) -> bool:
        """Whether the text has any word."""
        return any(each.clauses for each in self.sentences)


@lru_cache(maxsize=4_096)
def read_wording(text: str) -> Wording:
    """Return the words and figures of the first 2,000 characters of a text."""
    plain = unicodedata.normalize("NFKC", text[:READ]).replace("\u2019", "'")
    code = language_of(plain).code
    language = code if code in LANGUAGES else "en"
    return Wording(
        tuple(_sentence(each, language) for each in sentences_in(plain)), len(text) > READ
    )


def states(sentence: str) -> bool:
    """Tell whether a sentence is neither a question nor marked as still to do."""
    return not (QUESTION.search(sentence) or TO_DO.match(sentence))


def _sentence(sentence: str, language: str) -> Sentence:
    terms = _terms(sentence, language)
    clauses: list[list[Term]] = [[]]
    end = 0
    for term in terms:
        join = term.key in JOINS
        if clauses[-1] and (join or BREAK.search(sentence, end, term.start)):
            clauses.append([])
        if not join:
            clauses[-1].append(term)
        end = term.start + len(term.text)
    return Sentence(
        tuple(tuple(clause) for clause in clauses if clause),
        denials(sentence),
        reserves(sentence),
        states(sentence),
    )


def _terms(sentence: str, language: str) -> list[Term]:
    values = values_in(sentence, language)
    terms = [Term(sentence[v.start : v.end], v.start, "", content=True, value=v) for v in values]
    rest = sentence
    for value in values:
        rest = rest[: value.start] + "\0" * (value.end - value.start) + rest[value.end :]
    rest = NO_DENIAL.sub(lambda found: "\0" * len(found[0]), rest)
    for found in DENIAL.finditer(rest.casefold()) if len(rest) == len(rest.casefold()) else ():
        rest = _without(rest, found)
    first = True
    for found in WORD.finditer(rest):
        folded = found[0].casefold()
        if folded not in EMPTY:
            terms.append(_word(found, folded, first=first))
        first = False
    return sorted(terms, key=lambda term: term.start)


def _without(text: str, denial: re.Match[str]) -> str:
    """Return a text without the words of a denial; what stands between two stays."""
    start, end = denial.span()
    if " " in denial[0]:  # its first and its last word: ne ... pas, no ... nadie
        blank = ENDS.sub(lambda each: "\0" * len(each[0]), text[start:end])
        return text[:start] + blank + text[end:]
    return text[:start] + "\0" * (end - start) + text[end:]


def _word(found: re.Match[str], folded: str, *, first: bool) -> Term:
    stem = "" if HIRAGANA.fullmatch(folded) else stem_word(folded)
    name = found[0][:1].isupper() and not first
    return Term(found[0], found.start(), stem or folded, content=bool(stem), name=name)
