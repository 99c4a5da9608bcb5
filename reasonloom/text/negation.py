"""Counts the denials of a text and finds its reserves, by short lists of words."""

import re

ENGLISH = "not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|\\w+n['’]t"
GERMAN = r"nicht|nie|niemals|niemand\w*|nichts|nirgend\w*|weder|ohne|kein\w{0,2}"
ROMANCE = r"nadie|nunca|jamás|tampoco|ningun\w*|ningún|sin|não|sem|non|senza"
OTHERS = "niet|geen|nooit|inte|aldrig|ikke|aldri|nigdy|не|нет|нельзя|никогда|ні|без"
FRENCH = "ne|pas|jamais|aucune?|sans"
TWO_WORDS = (
    r"(?:\bne\b|\bn['’])(?:\s?\w+['’]?){1,3}?\s(?:pas|jamais|rien|personne|plus|aucune?)\b"
    r"|\bno(?:\s\w+){1,2}?\s(?:nadie|nada|nunca|ning[uú]n\w*)\b"
)
"""French and Spanish denials whose two words make one: `ne ... pas`, `no ... nadie`."""

EAST_ASIAN = (
    r"(?<![少危])(?<!なら|しれ)(?:ない|なかっ|なく|なけれ)|ません(?!か)|ずに"
    r"|[不没沒未無](?!一)|않|(?<![가-힣])(?:안|못)(?=\s)|없|아니"
)
WORDS = rf"{ENGLISH}|{GERMAN}|{ROMANCE}|{OTHERS}|{FRENCH}"
DENIAL = re.compile(rf"{TWO_WORDS}|\bn['’](?=\w)|\b(?:{WORDS})\b|{EAST_ASIAN}")
NO_DENIAL = re.compile(
    r"\b(?:not only|no doubt|nicht nur|kein zweifel|no s[oó]lo|non seulement)\b"
    r"|しれません|なりません"
)
"""Words of denial that deny nothing."""

RESERVE = re.compile(
    r"\b(?:if|unless|only|except|perhaps|maybe|probably|likely|might|almost|nearly|should|must"
    r"|wants?|hopes?|plans?|thinks?|believes?|says?|said|supposedly"
    r"|wenn|falls|nur|außer|vielleicht|vermutlich|wahrscheinlich|fast|soll|sollte|muss|will|möchte"
    r"|hofft|glaubt|angeblich"
    r"|si|sauf|seulement|peut-être|probablement|presque|doit|veut|espère|croit"
    r"|salvo|excepto|sólo|solo|solamente|quizás?|probablemente|casi|debe|quiere|espera|cree)\b"
    r"|かもしれ|だろう|でしょう|たい(?:です)?$|場合|なら|たら|れば|だけ|しか|べき|らしい|そうです|と思"
)


def denials(text: str) -> int:
    """Return how many denials a text has; `ne ... pas` and `no ... nadie` are one."""
    return len(DENIAL.findall(NO_DENIAL.sub(" ", text.casefold())))


def reserves(text: str) -> frozenset[str]:
    """Return the words by which a text says something with a reserve: if, only, perhaps."""
    return frozenset(RESERVE.findall(text.casefold()))
