"""Cue patterns that show what kind of reasoning a problem needs, in English and German."""

import re
from collections.abc import Mapping
from types import MappingProxyType


def any_of(*words: str) -> re.Pattern[str]:
    """Return a case-insensitive pattern of any of these expressions, at the start of a word."""
    return re.compile(r"\b(?:" + "|".join(words) + r")", re.I)


ALTERNATIVES = any_of(
    r"or\b|versus\b|vs\b|oder\b|between\b.+?\band\b|zwischen\b.+?\bund\b|against\b|gegenüber\b"
)
CUES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "choice": any_of(
            r"which\b|choose\b|pick\b|compar|options?\b|best\b|better way|recommend|pros and cons",
            r"weigh\b|decide\b|(?:several|other) ways|approaches\b|candidates?\b|strateg",
            r"trade-?offs?\b|should (?:we|i)\b|welche[rsmn]?\b|wähle|vergleich|variante",
            r"beste[rsnm]?\b|vor- und nachteile|abwäg|entscheide|soll(?:en|te|ten)? (?:wir|ich)\b",
        ),
        "creation": any_of(
            r"brainstorm|invent|imagin|ideas?\b|creativ|novel\b|unusual|unconventional|original\b",
            r"come up with|outside the box|slogans?\b|fresh (?:angles?|look)|what could\b",
            r"how might we|names for\b|surpris|innovat|ideen?\b|erfinde|kreativ|originelle?",
            r"ungewöhnlich|stell dir vor|einfälle|neuartig",
        ),
        "critique": any_of(
            r"review|critique|criticis|improve|double-?check|check\b|proofread|verify|weakness",
            r"flaws?\b|gaps?\b|mistakes?\b|wrong with|overlook|missing something|revise|justified",
            r"assess the quality|could (?:it|this|that) be better|how good is",
            r"my (?:\w+ )?(?:argument|reasoning|draft|conclusion|answer|proof|plan|essay)\b|prüfe",
            r"verbesser|schwäche|fehler\b|kritisier|überarbeite|begründet\b",
            r"mein(?:e[nms]?)? (?:entwurf|gedankengang|argument|schluss)",
        ),
        "dead_end": any_of(
            r"stuck\b|dead.?end|go(?:ing)? back\b|undo\b|revert|rewind|start over|backtrack",
            r"return to\b|fail(?:ed|s)\b|lead anywhere|does(?:n't| not) work|did(?:n't| not) work",
            r"none of (?:this|that|it) works|another (?:path|way|route)|different route|checkpoint",
            r"into a corner|what if we had|sackgasse|stecken? fest|festgefahren|zurück zu",
            r"geh(?:en wir)? zurück|rückgängig|gescheitert|anderen weg|haltepunkt|von vorn",
        ),
        "combination": any_of(
            r"combin|merge\b|synthesi[sz]|depend|interdependen|each other|sub-?problems?\b",
            r"put .{0,30}together|into (?:one|a single)\b|integrat|partial (?:solutions?|results?)",
            r"interact|feedback loop|zusammen|teilergebnis|teilproblem|gesamtbild",
            r"häng\w* .{0,20}ab\b|abhäng|kombinier|vereine|wechselwirk|beeinfluss",
        ),
        "conflict": any_of(
            r"torn\b|dilemma|tension|conflict|stakeholder|is it right|moral|ethic|values?\b",
            r"fair(?:ness)?\b|the right thing|want(?:s)? both|have both|good life|meaning of",
            r"what should i do|(?:wants?|needs?|fears?)\b.{1,80}\b(?:wants?|needs?|fears?)\b",
            r"feelings?\b|zerrissen|hin- und hergerissen|zwiespalt|zielkonflikt|gewissen|moralisch",
            r"ethisch|gerecht|darf man|sinn des lebens",
        ),
        "lookup": re.compile(
            r"^\W*(?:what (?:is|are|does|follows)\b|who\b|when\b|where\b"
            r"|how (?:many|much|long|far)\b"
            r"|convert\b|define\b|explain\b|summari[sz]e\b|translate\b|list\b|calculate\b|is \w+ "
            r"(?:a|an)\b|was (?:ist|sind|bedeutet)\b|wer\b|wann\b|wo\b|wie ?(?:viele?|lange|weit)\b"
            r"|erkläre?\b|definiere?\b|übersetze?\b|berechne?\b)"
            r"|\bnext step\b|\bnächste[rn]? schritt\b",
            re.I,
        ),
    }
)
"""Cue patterns by feature; each match counts as one cue."""

NUMBER = re.compile(r"\d[\d.,:]*")
LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+\S", re.M)
SENTENCE_END = re.compile(r"[.!?。！？](?:\s|$)")
QUESTION = re.compile(r"[?？]")
WORD = re.compile(r"\w+")
