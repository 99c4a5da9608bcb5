"""Counts denials and finds reserves in a text, by short lists for nine languages."""

import re

_WORDS = (
    # English; `don't` and `cannot` too
    "not no never none nobody nothing nowhere neither nor without cannot hardly",
    # German
    r"nicht nie niemals niemand\w* nichts nirgend\w* weder ohne kein\w{0,2}",
    # Spanish, Portuguese, Italian; French is read apart, for it denies with two words
    r"nadie nunca jamás tampoco ningun\w* ningún sin não nunca sem non senza",
    # Dutch, Swedish, Danish, Polish, Russian, Ukrainian
    "niet geen nooit inte aldrig ikke aldri nie nigdy не нет нельзя никогда ні без",
)
_FRENCH = r"(?:\bne\b|\bn['’](?=\w))(?:\s?\w+['’]?){1,3}?\s(?:pas|jamais|rien|personne|plus|aucune?)\b"
_SPANISH = r"\bno(?:\s\w+){1,2}?\s(?:nadie|nada|nunca|ning[uú]n\w*)\b"
_FRENCH_ALONE = r"\bne\b|\bn['’](?=\w)|\bpas\b|\bjamais\b|\baucune?\b|\bsans\b"
_EAST_ASIAN = (
    r"(?<!少)(?<!危)(?<!なら)(?<!しれ)(?:ない|なかっ|なく|なけれ)|ませ(?:ん(?!か))|ずに"
    r"|[不没沒未無](?!一)|않|(?<![가-힣])(?:안|못)(?=\s)|없|아니"
)
DENIAL = re.compile(
    rf"{_FRENCH}|{_SPANISH}|{_FRENCH_ALONE}|\b(?:{'|'.join(' '.join(_WORDS).split())})\b|\w+n['’]t\b"
    rf"|{_EAST_ASIAN}"
)
NO_DENIAL = re.compile(r"\b(?:not only|no doubt|nicht nur|kein zweifel|no sólo|no solo|non seulement)\b|しれません|なりません")
"""Words of denial that deny nothing."""

RESERVE = re.compile(
    r"\b(?:if|unless|only|except|perhaps|maybe|probably|likely|might|almost|nearly|should|must"
    r"|wants?|hopes?|plans?|thinks?|believes?|says?|said|supposedly|todo"
    r"|wenn|falls|nur|außer|vielleicht|vermutlich|wahrscheinlich|fast|soll|sollte|muss|will|möchte"
    r"|hofft|glaubt|angeblich"
    r"|si|sauf|seulement|peut-être|probablement|presque|doit|veut|espère|croit"
    r"|salvo|excepto|sólo|solo|solamente|quizás?|probablemente|casi|debe|quiere|espera|cree)\b"
    r"|かもしれ|だろう|でしょう|たい(?:です)?$|場合|なら|たら|れば|だけ|しか|べき|らしい|そうです|と思"
)


def denials(text: str) -> int:
    """Return how many denials a text has; French `ne ... pas` and Spanish `no ... nadie` are one."""
    return len(DENIAL.findall(NO_DENIAL.sub(" ", text.casefold())))


def reserves(text: str) -> frozenset[str]:
    """Return the words by which a text says something with a reserve: if, only, perhaps, wants."""
    return frozenset(RESERVE.findall(text.casefold()))
