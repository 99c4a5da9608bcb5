"""Explains in words why a later chunk follows from an earlier one, and how much that adds.

The first of these applies: the same error, a file that both touch, an earlier decision, a shared
name, a rare word. Decisions are recognised by phrases in a few languages; in others, only names and
words are recognised.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reasonloom.nodes.history.rendering import one_line
from reasonloom.nodes.history.truncation import gist
from reasonloom.stores.history.chunk_links import Facts

SAME_ERROR, SAME_FILE, DECIDED = 0.2, 0.1, 0.1
"""Bonuses to an edge's weight (0..1) for what both chunks share besides words."""

QUOTE_LENGTH = 80
"""Characters of an error, a name or a decision that a reason quotes."""

LEAST_ERROR = 12
"""Minimum characters of an error without its variable parts."""

VARYING = re.compile(
    r"0x[0-9a-f]+|[0-9a-f]{8,}|(?:[\w.~-]*[/\\])+[\w.~-]*|\d+|['\"`][^'\"`]*['\"`]"
)
DECISION = re.compile(
    r"\b(?:we(?:'ve| have)? (?:decide|agree|settle|chose)\w*|(?:decided|settled|agreed) (?:on|to)|"
    r"let'?s (?:use|go with|keep|say)|from now on|decision|ADR-\d+|"
    r"entschieden|beschlossen|entscheid\w*|ab jetzt|ab sofort|"
    r"décid\w+|décision|désormais|on (?:garde|prend)|"
    r"decid\w+|decisión|a partir de ahora|quedamos en|"
    r"deciso|decidiamo|decisione|d'ora in poi|besloten|voortaan|"
    r"решил\w*|решени\w+|договорил\w*|отныне)\b|"
    r"決め|決定|ことにし|决定|改用|로 결정|하기로",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
WORD = re.compile(r"\w[\w'’-]*")
UNSPACED = re.compile(r"[぀-ヿ一-鿿]")
LEAST_WORD = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason in words, and the bonus to the edge's weight."""

    text: str
    more: float = 0.0


@dataclass(slots=True)
class Reasons:
    """Finds why one chunk follows from others; its words are indexed once for all of them.

    Args:
        later: the chunk that follows.
        often: all chunks that it is compared with; what most of them share counts little.
    """

    later: Facts
    often: Sequence[Facts]
    _spelt: Mapping[str, str] | None = None
    _beginning: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def reason(self, earlier: Facts, shared: Sequence[str]) -> Reason:
        """Return why the chunk follows from `earlier`.

        Args:
            earlier: the chunk that it follows from.
            shared: the words that both contain, as stored, rarest first.
        """
        later, often = self.later, self.often
        if error := _error(later, earlier):
            rare = _rarity(sum(bool(_error(later, each)) for each in often), len(often))
            return Reason(f"the same error: {one_line(error, QUOTE_LENGTH)}", SAME_ERROR * rare)
        for file in later.files:
            if _touches(earlier, file):
                rare = _rarity(sum(_touches(each, file) for each in often), len(often))
                return Reason(f"both touch {one_line(file, QUOTE_LENGTH)}", SAME_FILE * rare)
        named = self._named(earlier, shared)
        if named and (found := _decision(earlier.content, named)):
            return Reason(f"goes back to a decision: “{one_line(found, QUOTE_LENGTH)}”", DECIDED)
        return Reason(
            f"takes up “{one_line(named, QUOTE_LENGTH)}”" if named else "about the same things"
        )

    def _named(self, earlier: Facts, shared: Sequence[str]) -> str:
        """Return a shared name with a rare word in it, or else a shared rare word as spelt."""
        rare = [word for word in shared if len(word) > 1]
        there = {name.casefold() for name in earlier.names}
        for name in self.later.names:
            folded = name.casefold()
            if folded in there and any(word in folded for word in rare):
                return name
        for word in rare:
            if UNSPACED.search(word) and word in earlier.folded:
                return word
            for folded, as_is in self._words(word[:-1] if word.endswith("i") else word):
                if folded in earlier.folded:
                    return as_is
        return ""

    def _words(self, stem: str) -> list[tuple[str, str]]:
        """Return the chunk's words that start with `stem`, each case-folded and as spelt."""
        if len(stem) < LEAST_WORD:
            return []
        if self._spelt is None:
            words = (found.group() for found in WORD.finditer(self.later.content))
            self._spelt = {word.casefold(): word for word in words}
        if stem not in self._beginning:
            self._beginning[stem] = [
                each for each in self._spelt.items() if each[0].startswith(stem)
            ]
        return self._beginning[stem]


def normalised(error: str) -> str:
    """Return an error's text without its variable parts: numbers, addresses, paths, quotations."""
    return " ".join(VARYING.sub(" ", error.casefold()).split())


def _error(later: Facts, earlier: Facts) -> str | None:
    there = {normalised(each) for each in earlier.errors}
    for error in later.errors:
        bare = normalised(error)
        if len(bare) >= LEAST_ERROR and bare in there:
            return error
    return None


def _touches(chunk: Facts, file: str) -> bool:
    """Return whether a chunk names a file, by its full path or a suffix of it."""
    return any(
        file == other or file.endswith(f"/{other}") or other.endswith(f"/{file}")
        for other in chunk.files
    )


def _rarity(held: int, of: int) -> float:
    """Return 1 for what only one of the chunks has, down to near 0 for what all have."""
    return 1 - (held - 1) / of if of else 1.0


def _decision(content: str, named: str) -> str | None:
    """Return a sentence that decides something about `named`."""
    for sentence in SENTENCE.findall(gist(content)):
        if named.casefold() in sentence.casefold() and DECISION.search(sentence):
            return str(sentence).strip()
    return None
