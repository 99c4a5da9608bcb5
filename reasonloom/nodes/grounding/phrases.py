"""Turns of several words that deny, allow, restrict or tell nothing, each put in a known word."""

from __future__ import annotations

import re

PHRASES = (
    (r"\b(can|could|would|should|did|does|do|is|are|was|were|has|have|had|must|need)"
     r" ?n'?t\b", r"\1 not"),
    (r"\bwo n't\b|\bwon'?t\b", "will not"),
    (r"\bcannot\b|\bca n't\b|\bcan't\b|\bcant\b", "can not"),
    (r"\bshan'?t\b", "shall not"),
    (r"\bain'?t\b", "is not"),
    (r"\b(?:it )?(?:is|was)(?: simply| just)? (?:false|untrue|wrong|incorrect|a lie|a myth"
     r"|not true|not the case|not correct|not right)(?=,? that\b)(?:,? that\b)?|\b(?:it is )?"
     r"(?:false|untrue) that\b", "not"),
    (r"\banything but\b|\bby no means\b|\bin no way\b|\bon no account\b"
     r"|\bunder no circumstances\b|\bnot in the least\b", "not"),
    (r"\bes ist (?:falsch|unwahr|gelogen|nicht wahr|nicht richtig|nicht der fall),? dass\b"
     r"|\bes stimmt nicht,? dass\b|\balles andere als\b|\bkeineswegs\b|\bkeinesfalls\b"
     r"|\bauf keinen fall\b|\bmitnichten\b", "nicht"),
    (r"\b(?:il est faux|il n'est pas vrai|ce n'est pas vrai|il est inexact) qu(?:e |')"
     r"|\btout sauf\b|\ben aucun cas\b", "pas "),
    (r"\b(?:es falso|no es (?:cierto|verdad)|es mentira) que\b|\btodo menos\b"
     r"|\bde ning[uú]n modo\b|\ben absoluto\b(?= \w)", "no"),
    (r"\bnot only\b|\bno doubt\b|\bwithout (?:a )?doubt\b|\bnicht nur\b"
     r"|\bnon seulement\b|\bno solo\b|\bno sólo\b", " "),
    (r"\bno longer\b|\bnot any ?more\b|\bnot yet\b|\bno more\b", "never"),
    (r"\bnot (.{1,40}?) any ?more\b|\bnot (.{1,40}?) yet\b", r"not \1\2"),
    (r"\binstead of\b|\brather than\b|\bin place of\b|\bin lieu of\b", "without"),
    (r"\banstelle von\b|\banstatt\b|\bstatt\b(?= (?:[A-ZÄÖÜ]|de[rmns] |eine?[mnrs]? ))", "ohne"),
    (r"\bau lieu d(?:e |u |')|\bplutôt qu(?:e |')|\bet non(?: pas)?\b", "sans "),
    (r"\ben lugar de\b|\ben vez de\b", "sin"),
    (r"\bfree (?:of|from)\b(?! charge)|\bexempt from\b|\bdevoid of\b|\blacking\b", "without"),
    (r"\bfrei von\b", "ohne"),
    (r"\blibre de\b|\bexent[oa] de\b", "sin"),
    (r"\bexempte? de\b|\bdépourvue? de\b", "sans"),
    (r"\b(?:fail(?:s|ed)?|refus(?:es|e|ed)|declin(?:es|e|ed)) to\b"
     r"|\bstay(?:s|ed)? away from\b|\bgave up\b"
     r"|\bstopped(?= \w+ing\b)|\bkeep(?:s)? from\b|\bis off limits\b", "never"),
    (r"\ball but (?=(?:one|the|a)\b)", "all except "),
    (r"\b(?:has|have|had|gets) (.{1,30}?) off\b", r"does not work \1"),
    (r"\bnothing but\b|\bno one but\b|\bnobody but\b|\bnone but\b", "only"),
    (r"\bno one\b", "nobody"),
    (r"\bneither (.{1,60}?) nor\b", r"not \1 or"),
    (r"\bn(?:e |')(\w+(?: \w+)?) que\b(?! )", r"seulement \1"),
    (r"\bn(?:e |')(\w+) que\b", r"\1 seulement"),
    (r"\bn(?:e |')(\w+) plus\b", r"\1 pas"),
    (r"\b(?:refuse(?:nt)?|cessé|cesse(?:nt)?|évite(?:nt)?) d(?:e |')", "pas "),
    (r"\bdeja(?:n|ron)? de\b|\bdejó de\b|\bse niegan? a\b", "no"),
    (r"\bya no\b|\btodavía no\b|\baún no\b", "no"),
    (r"\bnoch nicht\b|\bnicht mehr\b", "nicht"),
    (r"\bkeine?[nmrs]? (.{1,40}?) mehr\b", r"kein \1"),
    (r"\bnur ((?:\w+ ){1,4})nicht\b", r"ohne \1"),
    (r"\bmehr als\b", "über"),
    (r"\b(?:at all|überhaupt|du tout|en absoluto)\b", " "),
    (r"\bat the latest\b|\bau plus tard\b|\bspätestens\b|\ba más tardar\b", " "),
    (r"\bother than\b|\bapart from\b|\baside from\b", "except"),
    (r"\b(?:takes?|took|taken|taking) place\b", "is"),
    (r"\b(?:a|ont|aura|auront|avait|a eu) lieu\b", "est"),
    (r"\b(?:tiene|tienen|tuvo|tendrá) lugar\b", "es"),
    (r"\b(?:findet|finden|fand) (.{1,60}?) statt\b", r"ist \1"),
    (r"\b(?:in addition to|as well as|along with|together with|besides)\b", "and"),
)  # fmt: skip

REWRITES = tuple((re.compile(pattern, re.IGNORECASE), to) for pattern, to in PHRASES)


def plain(text: str) -> str:
    """Return a text (NFKC, straight apostrophes) with its turns put in known words."""
    for pattern, to in REWRITES:
        text = pattern.sub(to, text)
    return text
