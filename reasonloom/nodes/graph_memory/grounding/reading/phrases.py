"""Rewrites multi-word phrases that deny, allow, restrict or mean nothing to known words."""

import re

from reasonloom.nodes.graph_memory.grounding.reading.numbers import SMALL
from reasonloom.nodes.memory.calendar.mentions import FULL_NAMES

MONTHS = "|".join(name for names in FULL_NAMES for name in names)
HOURS = {code: rf"(?:{'|'.join(SMALL[code].split()[1:13])})" for code in ("en", "de", "fr", "es")}
FIGURE = (
    rf"(?:[$€£]?\d|(?:{'|'.join(SMALL['en'].split())})\b|(?:half|an? hour|a hundred|a thousand)\b)"
)
PHRASES = (
    (r"\b(?:no|not) (?:more|greater|higher|longer|later) than\b|\bup to (?=" rf"{FIGURE})",
     "at most "),
    (r"\b(?:no|not) (?:less|fewer|lower|smaller|shorter) than\b", "at least"),
    (rf"\b(?:more|greater|higher|larger|longer) than (?={FIGURE})", "over "),
    (rf"\b(?:less|fewer|lower|smaller|shorter) than (?={FIGURE})", "under "),
    (r"\b(?:the month of|le mois d(?:e |')|el mes de|(?:im|der|des) monat) ?"
     rf"(?=(?:{MONTHS})\b)", ""),
    (r"\bbetween (\S*\d\S*(?: [ap]\.?m\b\.?)?|" rf"{HOURS['en']}) and (?=\S*\d|{HOURS['en']}\b)",
     r"from \1 to "),
    (rf"\bzwischen (\S*\d\S*|{HOURS['de']}) und (?=\S*\d|{HOURS['de']}\b)", r"von \1 bis "),
    (rf"\bentre (\S*\d\S*(?: h(?:eures)?)?|{HOURS['fr']}) et (?=\S*\d|{HOURS['fr']}\b)",
     r"de \1 à "),
    (rf"\bentre (las )?(\S*\d\S*|{HOURS['es']}) y (?=(?:las )?(?:\S*\d|{HOURS['es']}\b))",
     r"de \1\2 a "),
    (r"^([^.;:!?]{8,}), so (?!that\b|far\b|much\b|many\b|long\b)([^.;:!?]+)", r"because \1, \2"),
    (r"\bwith the exception of\b|\beveryone but\b|\bexclusive of\b", "except"),
    (r"\bà l'exception d(?:e |u |')|\bà part\b|\bmis à part\b", "sauf "),
    (r"\bmit ausnahme (?:von|der|des)\b|\babgesehen von\b", "außer"),
    (r"\b(?:con|a) excepción de\b|\baparte de\b|\bexceptuando\b", "salvo"),
    (r"\b(?:nobody|no one|none|no-one) (?:else )?(?:other than|except|but|apart from|besides)\b"
     r"|\bnobody else than\b", "only"),
    (r"\b(?:personne d'autre|nul autre|personne) (?:que|hormis|sauf) ", "seulement "),
    (r"\bniemand(?:em|en)? (?:außer|anders als)\b|\bkein anderer als\b", "nur"),
    (r"\b(?:nadie|ningún otro) (?:más que|salvo|excepto|sino)\b", "solo"),
    (r"\b(par|une|chaque|toute|cette|la|d'une|seule|autre|même|première|\d+) personne\b",
     r"\1 individu"),
    (r"\b(over|under|above|below) the age of\b", r"\1"),
    (r"\btwice\b", "2 times"), (r"\bthrice\b", "3 times"),
    (r"\b(zwei|drei|vier|fünf)mal\b", r"\1 mal"),
    (r"\b(in) the year (?=\d{4})|\b(im) jahre? (?=\d{4})|\b(en) l'an (?=\d{4})"
     r"|\b(en) el año (?=\d{4})", r"\1\2\3\4 "),
    (r"\btout le monde\b", "chacun"),
    (r"\bil (?=(?:n'y a|y a|faut|ne faut|(?:n')?est (?:pas )?(?:interdit|permis|possible|défendu"
     r"|impossible|obligatoire|autorisé|prévu|fixé))\b)", ""),
    (r"\bn'(?:a|ont|avons|avez) pas le droit d(?:e |')", "ne peut pas "),
    (r"\b(?:a|ont|avons|avez) le droit d(?:e |')", "peut "),
    (r"\bpar individu\b", "individu"),
    (r"\b(?:par|por|per|pro) (?:jour|día|day|tag)\b", "daily"),
    (r"\b(?:par|por|per|pro) (?:semaine|semana|week|woche)\b", "weekly"),
    (r"\b(?:par|por|per|pro) (?:mois|mes|month|monat)\b", "monthly"),
    (r"\b(?:par|por|per|pro) (?:an|año|year|jahr)\b", "yearly"),
    (r"\b(all \w+s) but (?=the\b|a\b)", r"\1 except "),
    (r"\b(?:called|named)(?= (?-i:[A-Z\"\u201c]))", " "),
    (r"\bfree of charge\b|\bfor free\b|\bat no (?:cost|charge)\b|\bwithout charge\b", "free"),
    (r"\b(?!kosten)(\w{4,})(?:los|frei)(?:e[nmrs]?)?\b", r"ohne \1"),
    (r"\bn(?:e |')(\w+ \w+(?:ée?s?|ie?s?|ue?s?|ite?s?|erte?s?)) que\b", r"\1 seulement"),
    (r"\bmenos d(?:e |el )(?=\w)", "bajo "),
    (r"\b(?:each|every) time(?= [a-z]+)", "whenever"),
    (r"\bchaque fois que\b|\btoutes les fois que\b", "quand"),
    (r"\bjedes mal,? wenn\b|\bimmer wenn\b", "wenn"),
    (r"\bcada vez que\b|\bsiempre que\b", "cuando"),
    (r"\bnur (?:mit|unter) ", "nicht ohne "),
    (r"\bonly with (?=[a-z])", "not without "),
    (r"\bseulement avec\b|\buniquement avec\b", "pas sans"),
    (r"\bs[oó]lo con\b|\bsolamente con\b", "no sin"),
    (r"\b(?:neglect(?:s|ed)?|forg(?:ets?|ot)|omit(?:s|ted)?|ceas(?:es|ed)?) to\b"
     r"|\b(?:has|have|had) (?:given up|stopped|quit|ceased)(?= \w+ing\b)"
     r"|\b(?:gives?|gave) up(?= \w+ing\b)|\bquit(?:s)?(?= \w+ing\b)", "never"),
    (r"\b(?:oubli(?:e|ent|é)|omet(?:tent)?|omis|néglige(?:nt)?|négligé|arrête(?:nt)?|arrêté"
     r"|renonc(?:e|ent|é)(?= à)|s'abst(?:ient|iennent)) (?:d(?:e |')|à )", "pas "),
    (r"\bse (?:tient|tiennent|tiendra|tenait|déroule|déroulent)\b", "est"),
    (r"\b(?:olvida|olvidó|olvidan|evita|evitan|evitó|omite|renuncia a|rehúsa|rehúsan) "
     r"(?=\w+(?:ar|er|ir)\b)", "no "),
    (r"\bse (?:celebra|celebran|celebró|celebrará)\b", "es"),
    (r"\b(?:vergisst|vergaß|versäumt|versäumte|unterlässt|vermeidet),? ", "nicht "),
    (r"\b(can|could|would|should|did|does|do|is|are|was|were|has|have|had|must|need)"
     r" ?n'?t\b", r"\1 not"),
    (r"\bwo n't\b|\bwon'?t\b", "will not"),
    (r"'d (?=(?:like|love|prefer|rather)\b)", " would "),
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
    (rf"\ball but (?=(?:{HOURS['en']}|\d+|the|a)\b)", "all except "),
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

RELATIVE = "which|who|whose|where|qui|que|dont|où|quien|cuyo|cuya"
FRONTED = re.compile(
    r"(?:^|(?<=[.;!?] ))(before|after|until|till|bevor|nachdem|ehe|avant que|après que"
    r"|jusqu'à ce que|antes de que|después de que|hasta que|without|except for|except|sans|sauf"
    r"|hormis|excepté|sin|salvo|excepto|ohne|außer) "
    rf"([^,.;:!?]+(?:, (?:{RELATIVE}) [^,.;:!?]+)?), (?!(?:{RELATIVE}|and|or|und|et|y|ni|nor)\b)"
    r"([^.;:!?]+)",
    re.IGNORECASE,
)
"""A fronted phrase: one before a comma at the start of a sentence that could also end it."""

REWRITES = tuple((re.compile(pattern, re.IGNORECASE), to) for pattern, to in PHRASES)


def rewrite_phrases(text: str) -> str:
    """Rewrite the phrases of a text (NFKC, straight apostrophes) to known words."""
    for pattern, to in REWRITES:
        text = pattern.sub(to, text)
    return FRONTED.sub(lambda found: f"{found[3]} {found[1].lower()} {found[2]}", text)
